/** A host for adapter tests: an inbox that can be made to refuse, a store that survives adapters, and what the adapter told it. */
import type { AdapterState, Host, Inbound, Json, Outbound } from '../../adapters/adapter.ts';

export interface TestHost extends Host {
  /** What `sent` knows, by message id. */
  readonly sentBefore: Map<string, Outbound>;
  /** What was taken, in order. A batch that was refused is not in it. */
  readonly received: Inbound[];
  /** Batches that were offered, refused ones too. */
  readonly offers: (readonly Inbound[])[];
  readonly states: { readonly state: AdapterState; readonly detail: string | undefined; readonly at: number }[];
  readonly logged: string[];
  alives: number;
  /** While it is set, `receive` throws it. */
  refusal: Error | undefined;
}

export function createTestHost(kept = new Map<string, Json>(), account = 'main'): TestHost {
  const received: Inbound[] = [];
  const offers: (readonly Inbound[])[] = [];
  const states: TestHost['states'] = [];
  const logged: string[] = [];
  const sentBefore: TestHost['sentBefore'] = new Map();
  const host: TestHost = {
    account,
    sentBefore,
    sent: ({ id }) => sentBefore.get(id),
    received,
    offers,
    states,
    logged,
    alives: 0,
    refusal: undefined,
    receive(events, keep = {}) {
      // Everything that crosses the line sits in a table: it must survive JSON.
      offers.push(JSON.parse(JSON.stringify(events)));
      if (host.refusal !== undefined) throw host.refusal;
      received.push(...events);
      host.store.put(keep);
    },
    state: (state, detail) => void states.push({ state, detail, at: performance.now() }),
    alive() {
      host.alives += 1;
    },
    store: {
      get: (key) => kept.get(key),
      put(entries) {
        for (const [key, value] of Object.entries(entries)) {
          if (value === undefined) kept.delete(key);
          else kept.set(key, JSON.parse(JSON.stringify(value)));
        }
      },
      list(prefix, { after, limit, newest }) {
        const found = [...kept].filter(([key]) => key.startsWith(prefix) && (after === undefined || key > after)).toSorted();
        return newest === true ? found.slice(-limit) : found.slice(0, limit);
      },
    },
    log: {
      info: (facts, message) => void logged.push(`${message} ${JSON.stringify(facts)}`),
      warn: (facts, message) => void logged.push(`${message} ${JSON.stringify(facts)}`),
    },
  };
  return host;
}
