/** The composition root: the only place that knows every room. Run as `hermes <arguments>`. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { platforms, webPlatform } from '../adapters/index.ts';
import type { AccountConfig, Platform } from '../adapters/platform.ts';
import { agentSection, modelSection } from '../agent/models/config.ts';
import { createMemories, createTerminalsFor, createTools, endLeftovers, type ToolsConfig, toolSections } from '../tools/index.ts';
import { containmentNotes, writeContained } from '../tools/shared/contained-file.ts';
import { realPath } from '../tools/shared/home-paths.ts';
import { injectionIn } from '../tools/shared/injection.ts';
import { readPromptFile } from '../tools/shared/prompt-file.ts';
import { personIdOf } from './account-label.ts';
import type { SwitchedOn } from './accounts.ts';
import { runCli } from './cli/run.ts';
import type { RunOptions } from './cli/verbs.ts';
import { safeWelcome, welcome } from './cli/welcome.ts';
import { strangePlatforms } from './config/display.ts';
import { derived, type LiveConfig } from './config/live.ts';
import { loadConfig } from './config/load.ts';
import { needsRestart } from './config/restart.ts';
import { gatewayAliases, gatewaySections } from './config/sections.ts';
import { settingsOf } from './config/settings.ts';
import { watchHome } from './config/watch-home.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { homeDirectory, prepareHome } from './home.ts';
import { markerOf, toolPaths } from './home-paths.ts';
import { controlSocketPath } from './http/control-socket.ts';
import { randomSecret } from './http/secrets.ts';
import { createLog, type Log } from './log.ts';
import { importApproved } from './pairing/import.ts';
import type { DaemonOptions } from './parts.ts';
import type { PermissionsControl } from './permissions/control.ts';
import { permissionsFromFiles } from './permissions/from-files.ts';
import { type LoadedPermissions, loadPermissions, permissionsFile } from './permissions/load.ts';
import { createPermissions } from './permissions/permissions.ts';
import { endEarly, type ProcessOptions, runUntilStopped, startAgain } from './process.ts';
import { safeModeNote, startSafeMode } from './safe-mode.ts';
import { openSecretBook, type SecretBook } from './secret-book.ts';
import { createRedactor, createSecretFilter, withoutSecrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { beginStart, type Starts } from './starts.ts';
import { explainFailure } from './store/failure.ts';
import { openStore, type Store } from './store/index.ts';
import { HomeLockedError } from './store/lock.ts';
import { accountKey } from './target.ts';
import { strangeToolChoices } from './toolsets.ts';
import { unlessBroken } from './unless-broken.ts';

/** `dist/main.js` and `gateway/main.ts` lie equally deep. */
const root = fileURLToPath(new URL('..', import.meta.url));
const migrations = path.join(root, 'migrations');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string };

const ownSections = { model: modelSection, agent: agentSection, ...toolSections, ...gatewaySections };
const platformSections = Object.fromEntries(platforms.map((platform) => [platform.name, platform as Platform]));

/** What stays as it is when the files are read again. */
interface Before {
  /** Good as long as this process. */
  readonly controlToken: string;
  readonly permissions: LoadedPermissions;
}

function load(home: string, before?: Before) {
  const { controlToken = randomSecret() } = before ?? {};
  const severalOf = platforms.map(({ name }) => name).filter((name) => name !== webPlatform.name); // there is one page
  const options = { home, env: process.env, aliases: gatewayAliases, shorthands: { model: 'default' }, accounts: severalOf };
  const { config, warnings, secrets, accounts: named } = loadConfig({ ...ownSections, ...platformSections, web: webPlatform }, options);
  const strange = strangePlatforms(
    config.display,
    platforms.map(({ name }) => name),
  );
  const byName: Readonly<Record<string, unknown>> = config; // each platform's part was just made by that platform's own schema
  const accounts = platforms.flatMap((each): SwitchedOn[] => {
    const platform = each as Platform;
    const others = named.filter(({ section }) => section === platform.name);
    return [
      { platform, config: byName[platform.name] as AccountConfig },
      ...others.map(({ name, config: own }) => ({ platform, config: own as AccountConfig, account: name })),
    ];
  });
  return {
    config,
    named,
    permissions: loadPermissions({
      home,
      platforms: [...platforms.map(({ name }) => name), ...named.map(({ section, name }) => `${section}:${name}`)],
      ...(before === undefined ? {} : { before: before.permissions }),
    }),
    warnings: [...warnings, ...strange],
    secrets: [...secrets, controlToken],
    controlToken,
    accounts: accounts.filter(({ platform, config: own }) => platform.enabled(own)),
  };
}

