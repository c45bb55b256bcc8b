import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LinkOffer } from '../../../adapters/linking.ts';
import { terminalQr } from '../../../gateway/cli/terminal-qr.ts';
import { type ControlSocket, controlSocketPath, createControlSocket } from '../../../gateway/http/control-socket.ts';
import { qrRows } from '../../../gateway/http/qr.ts';
import type { LinkState } from '../../../gateway/link-state.ts';
import { controlHandlers } from '../http/fixture.ts';
import { hermes, temporaryHome } from './hermes.ts';

let place: ReturnType<typeof temporaryHome>;
let socket: ControlSocket | undefined;
let calls: string[];
beforeEach(() => {
  place = temporaryHome();
  calls = [];
});
afterEach(async () => {
  await socket?.close();
  place.remove();
});

interface Script {
  /** What there is to do, after each call that changes something. */
  readonly offer: (calls: readonly string[]) => LinkOffer | undefined;
  readonly state?: (calls: readonly string[]) => LinkState['state'];
  readonly detail?: string;
}

async function daemon({ offer, state = () => 'down', detail }: Script): Promise<void> {
  let looks = 0;
  const links = {
    all: (): LinkState[] => {
      looks += 1;
      const shown = offer([...calls, ...Array.from({ length: looks }, () => 'look')]);
      const now = state([...calls, ...Array.from({ length: looks }, () => 'look')]);
      const about = { ...(shown === undefined ? {} : { offer: shown }), ...(detail === undefined ? {} : { detail }) };
      return [{ platform: 'whatsapp', account: 'main', label: 'WhatsApp', state: now, ...about }];
    },
    accept: () => calls.push('accept') > 0,
    code: (_place: unknown, phone: string) => calls.push(`code ${phone}`) > 0,
  };
  socket = createControlSocket({
    path: controlSocketPath(place.home),
    handlers: controlHandlers({ links }),
    log: { info() {}, warn() {} },
  });
  await socket.listen();
}

const run = (...argv: string[]) => hermes(['whatsapp', 'link', ...argv], { home: place.home });
const warning: LinkOffer = { type: 'warning', text: 'The number may be banned.' };
const later = 4_000_000_000_000;

describe('hermes whatsapp link', { timeout: 20_000 }, () => {
  test('shows the warning, goes on with --yes, shows the code to scan and ends when the phone has agreed', async () => {
    await daemon({
      offer: (done) => (done.includes('accept') ? { type: 'qr', qr: '2@abc', expiresAtMs: later } : warning),
      state: (done) => (done.filter((call) => call === 'look').length > 2 ? 'connected' : 'down'),
    });
    const { code, out } = await run('--yes');
    expect(code).toBe(0);
    expect(out).toContain('The number may be banned.');
    expect(out).toContain(terminalQr(qrRows('2@abc')));
    expect(out).toContain('Linked.');
    expect(calls).toEqual(['accept']);
  });

  test('does not say that a linked account is connected while it is not, and says what is wrong', async () => {
    await daemon({ offer: () => undefined, state: () => 'degraded', detail: 'WhatsApp is not available at the moment (503).' });
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(out).toContain('not available at the moment (503)');
    expect(out).not.toContain('is connected');
  });

  test('does not wait for a phone where the account is stopped, and says why it is', async () => {
    await daemon({ offer: () => undefined, state: () => 'stopped', detail: 'WhatsApp refuses this number (403).' });
    const { code, err } = await run();
    expect(code).toBe(1);
    expect(err).toContain('refuses this number (403)');
  });

  test('asks for a code that is typed, and shows that instead', async () => {
    await daemon({
      offer: (done) =>
        done.some((call) => call.startsWith('code'))
          ? { type: 'code', code: 'ABCD-EFGH', expiresAtMs: later }
          : { type: 'qr', qr: '2@abc', expiresAtMs: later },
      state: (done) => (done.filter((call) => call === 'look').length > 2 ? 'connected' : 'down'),
    });
    const { code, out } = await run('--phone', '+49 151 2345-6789');
    expect(code).toBe(0);
    expect(calls).toEqual(['code 4915123456789']);
    expect(out).toContain('ABCD-EFGH');
    expect(out).not.toContain('█');
  });

  test('agrees to nothing by itself', async () => {
    await daemon({ offer: () => warning });
    const { code, err } = await run();
    expect(code).toBe(1);
    expect(err).toContain('--yes');
    expect(calls).toEqual([]);
  });

  test('says what to do where WhatsApp is not switched on, or the number is none', async () => {
    socket = createControlSocket({
      path: controlSocketPath(place.home),
      handlers: controlHandlers({ links: { all: () => [], accept: () => false, code: () => false } }),
      log: { info() {}, warn() {} },
    });
    await socket.listen();
    expect((await run('--yes')).err).toContain('WHATSAPP_ENABLED=true');
    expect((await run('--phone', 'mine')).err).toContain('country code');
  });
});
