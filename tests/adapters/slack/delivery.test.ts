import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Attachment, DeliveryError, type OutboundAsk, type OutboundFile, type OutboundText } from '../../../adapters/adapter.ts';
import { createClient } from '../../../adapters/slack/client.ts';
import { fetchFile } from '../../../adapters/slack/download.ts';
import { isSlackAddress } from '../../../adapters/slack/hosts.ts';
import { contentOf } from '../../../adapters/slack/outgoing.ts';
import { splitForSlack } from '../../../adapters/slack/platform.ts';
import { BOT_TOKEN, type SlackFault } from '../../fakes/slack.ts';
import { CHANNEL, chatOf, DIRECT, QUICK, type SlackRig, startRig } from './rig.ts';

const text = (markdown: string, more: Partial<OutboundText> = {}): OutboundText => ({
  type: 'text',
  chat: chatOf(DIRECT),
  markdown,
  ...more,
});
const signal = (): AbortSignal => AbortSignal.timeout(8000);

let rig: SlackRig;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'slack-files-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeEach(async () => {
  rig = await startRig();
  await rig.connected();
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
  it.each<[string, SlackFault, Partial<DeliveryError>]>([
    ['blocks that Slack does not take', { error: 'invalid_blocks' }, { kind: 'rejected', certain: true, formatting: true }],
    ['an unknown channel', { error: 'channel_not_found' }, { kind: 'rejected', certain: true, formatting: false }],
    ['a channel without us', { error: 'not_in_channel' }, { kind: 'rejected', certain: true, formatting: false }],
    ['an archived channel', { error: 'is_archived' }, { kind: 'rejected', certain: true }],
    ['a text that is too long', { error: 'msg_too_long' }, { kind: 'rejected', certain: true, formatting: false }],
    ['blocks that are too long', { error: 'msg_blocks_too_long' }, { kind: 'rejected', certain: true, formatting: false }],
    ['an empty text', { error: 'no_text' }, { kind: 'rejected', certain: true }],
    ['a rule of the workspace', { error: 'restricted_action' }, { kind: 'rejected', certain: true }],
    ['a missing scope', { error: 'missing_scope', extra: { needed: 'chat:write' } }, { kind: 'rejected', certain: true }],
    ['an error that nobody documented', { error: 'something_new' }, { kind: 'rejected', certain: true }],
    ['a revoked token', { error: 'token_revoked' }, { kind: 'transient', certain: true }],
    ['a wrong token', { error: 'invalid_auth' }, { kind: 'transient', certain: true }],
    ['a removed app', { error: 'account_inactive' }, { kind: 'transient', certain: true }],
    ['a penalty', { status: 429, retryAfter: 37 }, { kind: 'rate_limited', certain: true, retryAfterMs: 37_000 }],
    ['a penalty of unknown length', { status: 429 }, { kind: 'rate_limited', certain: true, retryAfterMs: 30_000 }],
    ['a penalty that is told as an error', { error: 'ratelimited' }, { kind: 'rate_limited', certain: true }],
    ["Slack's own failure", { error: 'internal_error' }, { kind: 'transient', certain: false }],
    ['a service that is down', { error: 'service_unavailable' }, { kind: 'transient', certain: true }],
    ['503 from a proxy', { status: 503, body: '<html>' }, { kind: 'transient', certain: false }],
    ['403 from a proxy', { status: 403, body: '<html>' }, { kind: 'transient', certain: true }],
    ['413 from a proxy', { status: 413, body: '<html>' }, { kind: 'rejected', certain: true }],
    ['an answer that is none of Slack', { status: 200, body: '<html>sign in</html>' }, { kind: 'transient', certain: false }],
    ['a reset after the request was written', 'reset-before', { kind: 'transient', certain: false }],
    ['a reset instead of the answer', 'reset-after', { kind: 'transient', certain: false }],
    ['no answer within the deadline', 'hang', { kind: 'transient', certain: false }],
  ])('for %s', async (_title, how, expected) => {
    rig.fake.fail('chat.postMessage', how);
    const error = await failure(rig.adapter.send(text('x'), 'k', signal()));
    expect(error).toMatchObject(expected);
    expect(error.message).toMatch(/^Slack: .+\.$/);
    expect(`${error.message} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(BOT_TOKEN);
  });

  it('is certain when no connection came about', async () => {
    await rig.close();
    const error = await failure(rig.adapter.send(text('x'), 'k', signal()));
    expect(error).toMatchObject({ kind: 'transient', certain: true });
    expect(error.message).toContain('refused the connection');
  });

  it('is not tried again by anybody below the outbox', async () => {
    rig.fake.fail('chat.postMessage', 'reset-after');
    await failure(rig.adapter.send(text('once'), 'k', signal()));
    rig.fake.fail('chat.postMessage', { status: 429, retryAfter: 0 });
    await failure(rig.adapter.send(text('twice'), 'k', signal()));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(rig.fake.calls.filter(({ method }) => method === 'chat.postMessage')).toHaveLength(2);
    expect(rig.fake.messages(DIRECT)).toHaveLength(1);
  });
});

describe('a text', () => {
  it('neither shows previews of its links nor rings, nor has words read as names', async () => {
    await rig.adapter.send(text('<!channel> and <@U0PERSON1>, see https://example.org'), 'k', signal());
    const [call] = rig.fake.calls.filter(({ method }) => method === 'chat.postMessage');
    expect(call?.fields).toMatchObject({ unfurl_links: 'false', unfurl_media: 'false', link_names: 'false', parse: 'none' });
    expect(rig.fake.messages(DIRECT)).toMatchObject([{ text: '<!channel> and <@U0PERSON1>, see https://example.org', unfurl: false }]);
  });

  it('as it was written goes out when its formatting was refused', async () => {
    await rig.adapter.send(text('**x** & <y>', { plain: true }), 'k', signal());
    expect(rig.fake.messages(DIRECT)).toMatchObject([{ text: '**x** & <y>', source: '**x** &amp; &lt;y&gt;' }]);
  });

  it('of any kind is cut into parts that can be sent, edited and sent as they were written', async () => {
    const markdown = `${'**漢字** & <b> '.repeat(900)}\n\`\`\`js\n${'const x = 1 < 2;\n'.repeat(400)}\`\`\``;
    const parts = splitForSlack(markdown);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      const ref = await rig.adapter.send(text(part), 'k', signal());
      await rig.adapter.edit?.(ref, text(part), signal());
      await rig.adapter.edit?.(ref, text(part, { plain: true }), signal());
    }
    expect(rig.fake.messages(DIRECT)).toHaveLength(parts.length);
  });

  it('stays in its thread, also when that is gone', async () => {
    rig.fake.channel(CHANNEL);
    const error = await failure(rig.adapter.send(text('x', { chat: chatOf(CHANNEL, '1700000000.000001') }), 'k', signal()));
    expect(error).toMatchObject({ kind: 'rejected', formatting: false });
    expect(rig.fake.messages(CHANNEL)).toEqual([]);
  });

  it('that is gone cannot be edited, and is told so', async () => {
    const ref = await rig.adapter.send(text('x'), 'k', signal());
    await rig.adapter.delete?.(ref, signal());
    expect(await failure(rig.adapter.edit?.(ref, text('y'), signal()) ?? Promise.resolve())).toMatchObject({
      kind: 'rejected',
      certain: true,
    });
  });
});

