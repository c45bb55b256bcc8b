import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Attachment, DeliveryError } from '../../adapters/adapter.ts';
import type { Part } from '../../agent/message.ts';
import { type Accounts, createAccounts } from '../../gateway/accounts.ts';
import { createGuard } from '../../gateway/guarded-adapter.ts';
import { createMedia } from '../../gateway/media.ts';
import { createFakePlatform, type FakePlatformOptions } from '../fakes/platform.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { temporaryHome, temporaryStore } from './support/home.ts';
import { message, type Said } from './support/inbound.ts';
import { memoryLog } from './support/log.ts';
import { never, scriptedModel } from './support/model.ts';
import { transcriptOf } from './support/transcript.ts';

const bytes = (size: number) => () => Readable.from([Buffer.alloc(size, 1)]);

interface Sent {
  readonly attachment: Attachment;
  readonly file?: () => Readable;
  readonly platform?: FakePlatformOptions;
  readonly vision?: boolean;
}

/** What the model's message holds after a message with one attachment; the next, text-only turn must work. */
async function partsOf({ attachment, file, platform, vision = true }: Sent): Promise<{ parts: readonly Part[]; gateway: Gateway }> {
  const files = file === undefined ? {} : { x: file };
  const model = scriptedModel(() => 'ok', { vision });
  const gateway = await startGateway({ model, platform: createFakePlatform({ files, ...platform }) });
  gateway.say('ann', 'look', { attachments: [attachment] });
  await gateway.idle();
  const [first] = transcriptOf(gateway.store, 'ann');
  gateway.say('ann', 'and now?');
  await gateway.idle();
  expect(gateway.answers('ann')).toEqual(['ok', 'ok']);
  return { parts: first?.role === 'user' ? first.content : [], gateway };
}

const text = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : `<image ${part.mime}>`)).join('\n');

const image: Attachment = { kind: 'image', handle: 'x', mime: 'image/png', name: 'cat.png' };

describe('an image', () => {
  it('goes to a model that sees, from a file in the turn’s own directory', async () => {
    const { parts, gateway } = await partsOf({ attachment: image, file: bytes(2048) });
    expect(text(parts)).toBe('look\n<image image/png>');
    const [, shown] = parts;
    if (shown?.type !== 'image') throw new Error('no image');
    expect(path.dirname(shown.path)).toBe(path.join(gateway.home, 'media', '1'));
    expect(readFileSync(shown.path)).toHaveLength(2048);
    expect(shown.note).toBe(`[attachment: image "cat.png", 2 KB, stored at ${shown.path}; an image]`);
  });

  it.each<[string, Sent, RegExp]>([
    ['of no bytes', { attachment: image, file: () => Readable.from([]) }, /image "cat\.png", 0 bytes, stored at .+; it is empty\]$/],
    ['for a model that does not see', { attachment: image, vision: false }, /stored at .+; the model does not see images\]$/],
    [
      'of a type that no model takes',
      { attachment: { ...image, mime: 'image/heic' } },
      /; image\/heic is no image type that a model accepts\]$/,
    ],
    [
      'that is larger than a model takes',
      { attachment: image, file: bytes(5 * 1024 * 1024), platform: { limits: { downloadBytes: 10 ** 8 } } },
      /5\.0 MB, stored at .+; it is larger than the 4\.0 MB that a model accepts\]$/,
    ],
    [
      'that says itself that it is larger than the platform hands out',
      { attachment: { ...image, sizeBytes: 30 * 1024 * 1024 } },
      /30\.0 MB, not stored; it is larger than the 1\.0 MB that can be fetched\]$/,
    ],
    [
      'that lies about its size',
      { attachment: { ...image, sizeBytes: 10 }, file: bytes(2 * 1024 * 1024) },
      /not stored; it could not be fetched\]$/,
    ],
    ['whose stream breaks', { attachment: image, file: brokenStream }, /not stored; it could not be fetched\]$/],
    [
      'on a platform that hands out no files',
      { attachment: image, platform: { capabilities: ['typing'] } },
      /not stored; this platform does not hand out files\]$/,
    ],
  ])('%s becomes one line that says why, and the turn runs', async (_title, sent, line) => {
    const { parts } = await partsOf(sent);
    expect(text(parts).split('\n')).toEqual(['look', expect.stringMatching(line)]);
  });

  it('that the platform refuses to hand out becomes one line, and leaves no half file', async () => {
    const platform = createFakePlatform();
    platform.fail({ on: 'fetch', throws: new DeliveryError('gone', { kind: 'rejected', certain: true }) });
    const gateway = await startGateway({ platform });
    gateway.say('ann', '', { attachments: [image] });
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: [attachment: image "cat.png", not stored; it could not be fetched]']);
    expect(readdirSync(path.join(gateway.home, 'media', '1'))).toEqual([]);
  });
});