type Loaded = ReturnType<typeof load>;

async function run(options: RunOptions): Promise<number> {
  const restart = new AbortController();
  process.on('SIGUSR1', () => restart.abort()); // from here on: what comes while we start is done when we run
  const home = homeDirectory(process.env);
  const notes = [...prepareHome(home, { ...ownSections, ...platformSections }).notes, ...containmentNotes()];
  const secrets = openSecretBook(home, process.env);
  const isStarted = endEarly(() => counted, secrets.redact); // before it is counted: a signal comes at any time
  const starts = beginStart(home, secrets.redact);
  // In safe mode a stop or a restart by a person is what makes the next start an ordinary one.
  const counted = starts.isSafe ? { fails: () => undefined, reset: () => undefined, forgive: starts.reset } : starts;
  const begin = { home, starts, secrets, notes, verbose: options.verbose, restart: () => restart.abort() };
  try {
    const { daemon, log, ...drains } = await (starts.isSafe ? startSafely(begin) : start(begin));
    const ended = runUntilStopped(daemon, { ...drains, restart: restart.signal, starts: counted, log });
    isStarted(); // behind that: with nobody listening in between, a signal that has come but was not looked at yet would be lost
    const ending = await ended;
    return ending === 'restart' ? startAgain(log) : ending === 'stopped' ? 0 : 1;
  } catch (error) {
    if (error instanceof HomeLockedError) starts.forgive();
    else starts.fails(error);
    throw error;
  }
}

interface Begin {
  readonly home: string;
  readonly starts: Starts;
  readonly secrets: SecretBook;
  readonly notes: readonly string[];
  readonly verbose: boolean;
  readonly restart: () => void;
}

interface Started extends Pick<ProcessOptions, 'drainMs' | 'restartDrainMs' | 'log'> {
  readonly daemon: Daemon;
}

async function start({ home, secrets, notes, verbose, restart }: Begin): Promise<Started> {
  const loaded = load(home);
  secrets.add(loaded.secrets);
  const { config } = loaded;
  const log = createLog({ level: verbose ? 'debug' : config.logging.level, secrets: secrets.all });
  for (const warning of [...loaded.warnings, ...notes]) log.warn({}, warning);
  const store = openStore({ home, migrations, now: Date.now });
  const personId = (platform: string, written: string): string => personIdOf(platforms as readonly Platform[], platform, written);
  const imported = importApproved(store, { home, now: Date.now(), personId });
  await endLeftovers(markerOf(home)); // under the lock: a daemon that runs keeps its commands; before any turn goes on: theirs must not act beside it
  const owner: Owner = { tell: (sentence) => log.warn({}, sentence) };
  const live = watchConfig({ home, loaded, secrets }, owner);
  const composed = compose(home, live, { log, secrets, store });
  const strange = strangeToolChoices(composed.settings().tools, createTools(toolsConfig(home, config)));
  for (const warning of strange) log.warn({}, warning);
  const options = { ...composed, restart, notes: [...loaded.warnings, ...strange, ...notes, ...imported] };
  const daemon = await startDaemon(options).catch((error: unknown) => {
    throw explainFailure(error, store.file);
  });
  owner.tell = daemon.tell;
  const names = [...new Set(loaded.accounts.map(({ platform }) => platform.label))];
  process.stdout.write(
    welcome({
      version,
      home,
      link: daemon.link,
      claimCode: loaded.accounts.some(({ platform }) => platform.name !== webPlatform.name) ? daemon.claimCode : undefined,
      demo: options.settings().agent.models.demo,
      platforms: names,
    }),
  );
  const restartDrainMs = (): number => live.current().config.agent.restart_drain_timeout * 1000;
  return { daemon, log, restartDrainMs, drainMs: config.gateway.drain_timeout_seconds * 1000 };
}

/** With whatever of the configuration and the store can be had. */
async function startSafely({ home, starts, secrets, notes: prepared, verbose, restart }: Begin): Promise<Started> {
  const notes = [safeModeNote(starts), ...prepared];
  const loaded = unlessBroken(() => load(home), notes);
  secrets.add(loaded?.secrets ?? []);
  const log = createLog({ level: verbose ? 'debug' : 'info', secrets: secrets.all });
  const store = unlessBroken(() => openStore({ home, migrations, now: Date.now }), notes);
  const http = loaded === undefined ? undefined : httpOptions(loaded);
  const daemon = await startSafeMode({
    version,
    home,
    store,
    http,
    notes,
    controlSocket: controlSocketPath(home),
    controlToken: loaded?.controlToken,
    restart,
    redact: secrets.redact,
    log,
    now: Date.now,
  });
  process.stdout.write(safeWelcome(notes, daemon.link));
  return { daemon, log, restartDrainMs: () => 0, drainMs: 0 };
}

