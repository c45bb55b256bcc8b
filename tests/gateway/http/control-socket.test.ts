import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

const tokenFile = (socketPath: string): string => join(dirname(socketPath), 'gateway.token');
const tokenOf = (socketPath: string): string => readFileSync(tokenFile(socketPath), 'utf8');

async function post(socketPath: string, route: string, body: string, authorization = `Bearer ${tokenOf(socketPath)}`): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method: 'POST', path: route, headers: { authorization }, agent: false }, async (response) => {
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

/** Runs it in a process of another user. What it prints. */
function asSomebodyElse(script: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', script], { uid: 65_534, gid: 65_534, stdio: ['ignore', 'pipe', 'ignore'], cwd: '/' });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.once('close', () => resolve(printed));
  });
}

const isRoot = process.getuid?.() === 0;

describe('the token of the control socket', () => {
  it('is 256 random bits in a file for this user alone, others at each start, and gone with the daemon', async () => {
    const path = await listening();
    const first = tokenOf(path);
    expect(Buffer.from(first, 'base64url')).toHaveLength(32);
    expect(statSync(tokenFile(path)).mode & 0o777).toBe(0o600);
    await open.pop()?.close();
    expect(existsSync(tokenFile(path))).toBe(false);
    await listening();
    expect(tokenOf(path)).not.toBe(first);
  });

  it('is asked for before anything else: nothing is read, looked for or done without it', async () => {
    const done: unknown[] = [];
    const answerAsk = (...decision: unknown[]) => {
      done.push(decision);
      return { done: true, text: 'Denied.' };
    };
    const path = await listening(controlHandlers({ asks: () => [ask], answerAsk }));
    const old = tokenOf(path);
    await open.pop()?.close();
    await listening(controlHandlers({ asks: () => [ask], answerAsk }));
    const refusal = { error: expect.stringContaining('gateway.token') };
    for (const authorization of ['', 'Bearer ', `Bearer ${old}`, tokenOf(path), `Basic ${tokenOf(path)}`, `Bearer ${tokenOf(path)}=`]) {
      for (const route of ['/api/asks/7/answer', '/api/restart', '/healthz', '/no/such'])
        expect(await post(path, route, '{"choice":"deny"}', authorization)).toEqual(refusal);
    }
    expect(done).toEqual([]);
    expect(await post(path, '/api/asks/7/answer', '{"choice":"deny"}')).toEqual({ text: 'Denied.' });
  });

  it('stays that of the daemon that answers when a second one gives up', async () => {
    const path = await listening();
    const second = createControlSocket({ path, handlers: controlHandlers(), log });
    await expect(second.listen()).rejects.toThrow('Another gateway answers');
    await second.close();
    expect(await callControl(path, { method: 'GET', route: '/api/status' }, signal())).toEqual(status);
  });

  it('takes the place of whatever lies there, without following it', async () => {
    const elsewhere = join(home, 'elsewhere');
    writeFileSync(elsewhere, 'mine');
    mkdirSync(join(home, 'run'), { mode: 0o700 });
    symlinkSync(elsewhere, tokenFile(controlSocketPath(home)));
    const path = await listening();
    expect([readFileSync(elsewhere, 'utf8'), statSync(tokenFile(path)).mode & 0o777]).toEqual(['mine', 0o600]);
  });

  it('that is missing is told by what to do about it', async () => {
    const path = await listening();
    rmSync(tokenFile(path));
    await expect(callControl(path, { method: 'GET', route: '/api/status' }, signal())).rejects.toThrow(
      'gateway.token, which is new at each start',
    );
  });

  it.runIf(isRoot)('refuses a process of another user for which the directory and the socket were opened by hand', async () => {
    const path = await listening();
    for (const directory of [home, dirname(path)]) chmodSync(directory, 0o755);
    chmodSync(path, 0o777);
    const script = `
      const { request } = require('node:http');
      const { readFileSync } = require('node:fs');
      let authorization = '';
      try { authorization = 'Bearer ' + readFileSync(${JSON.stringify(tokenFile(path))}, 'utf8'); } catch (error) { process.stdout.write(error.code + ' '); }
      request({ socketPath: ${JSON.stringify(path)}, path: '/api/status', headers: { authorization } }, (answer) => process.stdout.write(String(answer.statusCode))).end();`;
    expect(await asSomebodyElse(script)).toBe('EACCES 401');
  });

  it.runIf(isRoot)('is not told to whoever was first in a shared directory', async () => {
    const shared = mkdtempSync(join(tmpdir(), 'shared-'));
    chmodSync(shared, 0o1777);
    const directory = join(shared, 'hermes-0-abc');
    mkdirSync(directory, { mode: 0o700 });
    chownSync(directory, 65_534, 65_534);
    const asked = callControl(join(directory, 'gateway.sock'), { method: 'GET', route: '/api/status' }, signal());
    await expect(asked).rejects.toThrow('belongs to another user, so nothing is asked there');
    rmSync(shared, { recursive: true });
  });

  it('does not keep the daemon from answering the owner while others hold connections and send without end', async () => {
    const path = await listening();
    const busy = Array.from({ length: 100 }, () => createConnection(path));
    for (const [index, socket] of busy.entries()) {
      socket.on('error', () => undefined);
      if (index % 2 === 0) socket.write('POST /api/restart HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n');
      if (index % 4 === 0) socket.write('x'.repeat(1_000_000));
    }
    expect(await callControl(path, { method: 'GET', route: '/api/status' }, signal())).toEqual(status);
    for (const socket of busy) socket.destroy();
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
