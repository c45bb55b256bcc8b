import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { Attachment } from '../../../adapters/adapter.ts';
import { type DownloadParts, fetchFile } from '../../../adapters/whatsapp/download.ts';

const KEY = randomBytes(32);

/** As WhatsApp keeps a file. */
function encrypted(content: Buffer): Buffer {
  const keys = Buffer.from(hkdfSync('sha256', KEY, Buffer.alloc(0), 'WhatsApp Document Keys', 112));
  const cipher = createCipheriv('aes-256-cbc', keys.subarray(16, 48), keys.subarray(0, 16));
  const body = Buffer.concat([cipher.update(content), cipher.final()]);
  const mac = createHmac('sha256', keys.subarray(48, 80)).update(keys.subarray(0, 16)).update(body).digest().subarray(0, 10);
  return Buffer.concat([body, mac]);
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Files = Readonly<Record<string, Buffer | number | 'hang'>>;

async function setup(files: Files, more: Partial<DownloadParts> = {}) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const file = files[request.url ?? ''] ?? 404;
    if (file === 'hang') return;
    if (typeof file === 'number') response.writeHead(file).end();
    else response.end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, parts: { root, limitBytes: 100_000, timeoutMs: 2000, line: () => undefined, ...more } };
}

const attachment = (path: string, more: Partial<Attachment> = {}): Attachment => ({
  kind: 'file',
  handle: {
    type: 'document',
    path,
    mediaKey: KEY.toString('base64'),
    key: { remoteJid: '49151222@s.whatsapp.net', id: 'A1', fromMe: false },
  },
  ...more,
});

const patience = () => AbortSignal.timeout(5000);
const read = async (stream: Promise<Readable>): Promise<Buffer> => buffer(await stream);

describe('a file that a person sent', () => {
  it.each([0, 1, 15, 16, 5000, 90_000])('of %i bytes is fetched and decrypted', async (size) => {
    const content = randomBytes(size);
    const { parts } = await setup({ '/v/file': encrypted(content) });
    expect(await read(fetchFile(parts, attachment('/v/file'), patience()))).toEqual(content);
  });

  it('is refused at its end when it was tampered with', async () => {
    const bytes = encrypted(randomBytes(1000));
    bytes[500] = (bytes[500] ?? 0) ^ 1;
    const { parts } = await setup({ '/v/file': bytes });
    await expect(read(fetchFile(parts, attachment('/v/file'), patience()))).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('tampered'),
    });
  });

  it('is refused when it is too large, as announced or as it comes', async () => {
    const { parts, asked } = await setup({ '/v/file': encrypted(randomBytes(150_000)) });
    await expect(fetchFile(parts, attachment('/v/file', { sizeBytes: 100_001 }), patience())).rejects.toMatchObject({ kind: 'rejected' });
    expect(asked).toEqual([]);
    await expect(read(fetchFile(parts, attachment('/v/file'), patience()))).rejects.toMatchObject({ kind: 'rejected' });
  });

  it('is asked for at the phone when WhatsApp has forgotten it', async () => {
    const content = randomBytes(100);
    const renewed: string[] = [];
    const renew = async ({ id }: { id: string }) => {
      renewed.push(id);
      return '/v/new';
    };
    const media = { upload: async () => ({}), renew };
    const line = () => ({ media }) as unknown as ReturnType<DownloadParts['line']>;
    const { parts } = await setup({ '/v/old': 410, '/v/new': encrypted(content) }, { line });
    expect(await read(fetchFile(parts, attachment('/v/old'), patience()))).toEqual(content);
    expect(renewed).toEqual(['A1']);
  });

  it('is gone when the phone has not got it either, and may come later when there is no connection', async () => {
    const media = { upload: async () => ({}), renew: () => Promise.reject(new Error('not on this phone')) };
    const line = () => ({ media }) as unknown as ReturnType<DownloadParts['line']>;
    const { parts } = await setup({}, { line });
    await expect(fetchFile(parts, attachment('/v/old'), patience())).rejects.toMatchObject({ kind: 'rejected' });
    await expect(fetchFile({ ...parts, line: () => undefined }, attachment('/v/old'), patience())).rejects.toMatchObject({
      kind: 'transient',
    });
  });

  it('may come later when WhatsApp fails or hangs, and not at all without an address', async () => {
    const { parts } = await setup({ '/v/broken': 503, '/v/hang': 'hang' });
    await expect(fetchFile(parts, attachment('/v/broken'), patience())).rejects.toMatchObject({ kind: 'transient', certain: true });
    await expect(fetchFile({ ...parts, timeoutMs: 50 }, attachment('/v/hang'), patience())).rejects.toMatchObject({ kind: 'transient' });
    await expect(fetchFile(parts, { kind: 'file', handle: { path: 7 } }, patience())).rejects.toMatchObject({ kind: 'rejected' });
    const stop = new AbortController();
    const attempt = fetchFile(parts, attachment('/v/hang'), stop.signal);
    setTimeout(() => stop.abort(new Error('stopped')), 20);
    await expect(attempt).rejects.toThrow('stopped');
  });
});