describe('a card', () => {
  const ask = (more: Partial<OutboundAsk> = {}): OutboundAsk => ({
    type: 'ask',
    chat: chatOf(DIRECT),
    token: 'abcdefgh12345678',
    number: 3,
    markdown: 'May I run `rm -rf <dir>`?',
    choices: ['once', 'deny'].map((id) => ({ id, label: id })),
    hint: 'Or answer.',
    ...more,
  });

  it('keeps within the limits of blocks whatever it asks', async () => {
    const choices = Array.from({ length: 8 }, (_unused, index) => ({ id: `c${index}`, label: `${'漢&<'.repeat(20)}`.slice(0, 60) }));
    const [markdown = ''] = splitForSlack(`\`\`\`\n${'a & b < c\n'.repeat(300)}\`\`\``);
    const ref = await rig.adapter.send(ask({ markdown: markdown.slice(0, -300), choices }), 'k', signal());
    const [card] = rig.fake.messages(DIRECT);
    expect(card?.buttons).toHaveLength(8);
    await rig.adapter.edit?.(ref, ask({ markdown: markdown.slice(0, -300), choices: [], closed: 'Denied.' }), signal());
    expect(rig.fake.messages(DIRECT)).toMatchObject([{ buttons: [], edits: 1 }]);
  });

  it('reads plain as it will run', () => {
    const { blocks = [] } = contentOf(ask({ plain: true }));
    expect(JSON.stringify(blocks[0])).toContain('May I run rm -rf <dir>?');
    expect(JSON.stringify(blocks[0])).toContain('plain_text');
  });

  it('is decided by a click that only its person sees the answer to, in the thread of the card', async () => {
    const root = rig.fake.say('root', { channel: CHANNEL });
    await rig.adapter.send(ask({ chat: chatOf(CHANNEL, root) }), 'k', signal());
    rig.fake.click({ channel: CHANNEL, ts: rig.fake.messages(CHANNEL)[0]?.ts ?? '' }, 'deny', 'U0PERSON2');
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    const [answer] = rig.host.received;
    if (answer?.type !== 'answer') throw new Error('expected an answer');
    expect(answer).toMatchObject({ chat: chatOf(CHANNEL, root), chatType: 'group', choice: 'deny', sender: { id: 'U0PERSON2' } });
    await rig.adapter.respond?.(answer.interaction, 'Denied <for you>.', signal());
    expect(rig.fake.responses).toMatchObject([{ text: 'Denied <for you>.', ephemeral: true, thread: root, replacesCard: false }]);
  });

  it('says how to answer it in words that Slack lets through', () => {
    const { text } = contentOf(ask({ hint: 'Reply yes or no, or write /approve 3 or /deny 3; see and/or.' }));
    expect(text).toContain('Reply yes or no, or write !approve 3 or !deny 3; see and/or.');
  });

  it('is answered only at addresses of Slack', async () => {
    for (const response_url of ['https://evil.example.org/hook', 'http://hooks.slack.com/x', 'https://slack.com.evil.org/x'])
      expect(await failure(rig.adapter.respond?.({ response_url }, 'x', signal()) ?? Promise.resolve())).toMatchObject({
        kind: 'rejected',
      });
    expect(isSlackAddress('https://hooks.slack.com/actions/T1/2/3', 'https://slack.com/api')).toBe(true);
  });
});