/** Whom to tell; the log until there is a chat. */
interface Owner {
  tell(sentence: string): void;
}

function compose(
  home: string,
  live: LiveConfig<Loaded>,
  { log, secrets, store }: { readonly log: Log; readonly secrets: SecretBook; readonly store: Store },
): Omit<DaemonOptions, 'notes'> {
  const { config, accounts, controlToken } = live.current();
  const settings = derived(live, settingsFrom);
  const memories = createMemories({ directory: path.join(home, 'memories'), config: config.memory });
  const filter = (config.security.redact_secrets ? createRedactor : createSecretFilter)(secrets.all, 'plain');
  const terminal = createTerminalsFor(toolsConfig(home, config));
  return {
    version,
    home,
    log,
    now: Date.now,
    platforms: accounts,
    tools: (ports) => {
      const all = createTools(toolsConfig(home, config), { ...ports, memories, terminals: terminal, now: Date.now });
      return all.map((tool) => withoutSecrets(tool, filter));
    },
    terminal,
    writeFile: writeContained,
    prompts: { read: readPromptFile, attack: injectionIn, memory: memories.snapshot, redact: filter },
    settings,
    store,
    rules: { keys: config.gateway, reset: config.session_reset, drainMs: config.gateway.drain_timeout_seconds * 1000 },
    http: httpOptions({ config }),
    controlSocket: controlSocketPath(home),
    controlToken,
    secrets: secrets.all,
  };
}

function toolsConfig(home: string, { terminal, memory, web_tools, security }: Loaded['config']): ToolsConfig {
  const web = { config: web_tools, allowPrivate: security.allow_private_urls };
  return { terminal, memory, web, environment: process.env, ...toolPaths(home) };
}

/** What `hermes permissions` asks where no daemon runs. */
function permissions(home: string): PermissionsControl {
  const loaded = load(home);
  const tools = createTools(toolsConfig(home, loaded.config));
  const facts = { settings: () => settingsFrom(loaded), secrets: () => loaded.secrets, tools };
  return permissionsFromFiles({ home, migrations, now: Date.now, ...facts });
}

function httpOptions({ config }: Pick<Loaded, 'config'>): DaemonOptions['http'] {
  return webPlatform.enabled(config.web) ? { config: config.web, pageDirectory: path.join(root, 'dist', 'web') } : undefined;
}

function settingsFrom(loaded: Loaded): Settings {
  const permissions = createPermissions(loaded.permissions.rules, { home: homedir(), realPath });
  return settingsOf(loaded.config, { account: accountOf(loaded), permissions });
}

function accountOf({ accounts }: Loaded): (key: string) => AccountConfig | undefined {
  return (key) => accounts.find(({ platform, account = 'main' }) => accountKey({ platform: platform.name, account }) === key)?.config;
}

function watchConfig({ home, loaded, secrets }: Pick<Begin, 'home' | 'secrets'> & { readonly loaded: Loaded }, owner: Owner) {
  const read = (before: Loaded): Loaded => {
    secrets.look();
    const fresh = load(home, before);
    secrets.add(fresh.secrets);
    return fresh;
  };
  return watchHome({
    home,
    files: ['.env', permissionsFile],
    initial: loaded,
    read,
    changes: (after) => needsRestart(flat(loaded), flat(after)),
    tell: (sentence) => owner.tell(sentence),
  });
}

/** With each further account beside the sections. */
function flat({ config, named }: Loaded): Readonly<Record<string, unknown>> {
  return { ...config, ...Object.fromEntries(named.map(({ section, name, config: own }) => [`${section}.accounts.${name}`, own])) };
}

function manifest(name: string, options: Readonly<Record<string, unknown>>): string | undefined {
  return platforms.find((platform) => platform.name === name)?.manifest?.(options);
}

// Not left to the event loop: after a start that failed halfway, what had begun to listen would keep the process.
const redact = (text: string) => openSecretBook(homeDirectory(process.env), process.env).redact(text);
process.exit(await runCli(process.argv.slice(2), { version, run, home: homeDirectory, check: load, permissions, manifest, redact }));