describe('what is not an image', () => {
  it.each<[Attachment['kind'], string]>([
    ['voice', 'speech is not transcribed by this gateway'],
    ['audio', 'speech is not transcribed by this gateway'],
    ['video', 'only its name and path are shown; read it with a tool if you need it'],
    ['file', 'only its name and path are shown; read it with a tool if you need it'],
    ['sticker', 'only its name and path are shown; read it with a tool if you need it'],
  ])('a %s becomes one honest line and a file that tools can read', async (kind, why) => {
    const { parts } = await partsOf({ attachment: { kind, handle: 'x' }, file: bytes(3000) });
    const line = text(parts).split('\n')[1] ?? '';
    expect(line).toMatch(new RegExp(`^\\[attachment: ${kind}, 3 KB, stored at (.+); ${why}\\]$`));
    expect(existsSync(/stored at (.+?);/.exec(line)?.[1] ?? '')).toBe(true);
  });

  it('60 at once are 60 lines', async () => {
    const model = scriptedModel(() => 'ok', { vision: true });
    const gateway = await startGateway({ model });
    gateway.say('ann', 'look', { attachments: Array.from({ length: 60 }, () => image) });
    await gateway.idle();
    const [first] = transcriptOf(gateway.store, 'ann');
    expect(first?.role === 'user' && first.content).toHaveLength(61);
    expect(readdirSync(path.join(gateway.home, 'media', '1'))).toHaveLength(60);
  });
});

describe('what somebody has put in the place of a file beforehand', () => {
  it.each<[string, (home: string, victim: string) => void]>([
    ['is not written through', (home, victim) => symlinkSync(victim, path.join(home, 'media', '1', 'm-e-1-cat.png'))],
    ['does not lead elsewhere', (home, victim) => swapForLink(path.join(home, 'media', '1'), path.dirname(victim))],
  ])('%s', async (_title, prepare) => {
    const platform = createFakePlatform({ files: { x: bytes(2048) } });
    const gateway = await startGateway({ platform });
    const elsewhere = temporaryHome();
    const victim = path.join(elsewhere, 'm-e-1-cat.png');
    writeFileSync(victim, 'untouched');
    mkdirSync(path.join(gateway.home, 'media', '1'));
    prepare(gateway.home, victim);
    gateway.receive([message('look', { event: 'e', attachments: [image] })]);
    await gateway.idle();
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect(lstatSync(path.join(gateway.home, 'media', '1', 'm-e-1-cat.png')).size).toBe(2048);
  });

  function swapForLink(directory: string, other: string): void {
    rmSync(directory, { recursive: true });
    symlinkSync(other, directory);
  }
});

describe('an album', () => {
  it('is one turn with all its items', async () => {
    const model = scriptedModel(() => 'ok', { vision: true });
    const gateway = await startGateway({ model });
    gateway.receive([message('two cats', { album: 'a', attachments: [image] }), message('', { album: 'a', attachments: [image] })]);
    await gateway.idle();
    expect(model.requests).toHaveLength(1);
    const [first] = transcriptOf(gateway.store, 'ann');
    expect(text(first?.role === 'user' ? first.content : [])).toBe('two cats\n<image image/png>\n<image image/png>');
  });
});

