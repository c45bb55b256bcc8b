/** The real daemon as a process with all platforms on, and everything that anybody could read of what it says. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { startWhatsApp } from '../crash/whatsapp.ts';
import { type FakeDiscord, startFakeDiscord } from '../fakes/discord.ts';
import { type FakeModel, startFakeModel } from '../fakes/model.ts';
import { type FakeSlack, startFakeSlack } from '../fakes/slack.ts';
import { type FakeTelegram, startFakeTelegram } from '../fakes/telegram.ts';
import { cookieFor, PageClient } from '../page/page-client.ts';
import { type GatewayProcess, noPacing, startGateway } from '../support/gateway-process.ts';
import { envFile, environment, slots } from './slots.ts';

const hermes = fileURLToPath(new URL('../../gateway/cli/hermes.js', import.meta.url));

export interface Rig {
  readonly home: string;
  readonly telegram: FakeTelegram;
  readonly discord: FakeDiscord;
  readonly slack: FakeSlack;
  readonly model: FakeModel;
  readonly page: PageClient;
  readonly cookie: string;
  readonly url: string;
  daemon(): GatewayProcess;
  /** `hermes ...` on this home; what it prints is evidence. */
  cli(...args: readonly string[]): Promise<string>;
  /** A request of the page's own; the answer is evidence. */
  http(method: 'GET' | 'POST', route: string, body?: unknown): Promise<string>;
  /** Something else that somebody could read. */
  note(where: string, text: string): void;
  /** By where it was read. */
  evidence(): ReadonlyMap<string, string>;
}

export async function openRig(): Promise<Rig> {
  const home = mkdtempSync(path.join(tmpdir(), 'hermes-canaries-'));
  const [telegram, discord, slack, model] = await Promise.all([
    startFakeTelegram(),
    startFakeDiscord(),
    startFakeSlack(),
    startFakeModel(),
  ]);
  const whatsapp = await startWhatsApp(0);
  whatsapp.prepare?.(home);
  writeFileSync(path.join(home, '.env'), envFile);
  const daemon = startGateway({
    home,
    config: configOf({ telegram, discord, slack, model }, whatsapp.config),
    env: { ...environment, ...whatsapp.env },
  });
  onTestFinished(async () => {
    daemon.kill('SIGKILL');
    await daemon.exited;
    await Promise.all([telegram.close(), discord.close(), slack.close(), model.close(), whatsapp.close()]);
    rmSync(home, { recursive: true, force: true });
  });
  await telegram.waitFor(() => telegram.polls.length > 0 && slack.sockets().open > 0 && whatsapp.contacts() > 0, 30_000);
  const notes = new Map<string, string>();
  const note = (where: string, text: string): void => void notes.set(where, (notes.get(where) ?? '') + text);
  const link = /http:\/\/\S+/.exec(await run(home, ['gateway', 'link']))?.[0] ?? '';
  const url = new URL('/', link).href;
  const cookie = await cookieFor({ url, link: () => link });
  const page = await PageClient.open({ url, link: () => link }, cookie);
  page.send({ type: 'open', chat: 'main', epoch: '', seen: 0 });
  return {
    ...{ home, telegram, discord, slack, model, page, cookie, url, note },
    daemon: () => daemon,
    cli: async (...args) => {
      const printed = await run(home, args);
      note(`hermes ${args.join(' ')}`, printed);
      return printed;
    },
    http: async (method, route, body) => {
      const headers = { cookie, origin: new URL(url).origin, 'content-type': 'application/json' };
      const answer = await fetch(new URL(route, url), { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
      const text = await answer.text();
      note(`${method} ${route}`, text);
      return text;
    },
    evidence: () =>
      new Map([
        ...notes,
        ['the log', daemon.output()],
        ['Telegram', JSON.stringify(telegram.calls.map(({ method, body }) => (method === 'setWebhook' ? method : body)))],
        ['Discord', JSON.stringify(discord.calls.map(({ body }) => body))],
        ['Slack', JSON.stringify([slack.calls.map(({ fields: { token: _, ...fields } }) => fields), slack.responses])],
        ['WhatsApp', JSON.stringify(whatsapp.sends())],
        ['the page', JSON.stringify(page.frames)],
        ['what tools reported', JSON.stringify(model.requests.map(({ messages }) => messages.filter(({ role }) => role === 'tool')))],
        ['files of the home', filesOf(home)],
      ]),
  };
}

interface Fakes extends Pick<Rig, 'telegram' | 'discord' | 'slack' | 'model'> {}

function configOf(
  { telegram, discord, slack, model }: Fakes,
  whatsapp: Readonly<Record<string, object>>,
): Readonly<Record<string, object>> {
  const open = { allowed_users: ['*'], pacing: noPacing };
  return {
    web: { port: 0 },
    logging: { level: 'debug' },
    model: { base_url: model.base, api_key: '${OPENAI_API_KEY}', headers: { 'X-Gateway-Key': slots.header, 'X-Title': 'Hermes' } },
    agent: { api_max_retries: 0 },
    gateway: { drain_timeout_seconds: 1 },
    display: { tool_progress: 'verbose' },
    telegram: {
      ...open,
      allow_admin_from: ['7'],
      base_url: telegram.root,
      webhook: { secret: slots.telegramWebhook },
      accounts: { work: { bot_token: slots.telegramWork } },
    },
    discord: { ...open, base_url: discord.root, cdn_url: discord.root },
    slack: { ...open, base_url: slack.root },
    ...whatsapp,
  };
}

/** Both streams, whatever it ends with. */
function run(home: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, ...environment, HERMES_HOME: home, HOME: home, HERMES_DEBUG: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [hermes, ...args], { env }, (_error, out, err) => resolve(`${out}${err}`));
  });
}

export async function cliOn(home: string, ...args: readonly string[]): Promise<string> {
  return run(home, args);
}

/** But those that are there to hold them: `.env`, config.yaml and the database. */
function filesOf(home: string): string {
  const names = existsSync(home) ? readdirSync(home, { recursive: true, withFileTypes: true }) : [];
  const plain = names.filter(
    (entry) => entry.isFile() && !/^(?:\.env|config\.yaml|gateway\.token|output\.log|state\.db.*)$/.test(entry.name),
  );
  return plain.map((entry) => `${entry.name}\n${readFileSync(path.join(entry.parentPath, entry.name), 'utf8')}`).join('\n');
}

/** What runs below a process: its command line and its environment. */
export function childrenOf(pid: number): string {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(all.map((name) => [name, /^PPid:\s*(\d+)$/m.exec(read(`/proc/${name}/status`))?.[1] ?? '']));
  const below = (name: string): boolean => {
    const parent = parents.get(name) ?? '';
    return parent === String(pid) || (parents.has(parent) && below(parent));
  };
  return all
    .filter(below)
    .map((name) => `${read(`/proc/${name}/cmdline`)}\n${read(`/proc/${name}/environ`)}`)
    .join('\n')
    .replaceAll('\0', '\n');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}
