import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { Attachment } from '../../../adapters/adapter.ts';
import { PERSON, type RigOptions, startRig } from './rig.ts';

const patience = (): AbortSignal => AbortSignal.timeout(8000);
const file = (content: string) => ({ field: 'files[0]', name: 'plan.pdf', type: 'application/pdf', content: Buffer.from(content) });

/** Somebody sent a file. */
async function sent({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, content: string, options: RigOptions = {}) {
  const rig = await startRig(options);
  onTestFinished(rig.close);
  const { fake, host } = rig;
  fake.say({ channel: fake.dm(PERSON), text: '', files: [file(content)] });
  await fake.waitFor(() => host.received.length === 1);
  const [event] = host.received;
  const attachment = event?.type === 'message' ? event.attachments[0] : undefined;
  if (attachment === undefined) throw new Error('no attachment');
  return { ...rig, attachment };
}

describe.concurrent('a file that somebody sent', () => {
  let elsewhere: Server;
  let asked = 0;
  beforeAll(async () => {
    elsewhere = createServer((_request, response) => {
      asked += 1;
      response.end('secret');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void elsewhere.close());

  it('is told with its name, type and size, and fetched only when it is asked for', async (t) => {
    const { adapter, attachment, fake } = await sent(t, 'the content');
    expect(attachment).toMatchObject({ kind: 'file', name: 'plan.pdf', mime: 'application/pdf', sizeBytes: 11 });
    expect(await adapter.fetch?.(attachment, patience()).then(buffer)).toEqual(Buffer.from('the content'));
    expect(fake.calls.filter(({ path }) => path.startsWith('/channels'))).toEqual([]);
  });

  it('is found under a new address when the old one has run out', async (t) => {
    const { adapter, attachment, fake } = await sent(t, 'still there');
    fake.expireFiles();
    expect(await adapter.fetch?.(attachment, patience()).then(buffer)).toEqual(Buffer.from('still there'));
  });

  it('that was deleted with its message is gone for good', async (t) => {
    const { adapter, attachment, fake } = await sent(t, 'x');
    const channel = fake.dm(PERSON);
    for (const message of fake.world.messages.get(channel) ?? []) fake.world.remove(message);
    fake.expireFiles();
    await expect(adapter.fetch?.(attachment, patience())).rejects.toMatchObject({
      kind: 'rejected',
      message: 'Discord: the file was deleted.',
    });
  });

  it('that says it is too large is not fetched, and one that lies about its size is cut off', async (t) => {
    const { adapter, attachment } = await sent(t, 'x'.repeat(5000), { config: { max_attachment_bytes: 1000 } });
    await expect(adapter.fetch?.(attachment, patience())).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('larger'),
    });
    const { sizeBytes: _unsaid, ...modest } = attachment;
    const stream = await adapter.fetch?.(modest, patience());
    await expect(stream === undefined ? '' : buffer(stream)).rejects.toMatchObject({ kind: 'rejected' });
  });

  it.for([
    ['on another host', (): string => `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/x`],
    ['on the host of the API under another scheme', (): string => 'file:///etc/passwd'],
    ['at no address at all', (): string => 'nonsense'],
    ["on a host that only looks like Discord's", (): string => 'https://cdn.discordapp.com.evil.example/x'],
    ['behind a name and a password', (): string => 'https://cdn.discordapp.com@evil.example/x'],
  ] as const)('is never fetched %s', async ([, address], t) => {
    const { adapter, attachment } = await sent(t, 'x');
    const forged: Attachment = { ...attachment, handle: { url: address(), id: '1', channel: '2', message: '3' } };
    await expect(adapter.fetch?.(forged, patience())).rejects.toMatchObject({ kind: 'rejected', certain: true });
    expect(asked).toBe(0);
  });

  it('is not looked for behind a redirect', async (t) => {
    const { adapter, attachment, fake, close } = await sent(t, 'x');
    await close();
    const target = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/x`;
    const turncoat = createServer((_request, response) => response.writeHead(302, { location: target }).end());
    await new Promise<void>((resolve) => turncoat.listen(Number(new URL(fake.root).port), '127.0.0.1', resolve));
    t.onTestFinished(() => void turncoat.close());
    await expect(adapter.fetch?.(attachment, patience())).rejects.toMatchObject({ kind: 'transient' });
    expect(asked).toBe(0);
  });

  it('with a reference that is none of ours is refused', async (t) => {
    const { adapter, attachment } = await sent(t, 'x');
    await expect(adapter.fetch?.({ ...attachment, handle: { sticker: '../../x.png' } }, patience())).rejects.toMatchObject({
      kind: 'rejected',
    });
  });
});
