/** The client library's own log, made fit for ours: few lines, no contents. */
import type { AdapterLog } from '../adapter.ts';

const MINUTE_MS = 60_000;
/** Different sentences that are counted; a sentence with a number in it would otherwise fill the memory. */
const MOST_SENTENCES = 100;

/** As the client library wants it. */
export interface LibraryLog {
  level: string;
  child(facts: Readonly<Record<string, unknown>>): LibraryLog;
  trace(facts: unknown, message?: string): void;
  debug(facts: unknown, message?: string): void;
  info(facts: unknown, message?: string): void;
  warn(facts: unknown, message?: string): void;
  error(facts: unknown, message?: string): void;
}

/** Warnings and errors, each sentence once a minute with how often it came. The facts are left out: they hold keys and messages. */
export function createLibraryLog(log: AdapterLog, now: () => number): LibraryLog {
  const seen = new Map<string, { since: number; count: number }>();
  const tell = (facts: unknown, message: string | undefined): void => {
    const sentence = (typeof facts === 'string' ? facts : (message ?? 'without words')).replace(/\d{4,}(?:@[\w.]+)?/g, '…').slice(0, 120);
    const known = seen.get(sentence);
    if (known !== undefined && now() - known.since < MINUTE_MS) {
      known.count += 1;
      return;
    }
    if (known === undefined && seen.size >= MOST_SENTENCES) seen.clear();
    seen.set(sentence, { since: now(), count: 1 });
    log.warn(known === undefined ? {} : { times: known.count }, `WhatsApp client: ${sentence}`);
  };
  const nothing = (): void => undefined;
  const library: LibraryLog = {
    level: 'warn',
    child: () => library,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: tell,
    error: tell,
  };
  return library;
}

const NOISE =
  /^(?:Closing session:|Opening session:|Removing old closed session:|Session already (?:closed|open)|Migrating session to:|Closing open session|Decrypted message with closed session|Failed to decrypt message with any known session|Session error:|V1 session storage migration error|Unhandled bucket type)/;

type Method = 'info' | 'warn' | 'error' | 'log';

/**
 * libsignal writes whole sessions, private keys in them, to the console, and offers no way to stop it. Its lines are known by how they
 * begin; everything else passes. Idempotent.
 */
export function muteSessionDumps(target: Pick<Console, Method>): void {
  for (const method of ['info', 'warn', 'error', 'log'] as const) {
    const original = target[method];
    if ('withoutSessionDumps' in original) continue;
    const filtered = (...values: unknown[]): void => {
      if (typeof values[0] !== 'string' || !NOISE.test(values[0])) original.apply(target, values);
    };
    target[method] = Object.assign(filtered, { withoutSessionDumps: true });
  }
}
