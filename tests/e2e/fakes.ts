/** What a test of the real daemon as a process stands between: Telegram and a model, both fake, and an empty home. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach } from 'vitest';
import { type FakeModel, lastUserText, startFakeModel } from '../fakes/model.ts';
import { type FakeTelegram, startFakeTelegram } from '../fakes/telegram.ts';
import { PageClient } from '../page/page-client.ts';
import { type GatewayProcess, type GatewaySettings, startGateway } from '../support/gateway-process.ts';

const run = promisify(execFile);
const hermes = fileURLToPath(new URL('../../gateway/cli/hermes.js', import.meta.url));

export interface Fakes {
  readonly telegram: FakeTelegram;
  /** Answers "answer to " and what was said, unless it is told otherwise. */
  readonly model: FakeModel;
  readonly home: string;
  /** The daemon that was launched last. */
  readonly daemon: GatewayProcess | undefined;
  launch(settings?: Partial<GatewaySettings>): GatewayProcess;
  /** Launches it, and resolves when it polls or has ended. */
  start(settings?: Partial<GatewaySettings>): Promise<GatewayProcess>;
  /** What the chat shows of the bot. */
  texts(chat: number): string[];
  /** Resolves when the chat shows something with these words in it. */
  said(chat: number, part: string): Promise<void>;
  /** `hermes gateway ...` on the same home. */
  cli(...args: readonly string[]): Promise<{ readonly stdout: string }>;
  /** The page's socket, signed in. */
  page(): Promise<PageClient>;
}

/** To be called once in a file. Each test has fakes and a home of its own; the daemon that is left running is killed after it. */
export function useFakes(): Fakes {
  const fakes = new LiveFakes();
  beforeEach(() => fakes.begin());
  afterEach(() => fakes.end());
  return fakes;
}

class LiveFakes implements Fakes {
  #telegram: FakeTelegram | undefined;
  #model: FakeModel | undefined;
  #daemon: GatewayProcess | undefined;
  home = '';

  get telegram(): FakeTelegram {
    return present(this.#telegram);
  }

  get model(): FakeModel {
    return present(this.#model);
  }

  get daemon(): GatewayProcess | undefined {
    return this.#daemon;
  }

  async begin(): Promise<void> {
    this.#telegram = await startFakeTelegram();
    this.#model = await startFakeModel({ reply: (body) => ({ text: `answer to ${lastUserText(body)}` }) });
    this.home = mkdtempSync(path.join(tmpdir(), 'hermes-e2e-'));
  }

  async end(): Promise<void> {
    this.#daemon?.kill('SIGKILL');
    await this.#daemon?.exited;
    this.#daemon = undefined;
    await this.telegram.close();
    await this.model.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  launch(settings: Partial<GatewaySettings> = {}): GatewayProcess {
    this.#daemon = startGateway({ home: this.home, telegram: this.telegram, model: this.model.base, ...settings });
    return this.#daemon;
  }

  async start(settings: Partial<GatewaySettings> = {}): Promise<GatewayProcess> {
    const polls = this.telegram.polls.length;
    const gateway = this.launch(settings);
    await this.telegram.waitFor(() => this.telegram.polls.length > polls || !gateway.alive(), 20_000);
    return gateway;
  }

  texts(chat: number): string[] {
    return this.telegram.messages(chat).map(({ text }) => text);
  }

  said(chat: number, part: string): Promise<void> {
    return this.telegram.waitFor(() => this.texts(chat).some((text) => text.includes(part)), 15_000);
  }

  cli(...args: readonly string[]): Promise<{ readonly stdout: string }> {
    return run(process.execPath, [hermes, 'gateway', ...args], { env: { ...process.env, HERMES_HOME: this.home } });
  }

  async page(): Promise<PageClient> {
    const { stdout } = await this.cli('link');
    const link = /http:\/\/\S+/.exec(stdout)?.[0] ?? '';
    const client = await PageClient.open({ url: new URL('/', link).href, link: () => link });
    client.send({ type: 'open', chat: 'main', epoch: '', seen: 0 });
    return client;
  }
}

function present<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('the fakes are not there outside of a test');
  return thing;
}