describe('a slash command', () => {
  const given = async (words: string): Promise<Extract<SlackRig['host']['received'][number], { type: 'command' }>> => {
    rig.fake.command(words, { channel: CHANNEL });
    await rig.fake.waitFor(() => rig.host.received.length > 0);
    const event = rig.host.received.at(-1);
    if (event?.type !== 'command') throw new Error('expected a command');
    return event;
  };

  it('comes with its name and arguments, and is acknowledged', async () => {
    expect(await given('Model  gpt &amp; co')).toMatchObject({
      name: 'model',
      args: 'gpt & co',
      chat: chatOf(CHANNEL),
      sender: { id: 'U0PERSON1' },
    });
    await rig.fake.waitFor(() => rig.fake.unacknowledged() === 0);
  });

  it('without a name asks for help', async () => {
    expect(await given('  ')).toMatchObject({ name: 'help', args: '' });
  });

  it('is tried to be stored again within the time that Slack waits, because it is not sent again', async () => {
    rig.host.refusal = new Error('busy');
    rig.fake.command('status');
    await rig.fake.waitFor(() => rig.host.offers.length >= 2);
    rig.host.refusal = undefined;
    await rig.fake.waitFor(() => rig.host.received.length === 1 && rig.fake.unacknowledged() === 0);
    expect(rig.fake.sockets().ever).toBe(1);
  });

  it('is answered so that only its person sees it, also where the bot is not in the channel', async () => {
    rig.fake.channel(CHANNEL).member = false;
    const { interaction } = await given('status');
    const ref = await rig.adapter.send(text('**fine**', { chat: chatOf(CHANNEL), interaction }), 'k', signal());
    expect(rig.fake.responses).toMatchObject([{ text: 'fine', ephemeral: true }]);
    await rig.adapter.delete?.(ref, signal());
  });

  it('is answered in the channel when it is too late for that', async () => {
    const { interaction } = await given('status');
    rig.fake.channel(CHANNEL);
    rig.fake.expireResponses();
    await rig.adapter.send(text('late', { chat: chatOf(CHANNEL), interaction }), 'k', signal());
    expect(rig.fake.messages(CHANNEL)).toMatchObject([{ text: 'late' }]);
  });
});

