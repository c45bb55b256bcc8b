import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callControl, NoDaemonError } from '../../../gateway/http/control-client.ts';
import { type ControlSocket, controlSocketPath, createControlSocket } from '../../../gateway/http/control-socket.ts';
import { ask, controlHandlers, status } from './fixture.ts';

const signal = (): AbortSignal => AbortSignal.timeout(5000);
const log = { info: () => {}, warn: () => {} };

let home: string;
const open: ControlSocket[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
});
afterEach(async () => {
  for (const socket of open.splice(0)) await socket.close();
  rmSync(home, { recursive: true });
});

async function listening(handlers = controlHandlers()): Promise<string> {
  const path = controlSocketPath(home);
  const socket = createControlSocket({ path, handlers, log });
  await socket.listen();
  open.push(socket);
  return path;
}

async function post(socketPath: string, route: string, body: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method: 'POST', path: route, agent: false }, async (response) => {
      resolve(JSON.parse((await response.toArray()).join('')));
    });
    sent.on('error', reject).end(body);
  });
}

describe('the control socket', () => {
  it('answers the owner what the page is answered', async () => {
    const path = await listening(controlHandlers({ signInLink: () => 'http://127.0.0.1:9119/#code=x' }));
    expect(await callControl(path, { method: 'GET', route: '/api/status' }, signal())).toEqual(status);
    expect(await callControl(path, { method: 'POST', route: '/api/sign-in-links' }, signal())).toEqual({
      link: 'http://127.0.0.1:9119/#code=x',
    });
  });

  it('"not ready" is an answer and no failure', async () => {
    const path = await listening(controlHandlers({ ready: () => ({ ready: false, accounts: [] }) }));
    expect(await callControl(path, { method: 'GET', route: '/readyz' }, signal())).toEqual({ ready: false, accounts: [] });
  });

  it('passes the sentence of a refusal on', async () => {
    const path = await listening();
    await expect(callControl(path, { method: 'POST', route: '/api/sign-in-links' }, signal())).rejects.toThrow('web.enabled');
    await expect(callControl(path, { method: 'GET', route: '/api/other' }, signal())).rejects.toThrow('no such control route');
  });

  it('takes a decision as the page does', async () => {
    const decided: unknown[] = [];
    const answerAsk = (...decision: unknown[]) => {
      decided.push(decision);
      return { done: true, text: 'Denied.' };
    };
    const path = await listening(controlHandlers({ asks: () => [ask], answerAsk }));
    expect(await callControl(path, { method: 'GET', route: '/api/asks' }, signal())).toEqual({ asks: [ask] });
    expect(await post(path, '/api/asks/7/answer', '{"choice":"deny"}')).toEqual({ text: 'Denied.' });
    expect(decided).toEqual([[7, 'deny']]);
    for (const body of ['', '{"choice":', `{"choice":"${'x'.repeat(100_000)}"}`]) {
      expect(await post(path, '/api/asks/7/answer', body)).toEqual({ error: expect.stringContaining('A decision is') });
    }
    for (const route of ['/api/asks//answer', '/api/asks/7/answer/', '/api/asks/7', '/api/asks/7/answer/x']) {
      expect(await post(path, route, '{"choice":"deny"}')).toEqual({ error: expect.stringMatching(/no such/) });
    }
    expect(decided).toHaveLength(1);
  });

  it('keeps other users out by its directory and its own mode', async () => {
    const before = process.umask();
    const path = await listening();
    expect(process.umask()).toBe(before);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('closes a directory that was left open to others', async () => {
    mkdirSync(join(home, 'run'), { mode: 0o777 });
    const path = await listening();
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it('does not follow a link that somebody put in its place', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    symlinkSync(elsewhere, join(home, 'run'));
    await expect(listening()).rejects.toThrow('not a directory of this user');
    rmSync(elsewhere, { recursive: true });
  });

  it('says that no daemon runs, and how to start one', async () => {
    const path = controlSocketPath(home);
    await expect(callControl(path, { method: 'GET', route: '/api/status' }, signal())).rejects.toThrow(NoDaemonError);
    await expect(callControl(path, { method: 'GET', route: '/api/status' }, signal())).rejects.toThrow('hermes gateway run');
  });

  it('takes over from a daemon that was killed', async () => {
    const path = controlSocketPath(home);
    mkdirSync(dirname(path), { recursive: true });
    const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await new Promise((resolve) => spawn(process.execPath, ['-e', script]).once('exit', resolve));
    expect(existsSync(path)).toBe(true);
    await expect(callControl(path, { method: 'GET', route: '/api/status' }, signal())).rejects.toThrow(NoDaemonError);
    await listening();
    expect(await callControl(path, { method: 'GET', route: '/api/status' }, signal())).toEqual(status);
  });

  it('does not take the place of a daemon that answers', async () => {
    const path = await listening();
    await expect(listening()).rejects.toThrow('Another gateway answers');
    expect(await callControl(path, { method: 'GET', route: '/api/status' }, signal())).toEqual(status);
  });

  it('removes its file when it closes', async () => {
    const path = await listening();
    await open.pop()?.close();
    expect(existsSync(path)).toBe(false);
  });

  it('closes although somebody holds a connection open', async () => {
    const path = await listening();
    const idle = createConnection(path);
    await new Promise((resolve) => idle.once('connect', resolve));
    idle.write('GET /api/status HTTP/1.1\r\n');
    await open.pop()?.close();
    idle.destroy();
  });

  it('a file that is no socket is not in the way for ever', async () => {
    mkdirSync(join(home, 'run'));
    writeFileSync(controlSocketPath(home), '');
    const path = await listening();
    expect(await callControl(path, { method: 'GET', route: '/healthz' }, signal())).toEqual({ alive: true });
  });
});

describe('the path of the control socket', () => {
  it('is in the home', () => {
    expect(controlSocketPath('/home/me/.hermes')).toBe('/home/me/.hermes/run/gateway.sock');
  });

  it('is short enough for a socket however long the home is, and each home has its own', () => {
    const [one, other] = ['a', 'b'].map((letter) => controlSocketPath(`/${letter.repeat(200)}`));
    expect(Buffer.byteLength(one ?? '')).toBeLessThanOrEqual(100);
    expect(one).not.toBe(other);
    expect(controlSocketPath(`/${'a'.repeat(200)}`)).toBe(one);
  });
});
