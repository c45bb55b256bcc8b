/** The composition root: the only place that knows every room. Run as `hermes <arguments>`. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { platforms, webPlatform } from '../adapters/index.ts';
import type { AccountConfig, Platform } from '../adapters/platform.ts';
import { agentSection, modelSection } from '../agent/models/config.ts';
import { isDemo } from '../agent/models/create.ts';
import { createTools, endLeftovers, toolSections } from '../tools/index.ts';
import { runCli } from './cli/run.ts';
import type { RunOptions } from './cli/verbs.ts';
import { welcome } from './cli/welcome.ts';
import { createLiveConfig, derived, type LiveConfig } from './config/live.ts';
import { loadConfig } from './config/load.ts';
import { changeNotice, needsRestart } from './config/restart.ts';
import { gatewayAliases, gatewaySections } from './config/sections.ts';
import { settingsOf } from './config/settings.ts';
import { type DaemonOptions, startDaemon } from './daemon.ts';
import { homeDirectory, prepareHome } from './home.ts';
import { controlSocketPath } from './http/control-socket.ts';
import { createLog, type Log } from './log.ts';
import { runUntilStopped } from './process.ts';
import { createSecretFilter, withoutSecrets } from './secrets.ts';
import { explainFailure } from './store/failure.ts';
import { openStore } from './store/index.ts';

/** `dist/main.js` and `gateway/main.ts` lie equally deep. */
const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string };

const ownSections = { model: modelSection, agent: agentSection, ...toolSections, ...gatewaySections };
const platformSections = Object.fromEntries(platforms.map((platform) => [platform.name, platform as Platform]));

function load(home: string) {
  const options = { home, env: process.env, aliases: gatewayAliases, shorthands: { model: 'default' } };
  const { config, warnings, secrets } = loadConfig({ ...ownSections, ...platformSections, web: webPlatform }, options);
  const byName: Readonly<Record<string, unknown>> = config; // each platform's part was just made by that platform's own schema
  const accounts = platforms.map((platform) => ({ platform: platform as Platform, config: byName[platform.name] as AccountConfig }));
  return { config, warnings, secrets, accounts: accounts.filter(({ platform, config: own }) => platform.enabled(own)) };
}

type Loaded = ReturnType<typeof load>;

async function run(options: RunOptions): Promise<number> {
  const home = homeDirectory(process.env);
  const prepared = prepareHome(home, { ...ownSections, ...platformSections });
  const loaded = load(home);
  const { config } = loaded;
  const log = createLog({ level: options.verbose ? 'debug' : config.logging.level, secrets: () => loaded.secrets });
  for (const warning of [...loaded.warnings, ...prepared.notes]) log.warn({}, warning);
  const store = openStore({ home, migrations: path.join(root, 'migrations'), now: Date.now });
  await endLeftovers(markerOf(home)); // under the lock: a daemon that runs keeps its commands; before any turn goes on: theirs must not act beside it
  const notes = [...loaded.warnings, ...prepared.notes];
  const owner: Owner = { tell: (sentence) => log.warn({}, sentence) };
  const daemon = await startDaemon({ ...compose(home, loaded, { log, owner }), store, notes }).catch((error: unknown) => {
    throw explainFailure(error, store.file);
  });
  owner.tell = daemon.tell;
  const demo = isDemo(config.model);
  process.stdout.write(
    welcome({ version, home, link: daemon.link, demo, platforms: loaded.accounts.map(({ platform }) => platform.label) }),
  );
  return runUntilStopped(daemon, { drainMs: config.gateway.drain_timeout_seconds * 1000, log });
}

/** Whom to tell; the log until there is a chat. */
interface Owner {
  tell(sentence: string): void;
}

function compose(
  home: string,
  loaded: Loaded,
  { log, owner }: { readonly log: Log; readonly owner: Owner },
): Omit<DaemonOptions, 'store' | 'notes'> {
  const { config, accounts } = loaded;
  const live = watchConfig(home, loaded, owner);
  const tools = createTools({
    terminal: config.terminal,
    environment: process.env,
    home: homedir(),
    protectedPaths: protectedPaths(home),
    marker: markerOf(home),
  });
  const filter = createSecretFilter(() => live.current().secrets, 'plain');
  const { gateway } = config;
  return {
    version,
    home,
    log,
    now: Date.now,
    platforms: accounts,
    tools: tools.map((tool) => withoutSecrets(tool, filter)),
    settings: derived(live, (snapshot) => settingsOf(snapshot.config, accountOf(snapshot))),
    demo: isDemo(config.model),
    rules: { keys: gateway, reset: config.session_reset, drainMs: gateway.drain_timeout_seconds * 1000 },
    http: webPlatform.enabled(config.web) ? { config: config.web, pageDirectory: path.join(root, 'dist', 'web') } : undefined,
    controlSocket: controlSocketPath(home),
  };
}

function accountOf({ accounts }: Loaded): (key: string) => AccountConfig | undefined {
  return (key) => accounts.find(({ platform }) => `${platform.name}/main` === key)?.config;
}

function watchConfig(home: string, loaded: Loaded, owner: Owner): LiveConfig<Loaded> {
  return createLiveConfig({
    files: [path.join(home, 'config.yaml'), path.join(home, '.env')],
    load: () => load(home),
    initial: loaded,
    now: Date.now,
    onBroken: (sentence) => owner.tell(sentence),
    onChanged: ({ after, repaired }) => {
      const notice = changeNotice(repaired, needsRestart(loaded.config, after.config));
      if (notice !== undefined) owner.tell(notice);
    },
  });
}

/** Names this home in the environment of every command, so that what a killed daemon left running is found. */
function markerOf(home: string): string {
  return Buffer.from(home).toString('base64url');
}

/** What no tool reads or writes: our own secrets, configuration and state. "*": also the database's log beside it, and its copies. */
function protectedPaths(home: string): readonly string[] {
  const files = ['.env', 'config.yaml', 'state.db*', 'gateway.db*', 'gateway.lock', 'gateway.pid', 'run', 'logs'];
  return files.map((name) => path.join(home, name));
}

// Not left to the event loop: after a start that failed halfway, what had begun to listen would keep the process.
process.exit(await runCli(process.argv.slice(2), { version, run, home: homeDirectory, check: load }));