describe('a file of ours', () => {
  const file = async (name: string, content: string | Buffer): Promise<OutboundFile> => {
    await writeFile(path.join(directory, name), content);
    return { type: 'file', chat: chatOf(DIRECT), path: path.join(directory, name), name, mime: 'text/plain', kind: 'file' };
  };

  it('is shown where it belongs, and can be taken back', async () => {
    const root = rig.fake.say('root', { channel: CHANNEL });
    const ref = await rig.adapter.send({ ...(await file('a b.txt', 'hello')), chat: chatOf(CHANNEL, root) }, 'k', signal());
    expect(rig.fake.messages(CHANNEL)).toMatchObject([{ thread: root, files: [{ name: 'a b.txt', size: 5 }] }]);
    await rig.adapter.delete?.(ref, signal());
    await rig.adapter.delete?.(ref, signal());
  });

  it('that fails before the last step was certainly not shown', async () => {
    const sent = await file('b.txt', 'hello');
    rig.fake.fail('files.getUploadURLExternal', 'reset-after');
    expect(await failure(rig.adapter.send(sent, 'k', signal()))).toMatchObject({ kind: 'transient', certain: true });
    rig.fake.fail('files.completeUploadExternal', 'reset-after');
    expect(await failure(rig.adapter.send(sent, 'k', signal()))).toMatchObject({ kind: 'transient', certain: false });
  });

  it('that is gone, empty or too large is refused before a call is made', async () => {
    const huge = await open(path.join(directory, 'huge'), 'w');
    await huge.truncate(1_000_000_001);
    await huge.close();
    const base = await file('empty', '');
    for (const name of ['empty', 'missing', 'huge'])
      expect(await failure(rig.adapter.send({ ...base, path: path.join(directory, name), name }, 'k', signal()))).toMatchObject({
        kind: 'rejected',
        certain: true,
      });
    expect(rig.fake.calls.some(({ method }) => method.startsWith('files.'))).toBe(false);
  });
});

