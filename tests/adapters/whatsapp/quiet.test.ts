import { describe, expect, it } from 'vitest';
import { createLibraryLog, muteSessionDumps } from '../../../adapters/whatsapp/quiet.ts';

describe("the client library's own log", () => {
  it('says each thing once a minute with how often it was, and never what it was about', () => {
    const lines: string[] = [];
    const clock = { ms: 0 };
    const log = createLibraryLog({ info() {}, warn: (facts, line) => void lines.push(JSON.stringify([line, facts])) }, () => clock.ms);
    for (let count = 0; count < 10_000; count += 1)
      log.child({ class: 'x' }).error({ key: 'SECRET' }, `failed to decrypt 4915112345${count}@lid`);
    log.info({ key: 'SECRET' }, 'not worth a line');
    expect(lines).toEqual(['["WhatsApp client: failed to decrypt …",{}]']);
    clock.ms += 60_000;
    log.error({ key: 'SECRET' }, 'failed to decrypt 49151123456@lid');
    expect(lines.at(-1)).toBe('["WhatsApp client: failed to decrypt …",{"times":10000}]');
    expect(lines.join()).not.toContain('SECRET');
  });

  it('lets no session with its keys onto the console, and everything else', () => {
    const lines: unknown[][] = [];
    const write = (...values: unknown[]): void => void lines.push(values);
    const target = { info: write, warn: write, error: write, log: write };
    muteSessionDumps(target);
    muteSessionDumps(target);
    target.info('Closing session:', { privKey: 'SECRET' });
    target.error('Session error:MessageCounterError', 'stack');
    target.warn('Decrypted message with closed session.');
    target.info('listening');
    target.error(new Error('ours'));
    expect(lines).toEqual([['listening'], [new Error('ours')]]);
  });
});
