/** What is told of the connection: from evidence, and without saying the same twice. */
import type { AdapterState, Host } from '../adapter.ts';
import type { StormWatch } from './storm.ts';

/** So many failures in a row are no hiccup any more. */
const FAILURES_UNTIL_DOWN = 3;

export interface Health {
  connecting(): void;
  open(): void;
  /** Something came in. */
  alive(): void;
  failed(sentence: string): void;
  down(sentence: string): void;
  /** It works, but less than it should: why, or not any more. */
  limited(what: 'chats' | 'store', sentence: string | undefined): void;
}

export function createHealth(host: Host, storm: StormWatch): Health {
  let failures = 0;
  let isOpen = false;
  let shown = '';
  const limits = new Map<string, string>();
  const show = (state: AdapterState, detail?: string): void => {
    if (shown === `${state} ${detail}`) return;
    shown = `${state} ${detail}`;
    host.state(state, detail);
  };
  const working = (): void => {
    const [detail] = [...limits.values(), storm.warning()].filter((sentence) => sentence !== undefined);
    show(detail === undefined ? 'connected' : 'degraded', detail);
  };
  return {
    connecting: () => {
      isOpen = false;
      if (failures === 0) show('connecting');
    },
    open: () => {
      failures = 0;
      isOpen = true;
      host.alive();
      working();
    },
    alive: () => {
      host.alive();
      working();
    },
    failed(sentence) {
      failures += 1;
      isOpen = false;
      show(failures < FAILURES_UNTIL_DOWN ? 'degraded' : 'down', sentence);
    },
    down(sentence) {
      isOpen = false;
      show('down', sentence);
    },
    limited(what, sentence) {
      if (sentence === undefined) limits.delete(what);
      else limits.set(what, sentence);
      if (isOpen) working();
    },
  };
}