describe('a file of a person', () => {
  const link = (limitBytes = 1000) => {
    const client = createClient({ token: BOT_TOKEN, root: rig.fake.root }, QUICK);
    return { client, timing: QUICK, token: BOT_TOKEN, root: rig.fake.root, limitBytes };
  };
  const sentFile = async (content: Buffer, more: Readonly<Record<string, unknown>> = {}): Promise<Attachment> => {
    rig.fake.say('look', { files: [rig.fake.addFile('pic.png', content, { mimetype: 'image/png', ...more })] });
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    const [event] = rig.host.received;
    const [attachment] = event?.type === 'message' ? event.attachments : [];
    if (attachment === undefined) throw new Error('no attachment came');
    return attachment;
  };
  const read = async (attachment: Attachment, limitBytes?: number): Promise<Buffer> =>
    Buffer.concat(await (await fetchFile(link(limitBytes), attachment, signal())).toArray());

  it('is a reference that is fetched with the token when it is asked for', async () => {
    const attachment = await sentFile(Buffer.from('pixels'));
    expect(attachment).toMatchObject({ kind: 'image', name: 'pic.png', mime: 'image/png', sizeBytes: 6 });
    expect((await read(attachment)).toString()).toBe('pixels');
  });

  it('of another workspace, which comes without an address, is asked for by its id', async () => {
    const attachment = await sentFile(Buffer.from('pixels'), { url_private: undefined, url_private_download: undefined });
    expect((await read(attachment)).toString()).toBe('pixels');
  });

  it('is refused when it is larger than allowed, whatever was announced', async () => {
    const attachment = await sentFile(Buffer.alloc(2000));
    expect(await failure(read(attachment, 1000))).toMatchObject({ kind: 'rejected' });
    const { sizeBytes: _hidden, ...unannounced } = attachment;
    expect(await failure(read(unannounced, 1000))).toMatchObject({ kind: 'rejected' });
  });

  it('is never fetched from anywhere else, so that the token stays with Slack', async () => {
    for (const url of [
      'https://evil.example.org/f',
      'http://files.slack.com/f',
      'https://files.slack.com.evil.org/f',
      'https://files.slack.com@evil.org/f',
    ])
      expect((await failure(fetchFile(link(), { kind: 'file', handle: { file: 'F1', url } }, signal()))).message).toContain(
        'not on a server of Slack',
      );
  });

  it('that the bot may not see leads to a page for people, which is no file', async () => {
    const attachment = await sentFile(Buffer.from('pixels'));
    expect((await failure(fetchFile({ ...link(), token: 'xoxb-wrong' }, attachment, signal()))).message).toContain('files:read');
  });
});

describe('a mark on a message', () => {
  it('shows that it was seen, and then what became of it', async () => {
    const id = rig.fake.say('work');
    const marks = () =>
      rig.fake
        .channel(DIRECT)
        .messages.find(({ ts }) => ts === id)
        ?.reactions.map(({ name }) => name);
    await rig.adapter.react?.({ chat: chatOf(DIRECT), id }, 'seen', signal());
    await rig.adapter.react?.({ chat: chatOf(DIRECT), id }, 'seen', signal());
    expect(marks()).toEqual(['eyes']);
    await rig.adapter.react?.({ chat: chatOf(DIRECT), id }, 'done', signal());
    expect(marks()).toEqual(['white_check_mark']);
  });

  it('can be switched off', async () => {
    const other = await startRig({ on: rig.fake, config: { reactions: false } });
    expect(other.adapter.react).toBeUndefined();
    await other.close();
  });
});

describe('that it works', () => {
  it('is shown in threads, and nowhere else', async () => {
    const root = rig.fake.say('root', { channel: CHANNEL });
    await rig.adapter.typing?.(chatOf(CHANNEL, root), signal());
    await rig.adapter.typing?.(chatOf(CHANNEL), signal());
    expect(rig.fake.statuses).toMatchObject([{ channel: CHANNEL, thread: root }]);
  });

  it('is not asked for again where Slack refuses it', async () => {
    const root = rig.fake.say('root', { channel: CHANNEL });
    rig.fake.fail('assistant.threads.setStatus', { error: 'missing_scope' }, 10);
    for (let times = 0; times < 3; times += 1) await rig.adapter.typing?.(chatOf(CHANNEL, root), signal());
    expect(rig.fake.calls.filter(({ method }) => method === 'assistant.threads.setStatus')).toHaveLength(1);
  });
});
