import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Attachment,
  type ChatRef,
  DeliveryError,
  type Json,
  type OutboundFile,
  type OutboundText,
} from '../../../adapters/adapter.ts';
import { createClient } from '../../../adapters/telegram/client.ts';
import { fetchFile } from '../../../adapters/telegram/download.ts';
import type { Fault } from '../../fakes/telegram.ts';
import { QUICK, startRig, type TelegramRig } from './rig.ts';

const chat: ChatRef = { platform: 'telegram', account: 'main', chat: '5' };
const group: ChatRef = { platform: 'telegram', account: 'main', chat: '-100500', thread: '77' };
const text = (markdown: string, more: Partial<OutboundText> = {}): OutboundText => ({ type: 'text', chat, markdown, ...more });
const signal = (): AbortSignal => AbortSignal.timeout(8000);

let kept: Map<string, Json>;
let rig: TelegramRig;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'telegram-files-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeEach(async () => {
  kept = new Map();
  rig = await startRig({ kept, config: { disable_link_previews: true } });
});
afterEach(() => rig.close());

async function failure(attempt: Promise<unknown>): Promise<DeliveryError> {
  const error: unknown = await attempt.then(
    () => 'it succeeded',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DeliveryError);
  return error as DeliveryError;
}

describe('a send that fails', () => {
  it.each<[string, Fault, Partial<DeliveryError>]>([
    [
      'broken markup',
      { status: 400, description: "Bad Request: can't parse entities: x" },
      { kind: 'rejected', certain: true, formatting: true },
    ],
    [
      'an unknown chat',
      { status: 400, description: 'Bad Request: chat not found' },
      { kind: 'rejected', certain: true, formatting: false },
    ],
    ['a text that is too long', { status: 400, description: 'Bad Request: message is too long' }, { kind: 'rejected', formatting: false }],
    ['a bot that was blocked', { status: 403, description: 'Forbidden: bot was blocked by the user' }, { kind: 'rejected', certain: true }],
    ['404', { status: 404, description: 'Not Found' }, { kind: 'rejected', certain: true }],
    ['413', { status: 413, description: 'Request Entity Too Large' }, { kind: 'rejected', certain: true }],
    ['413 from a proxy', { status: 413, body: '<html>too large</html>' }, { kind: 'rejected', certain: true }],
    ['a revoked token', { status: 401, description: 'Unauthorized' }, { kind: 'transient', certain: true }],
    ['a conflict', { status: 409, description: 'Conflict' }, { kind: 'transient', certain: true }],
    ['a penalty', { status: 429, parameters: { retry_after: 37 } }, { kind: 'rate_limited', certain: true, retryAfterMs: 37_000 }],
    ['a penalty from a proxy', { status: 429, body: 'slow down' }, { kind: 'rate_limited', certain: true }],
    ['500, which the Bot API documents as unsuccessful', { status: 500 }, { kind: 'transient', certain: true }],
    ['502, which says nothing about the message', { status: 502 }, { kind: 'transient', certain: false }],
    ['504 from a proxy', { status: 504, body: '<html>' }, { kind: 'transient', certain: false }],
    ['a reset after the request was written', 'reset-before', { kind: 'transient', certain: false }],
    ['a reset instead of the answer', 'reset-after', { kind: 'transient', certain: false }],
    ['an answer that breaks off', 'cut', { kind: 'transient', certain: false }],
    ['no answer within the deadline', 'hang', { kind: 'transient', certain: false }],
  ])('for %s', async (_title, how, expected) => {
    rig.fake.fail('sendMessage', how);
    const error = await failure(rig.adapter.send(text('x'), 'k', signal()));
    expect(error).toMatchObject(expected);
    expect(error.message).toMatch(/^Telegram: .+\.$/);
    expect(`${error.message} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(rig.fake.token);
  });

  it('is certain when no connection came about', async () => {
    await rig.fake.close();
    const error = await failure(rig.adapter.send(text('x'), 'k', signal()));
    expect(error).toMatchObject({ kind: 'transient', certain: true });
    expect(error.message).toContain('refused the connection');
  });

  it('is not tried again by anybody below the outbox', async () => {
    rig.fake.fail('sendMessage', 'reset-after');
    await failure(rig.adapter.send(text('once'), 'k', signal()));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(rig.fake.acceptedThenDropped.length).toBe(1);
    expect(rig.fake.messages(5).length).toBe(1);
  });
});

describe('where a message goes', () => {
  it('quotes what it answers, in the topic that it came from', async () => {
    const asked = rig.fake.inject({ chatId: -100_500, text: '@hermes_fake_bot hi' });
    const id = (asked.update['message'] as { message_id: number }).message_id;
    await rig.adapter.send(text('yes', { chat: group, replyTo: String(id) }), 'k', signal());
    expect(rig.fake.messages(-100_500)).toMatchObject([{ text: 'yes', threadId: 77, replyTo: id, linkPreview: false }]);
  });

  it('answers without a quote when the question is gone', async () => {
    await rig.adapter.send(text('still here', { replyTo: '999' }), 'k', signal());
    rig.fake.fail('sendMessage', { status: 400, description: 'Bad Request: message to be replied not found' });
    await rig.adapter.send(text('as well', { replyTo: '999' }), 'k', signal());
    expect(rig.fake.messages(5).map(({ text: seen, replyTo }) => [seen, replyTo])).toEqual([
      ['still here', undefined],
      ['as well', undefined],
    ]);
  });

  it('never leaves its topic, not even when that is closed for good', async () => {
    rig.fake.forgetThread(-100_500, 77);
    const error = await failure(rig.adapter.send(text('x', { chat: group }), 'k', signal()));
    expect(error).toMatchObject({ kind: 'rejected', formatting: false });
    expect(rig.fake.messages(-100_500)).toEqual([]);
  });

  it('follows a group that became a supergroup, for sends and edits, now and after a restart', async () => {
    const old: ChatRef = { ...chat, chat: '-4242' };
    rig.fake.fail(
      'sendMessage',
      {
        status: 400,
        description: 'Bad Request: group chat was upgraded to a supergroup chat',
        parameters: { migrate_to_chat_id: -1_004_242 },
      },
      (call) => call.chatId === -4242,
    );
    const ref = await rig.adapter.send(text('one', { chat: old }), 'k', signal());
    expect(ref.chat).toEqual(old);
    await rig.adapter.edit?.(ref, text('two', { chat: old }), signal());
    const again = await startRig({ kept, on: rig.fake });
    await again.adapter.send(text('three', { chat: old }), 'k', signal());
    await again.close();
    expect(rig.fake.messages(-1_004_242).map(({ text: seen }) => seen)).toEqual(['two', 'three']);
    expect(rig.fake.calls.filter(({ chatId }) => chatId === -4242).length).toBe(1);
  });

  it('knows the new group from the notice that Telegram sends', async () => {
    const from = { id: 1, is_bot: false, first_name: 'A' };
    rig.fake.inject({
      message: { message_id: 3, date: 1, chat: { id: -77, type: 'group', title: 'g' }, from, migrate_to_chat_id: -10_077 },
    });
    await rig.fake.waitFor(() => kept.has('migrated:-77'));
    await rig.adapter.send(text('moved', { chat: { ...chat, chat: '-77' } }), 'k', signal());
    expect(rig.fake.messages(-10_077).length).toBe(1);
  });
});

describe('a text that is not UTF-8', () => {
  it('arrives with a mark where half a character was', async () => {
    await rig.adapter.send(text('**half** \ud83d of it'), 'k', signal());
    await rig.adapter.send(text('half \ude00', { plain: true }), 'k', signal());
    expect(rig.fake.messages(5).map(({ text: seen }) => seen)).toEqual(['half \ufffd of it', 'half \ufffd']);
  });
});

describe('edits, typing and drafts', () => {
  it('rejects an edit of what is gone or no text', async () => {
    expect(await failure(rig.adapter.edit?.({ chat, id: '12345' }, text('x'), signal()) ?? Promise.resolve())).toMatchObject({
      kind: 'rejected',
    });
    const file: OutboundFile = { type: 'file', chat, path: '/nowhere', name: 'x', mime: 'x/y', kind: 'file' };
    expect(await failure(rig.adapter.edit?.({ chat, id: '1' }, file, signal()) ?? Promise.resolve())).toMatchObject({ kind: 'rejected' });
  });

  it('turns a progress bubble into its next state by an edit', async () => {
    const step = { tool: 'terminal', preview: 'ls', state: 'running' } as const;
    const bubble = { type: 'progress', chat, steps: [step], elapsedMs: 3000, done: false } as const;
    const ref = await rig.adapter.send(bubble, 'k', signal());
    await rig.adapter.edit?.(ref, { ...bubble, steps: [{ ...step, state: 'ok' }], done: true, elapsedMs: 5000 }, signal());
    expect(rig.fake.messages(5)).toMatchObject([{ text: 'Worked · 5 s\n✓ terminal: ls', edits: 1 }]);
  });

  it('types in the topic', async () => {
    await rig.adapter.typing?.(group, signal());
    expect(rig.fake.calls.at(-1)).toMatchObject({ method: 'sendChatAction', chatId: -100_500, threadId: 77, body: { action: 'typing' } });
  });

  it('previews an answer as a draft in private chats, one draft an answer, and not in groups', async () => {
    await rig.adapter.preview?.(chat, 'answer-1', '**so', signal());
    await rig.adapter.preview?.(chat, 'answer-1', '**so far**', signal());
    await rig.adapter.preview?.(chat, 'answer-2', 'other', signal());
    await rig.adapter.preview?.(group, 'answer-3', 'unseen', signal());
    expect([chat, group].map((where) => rig.adapter.previews?.(where))).toEqual([true, false]);
    expect(rig.fake.drafts(5)).toEqual(['**so', 'so far', 'other']);
    const ids = rig.fake.calls.filter(({ method }) => method === 'sendMessageDraft').map(({ body }) => body['draft_id']);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});

describe('drafts of long answers', () => {
  it('show the end of the answer, within a message', async () => {
    const lines = Array.from({ length: 2000 }, (_unused, index) => `line **${index}**`).join('\n');
    await rig.adapter.preview?.(chat, 'long', lines, signal());
    const [draft = ''] = rig.fake.drafts(5);
    expect(draft.length).toBeLessThanOrEqual(4096);
    expect(draft).toMatch(/^line \d+\n(.*\n)*line 1999$/);
  });

  it('are given up on a server that does not know them', async () => {
    rig.fake.fail('sendMessageDraft', { status: 404, description: 'Not Found: method not found' }, 99);
    expect(await failure(rig.adapter.preview?.(chat, 'a', 'x', signal()) ?? Promise.resolve())).toMatchObject({ kind: 'rejected' });
    expect(rig.adapter.previews?.(chat)).toBe(false);
    await rig.adapter.preview?.(chat, 'a', 'y', signal());
    expect(rig.fake.calls.filter(({ method }) => method === 'sendMessageDraft').length).toBe(1);
  });
});

describe('files', () => {
  const file = async (name: string, content: Buffer | string, more: Partial<OutboundFile>): Promise<OutboundFile> => {
    const where = path.join(directory, name);
    await writeFile(where, content);
    return { type: 'file', chat, path: where, name, mime: 'application/octet-stream', kind: 'file', ...more };
  };

  it('arrive as they are, by the method of their kind', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_unused, index) => index % 251));
    await rig.adapter.send(await file('a.png', bytes, { mime: 'image/png', kind: 'image' }), 'k', signal());
    await rig.adapter.send(await file('a "b" ü.pdf', bytes, { mime: 'application/pdf' }), 'k', signal());
    await rig.adapter.send(await file('v.ogg', bytes, { mime: 'audio/ogg', kind: 'voice' }), 'k', signal());
    const sent = rig.fake.messages(5);
    expect(sent.map(({ method }) => method)).toEqual(['sendPhoto', 'sendDocument', 'sendVoice']);
    for (const { file: arrived } of sent) expect(arrived?.content.equals(bytes)).toBe(true);
  });

  it('are rejected when they are gone, empty or too large, before anything is sent', async () => {
    const large = path.join(directory, 'large.bin');
    const handle = await open(large, 'w');
    await handle.truncate(50_000_001);
    await handle.close();
    const attempts: [OutboundFile, string][] = [
      [{ type: 'file', chat, path: path.join(directory, 'nothing'), name: 'nothing', mime: 'x/y', kind: 'file' }, 'nothing is gone'],
      [await file('empty.txt', '', {}), 'empty.txt is empty'],
      [{ type: 'file', chat, path: large, name: 'large.bin', mime: 'x/y', kind: 'file' }, 'larger than the 50 MB'],
    ];
    for (const [message, sentence] of attempts) {
      const error = await failure(rig.adapter.send(message, 'k', signal()));
      expect(error).toMatchObject({ kind: 'rejected', certain: true });
      expect(error.message).toContain(sentence);
    }
    expect(rig.fake.messages(5)).toEqual([]);
  });

  it('are told apart when Telegram finds them too large', async () => {
    rig.fake.fail('sendDocument', { status: 413, description: 'Request Entity Too Large' });
    expect(await failure(rig.adapter.send(await file('x.bin', 'x', {}), 'k', signal()))).toMatchObject({ kind: 'rejected', certain: true });
  });

  const attachment = (id: string, more: Partial<Attachment> = {}): Attachment => ({ kind: 'file', handle: { file_id: id }, ...more });
  const fetched = async (given: Attachment): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of (await rig.adapter.fetch?.(given, signal())) ?? []) chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  it('are fetched as they were sent', async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_unused, index) => index % 253));
    const id = rig.fake.addFile('documents/file 1.bin', bytes);
    expect((await fetched(attachment(id))).equals(bytes)).toBe(true);
  });

  it('are not fetched when they are announced or found to be too large', async () => {
    const calls = rig.fake.calls.length;
    expect(await failure(fetched(attachment('any', { sizeBytes: 20_000_001 })))).toMatchObject({ kind: 'rejected' });
    expect(rig.fake.calls.slice(calls).some(({ method }) => method === 'getFile')).toBe(false);
    rig.fake.fail('getFile', { status: 400, description: 'Bad Request: file is too big' });
    expect((await failure(fetched(attachment('any')))).message).toContain('20 MB');
  });

  it('are cut off while they arrive when they are larger than they should be', async () => {
    const id = rig.fake.addFile('liar.bin', Buffer.alloc(300_000));
    const client = createClient({ token: rig.fake.token, root: rig.fake.root, pollMs: 1000 }, QUICK);
    const stream = await fetchFile({ client, timing: QUICK, limitBytes: 100_000 }, attachment(id), signal());
    const read = async (): Promise<void> => {
      for await (const _chunk of stream);
    };
    expect(await failure(read())).toMatchObject({ kind: 'rejected' });
  });

  it('are rejected when Telegram no longer has them', async () => {
    expect(await failure(fetched(attachment('unknown')))).toMatchObject({ kind: 'rejected' });
    expect(await failure(fetched({ kind: 'file', handle: 'nonsense' }))).toMatchObject({ kind: 'rejected' });
  });
});