describe('a hostile file name', () => {
  const names = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(
      '../../etc/passwd',
      '..',
      '.',
      '/etc/passwd',
      '~/.ssh/id_rsa',
      'a\0.png',
      '．．／etc',
      'CON',
      '',
      ' ',
      '.env',
      '-rf',
      '\u202egnp.exe',
    ),
    fc.integer({ min: 60, max: 400 }).map((length) => '猫'.repeat(length)),
    fc.integer({ min: 60, max: 400 }).map((length) => `${'😀𝒳'.repeat(length)}.png`),
  );

  it('stays in the turn’s directory, is kept whole, and stands on one line', async () => {
    const root = temporaryHome();
    const platform = createFakePlatform();
    const accounts = await accountsOf(platform);
    const media = createMedia({ root, accounts, vision: () => true, log: memoryLog() });
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(names, fc.oneof(names, fc.constant('1'.repeat(60))), async (name, id) => {
        turn += 1;
        const event = { ...message('', { attachments: [{ kind: 'file', handle: 'x', name }] }), message: id };
        const [part] = await media.collect(turn, event, AbortSignal.timeout(5000));
        if (part?.type !== 'text') throw new Error('no line');
        expect(part.text).not.toMatch(/[\n\r\0\u202e]/);
        expect(part.text).toContain('stored at');
        expect(readdirSync(path.join(root, String(turn)))).toHaveLength(1);
        expect(readdirSync(root).sort()).toEqual(Array.from({ length: turn }, (_, index) => `${index + 1}`).sort());
      }),
      { numRuns: 150 },
    );
  });
});

describe('a kill while files are fetched', () => {
  const group: Said = { chatType: 'group', from: { id: 'ann', name: 'Ann' }, attachments: [image] };

  it('fetches them again, and the model reads the same as without the kill', async () => {
    const platform = createFakePlatform();
    platform.fail({ on: 'fetch', hang: true });
    const keys = { group_sessions_per_user: false, thread_sessions_per_user: false };
    const first = await startGateway({ platform, rules: { keys } });
    const before = await startGateway({
      platform: createFakePlatform(),
      rules: { keys },
    });
    before.say('team', 'look', group);
    await before.idle();
    first.say('team', 'look', group);
    await vi.waitFor(() => expect(platform.calls.map(({ kind }) => kind)).toContain('fetch'));
    const next = await startGateway({ platform: createFakePlatform(), home: first.kill(), rules: { keys } });
    await next.idle();
    const read = (gateway: Gateway) =>
      gateway.answers('team').map((answer) => answer.replaceAll(gateway.home, '').replace(/m-event-\d+/g, 'm'));
    expect(read(next)).toEqual(read(before));
    expect(read(next)[0]).toContain('[Ann] look');
  });

  it('does not forget to tell the model that its last answer was lost', async () => {
    const platform = createFakePlatform({ capabilities: ['fetch'] });
    platform.fail({ throws: new DeliveryError('too long', { kind: 'rejected', certain: true }) });
    platform.fail({ on: 'fetch', hang: true });
    const first = await startGateway({ platform });
    first.say('ann', 'one');
    await first.idle();
    first.say('ann', 'two', { attachments: [image] });
    await vi.waitFor(() => expect(platform.calls.map(({ kind }) => kind)).toContain('fetch'));
    const model = scriptedModel(() => 'ok');
    const next = await startGateway({ platform: createFakePlatform(), home: first.kill(), model });
    await next.idle();
    expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain('did not reach the person: too long');
  });
});

describe('nothing is fetched', () => {
  it('for a stranger', async () => {
    const platform = createFakePlatform({ config: { allowed_users: ['ann'] } });
    const gateway = await startGateway({ platform });
    gateway.say('mallory', 'look', { attachments: [image] });
    await gateway.idle();
    expect(platform.calls).toEqual([]);
  });

  it('after a stop of the gateway, which does not wait for it', async () => {
    const platform = createFakePlatform();
    platform.fail({ on: 'fetch', hang: true });
    const gateway = await startGateway({ platform, model: scriptedModel((_request, signal) => never(signal)) });
    gateway.say('ann', 'look', { attachments: [image] });
    await vi.waitFor(() => expect(platform.calls.map(({ kind }) => kind)).toContain('fetch'));
    await gateway.stop();
    expect(gateway.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

function brokenStream(): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.alloc(100);
      throw new Error('ECONNRESET');
    })(),
  );
}

async function accountsOf(platform: ReturnType<typeof createFakePlatform>): Promise<Accounts> {
  const guard = createGuard({ redact: (text) => text, mediaRoot: temporaryHome() });
  const ports = { store: temporaryStore(), log: memoryLog(), now: Date.now, receive: () => undefined, alert: () => undefined, guard };
  const accounts = createAccounts(ports);
  await accounts.add(platform, []);
  return accounts;
}
