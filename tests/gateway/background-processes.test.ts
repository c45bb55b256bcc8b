import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTerminalsFor } from '../../tools/index.ts';
import { marked } from '../../tools/shared/process/table.ts';
import { keyOf, requested } from './commands/support.ts';
import { type Gateway, type GatewayOptions, startGateway, until } from './support/gateway.ts';
import { temporaryHome } from './support/home.ts';
import { lastResults, type Script, scriptedModel } from './support/model.ts';

/** The real terminal over this home. */
function terminalOf(home: string) {
  const terminal = createTerminalsFor({
    terminal: {
      timeout: 60,
      max_timeout: 600,
      env_passthrough: [],
      process_namespace: 'auto',
      isolation: 'none',
      writable_paths: [],
      sudo_password: '',
    },
    environment: { PATH: process.env['PATH'], HOME: home },
    home,
    protectedPaths: [path.join(home, 'terminal')],
    state: home,
    marker: path.basename(home),
  });
  onTestFinished(() => terminal.processes.close());
  return terminal;
}

/** Starts what it is told to in the background, and repeats what it is woken with. */
const starting: Script = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return lastResults(messages)[0] ?? '';
  const said = last?.role === 'user' ? last.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
  if (said.startsWith('[note:')) return `heard: ${said}`;
  return { call: 'terminal', args: { command: said, background: true, notify_on_complete: true } };
};

async function begin(home: string, options: GatewayOptions = {}) {
  const terminal = terminalOf(home);
  const model = scriptedModel(starting);
  const gateway = await startGateway({ home, model, terminal, tools: terminal.tools, ...options });
  return { gateway, model, terminal };
}

const shows = (gateway: Gateway, text: string) =>
  until(
    () => gateway.answers('ann').some((answer) => answer.includes(text)),
    () => JSON.stringify(gateway.answers('ann')),
  );

/** What is on disk of the processes of this home. */
function recorded(home: string): string {
  const directory = path.join(home, 'terminal', 'processes');
  return readdirSync(directory)
    .map((name) => readFileSync(path.join(directory, name), 'utf8'))
    .join('\n');
}

describe('a background process of a conversation', () => {
  it('tells the chat that it was started from when it ends', async () => {
    const { gateway, model } = await begin(temporaryHome());
    gateway.say('ann', 'sleep 0.3; echo built; exit 3');
    await shows(gateway, 'Started proc_');
    await shows(gateway, 'has ended with exit code 3');
    await shows(gateway, '\nbuilt\n');
    await gateway.idle();
    expect(requested(model).at(-1)).toMatch(/^\[note: Background process proc_/u);
    expect(gateway.store.turns.running(keyOf())).toBeUndefined();
  });

  it('is reported lost, once, when the gateway was killed, and leaves nothing behind when it stops', async () => {
    const home = temporaryHome();
    const { gateway } = await begin(home);
    gateway.say('ann', 'echo serving; sleep 300');
    await shows(gateway, 'Started proc_');
    await gateway.idle();
    await until(
      () => recorded(home).includes('serving'),
      () => recorded(home),
    );
    const left = gateway.kill();
    const next = await begin(left);
    await shows(next.gateway, 'The gateway was restarted, and a background process of this session has ended with it');
    await shows(next.gateway, 'serving');
    await next.gateway.idle();
    await next.gateway.stop();
    const again = await begin(left);
    await again.gateway.idle();
    expect(again.model.requests).toHaveLength(0);
  });

  it('is ended by the daemon’s own end', async () => {
    const home = temporaryHome();
    const { gateway } = await begin(home);
    gateway.say('ann', 'sleep 300');
    await shows(gateway, 'Started proc_');
    await gateway.idle();
    expect(marked(path.basename(home)).length).toBeGreaterThan(0);
    await gateway.stop();
    expect(marked(path.basename(home))).toEqual([]);
  });
});
