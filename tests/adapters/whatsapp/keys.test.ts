import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BufferJSON, initAuthCreds, proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../adapters/adapter.ts';
import { fromJson, toJson } from '../../../adapters/whatsapp/bytes.ts';
import { createKeyRing } from '../../../adapters/whatsapp/keys.ts';
import { temporaryHome, temporaryStore } from '../../gateway/support/home.ts';
import { createTestHost } from '../host.ts';

describe('the keys of the device', () => {
  it('come back as they were, bytes as bytes', () => {
    const { store } = createTestHost();
    const ring = createKeyRing(store);
    const creds = {
      ...initAuthCreds(),
      me: { id: '1@s.whatsapp.net' },
      account: proto.ADVSignedDeviceIdentity.create({ details: Buffer.from([1, 2]) }),
    };
    ring.saveCredentials(creds);
    const back = createKeyRing(store).credentials();
    expect(JSON.stringify(back, BufferJSON.replacer)).toBe(
      JSON.stringify({ ...creds, account: { details: Buffer.from([1, 2]) } }, BufferJSON.replacer),
    );
    expect(back?.['noiseKey']).toEqual(creds.noiseKey);
    ring.set({ session: { 'a.0': Buffer.from([1, 2, 3]) }, 'lid-mapping': { '49': '9' } });
    expect(ring.get('session', ['a.0', 'b.0'])).toEqual({ 'a.0': Buffer.from([1, 2, 3]) });
    expect(ring.get('lid-mapping', ['49'])).toEqual({ '49': '9' });
    ring.set({ session: { 'a.0': null } });
    expect(ring.get('session', ['a.0'])).toEqual({});
  });

  it('come back from the protocol library with their long numbers', () => {
    const data = proto.Message.AppStateSyncKeyData.fromObject({ keyData: Buffer.from([9]), timestamp: '1790000000000' });
    const back = proto.Message.AppStateSyncKeyData.fromObject(fromJson(toJson(data)) as object);
    expect(proto.Message.AppStateSyncKeyData.encode(back).finish()).toEqual(proto.Message.AppStateSyncKeyData.encode(data).finish());
  });

  it('are a link only once a phone has confirmed them', () => {
    const ring = createKeyRing(createTestHost().store);
    expect(ring.isLinked()).toBe(false);
    // What is there as soon as a pairing code was asked for.
    ring.saveCredentials({ ...initAuthCreds(), me: { id: '1@s.whatsapp.net' }, pairingCode: 'ABCDEFGH' });
    expect(ring.isLinked()).toBe(false);
    ring.saveCredentials({ ...initAuthCreds(), account: { details: Buffer.from([1]) } });
    expect(ring.isLinked()).toBe(true);
  });

  it('are cleared, all of them, and nothing else', () => {
    const kept = new Map<string, Json>([['who:9@lid', '49@s.whatsapp.net']]);
    const ring = createKeyRing(createTestHost(kept).store);
    ring.saveCredentials({ account: {} });
    ring.set({ 'pre-key': Object.fromEntries(Array.from({ length: 1200 }, (_unused, id) => [String(id), { public: Buffer.from([1]) }])) });
    ring.clear();
    expect([...kept.keys()]).toEqual(['who:9@lid']);
  });

  it('touch only what changed, in one transaction', () => {
    const { store } = createTestHost();
    const puts: string[][] = [];
    const ring = createKeyRing({ ...store, put: (entries) => void puts.push(Object.keys(entries)) });
    ring.set({ session: { a: Buffer.from([1]) }, 'pre-key': { 7: null } });
    expect(puts).toEqual([['auth:key:session:a', 'auth:key:pre-key:7']]);
  });
});

/** A round is four keys. In full: HERMES_KEY_ROUNDS=2500. */
const ROUNDS = Number(process.env['HERMES_KEY_ROUNDS'] ?? 240);

const writer = fileURLToPath(new URL('./key-writer.ts', import.meta.url));

/** Kills it once it has told so many rounds. Resolves with the last round that was told, or 'done'. */
function writeUntilKilled(home: string, from: number, rounds: { readonly to: number; readonly kill: number }): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [writer, home, String(from), String(rounds.to)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let last = '';
    let count = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = text.trim().split('\n');
      last = lines.at(-1) ?? last;
      count += lines.length;
      if (count >= rounds.kill) child.kill('SIGKILL');
    });
    child.on('close', () => resolve(last));
  });
}

describe('a process that is killed while it writes keys', { timeout: 60_000 }, () => {
  it(`never leaves a state that needs another link, over ${4 * ROUNDS} writes`, async () => {
    const home = temporaryHome();
    const to = ROUNDS;
    let next = 0;
    let kills = 0;
    while (next < to) {
      const last = await writeUntilKilled(home, next, { to, kill: 15 + ((kills * 37) % (ROUNDS / 6)) });
      const store = temporaryStore({ home });
      const ring = createKeyRing(store.accounts.open('whatsapp/main'));
      expect(ring.isLinked()).toBe(true);
      const { 'ann.0': one, 'ann.1': other } = ring.get('session', ['ann.0', 'ann.1']) as Record<string, { round: number; record: Buffer }>;
      expect(one).toEqual(other);
      expect(one?.record).toHaveLength(400);
      const told = last === 'done' ? to - 1 : Number(last);
      const nextPreKeyId = Number(ring.credentials()?.['nextPreKeyId']);
      expect(nextPreKeyId).toBeGreaterThanOrEqual(told);
      // A pre-key that the credentials count on is there.
      expect(ring.get('pre-key', [String(nextPreKeyId)])).toHaveProperty(String(nextPreKeyId));
      store.close();
      next = Math.max(next, told) + 1;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(3);
  });
});
