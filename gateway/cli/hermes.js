#!/usr/bin/env node
// The command's entry. Plain JavaScript that old versions of Node understand, and nothing is imported before the version is known:
// better-sqlite3 ends an older Node with a segmentation fault, which would tell nobody anything.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import v8 from 'node:v8';

const oldest = 24;
/** The daemon wants to be started again: tied to us by a channel, it cannot replace itself. */
const restartCode = 75;
const root = join(fileURLToPath(new URL('../..', import.meta.url)), '.');
const argv = process.argv.slice(2);

// A reader that has seen enough (`hermes --help | head`) is no error.
process.stdout.on('error', () => process.exit());

start().catch((error) => {
  console.error(`hermes: ${process.env.HERMES_DEBUG === '1' ? error.stack : error.message}`);
  process.exitCode = 1;
});

async function start() {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) return console.log(version());
  if (asksForHelp()) return showHelp();
  if (Number(process.versions.node.split('.')[0]) < oldest) return runNewerNode();
  endWithStarter();
  startSmall();
  await bundle('main.js');
}

/**
 * A start compiles much and throws most of it away. The young generation would grow for that, and keep what it took: tens of megabytes with
 * all platforms on (tests/bench/idle.ts). Behind the start it grows with the work again.
 */
function startSmall() {
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  setTimeout(() => v8.setFlagsFromString('--semi-space-growth-factor=2'), 10_000).unref();
}

function version() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

function asksForHelp() {
  return argv.length === 0 || argv.includes('--help') || argv.includes('-h');
}

/** Works on old versions of Node as well: starting a newer one would take longer than the help itself. */
async function showHelp() {
  const { showHelp: show } = await bundle('help.js');
  process.exitCode = await show(argv, version());
}

async function bundle(name) {
  const file = join(root, 'dist', name);
  if (!existsSync(file)) throw new Error(`the program has not been built yet. Run: npm run build (in ${root})`);
  if (module.enableCompileCache !== undefined) {
    // Compiled code is kept between starts, beside the bundle: a shared temporary directory could be filled by somebody else.
    module.enableCompileCache(join(root, 'dist', '.cache'));
    // A daemon that is killed later has not lost what the next start wants.
    setTimeout(module.flushCompileCache, 5000).unref();
  }
  return import(pathToFileURL(file).href);
}

/** The runtime that `npm ci` brought: ours, or beside us where we are installed as a dependency. Never one further up: it could be anybody's. */
function bundledNode() {
  const directories = [join(root, 'node_modules')];
  if (basename(dirname(root)) === 'node_modules') directories.push(dirname(root));
  return directories.map((directory) => join(directory, 'node', 'bin', 'node')).find((file) => existsSync(file));
}

function runNewerNode() {
  const node = bundledNode();
  if (node === undefined || process.env.HERMES_REEXECUTED === '1') {
    throw new Error(
      `Node ${oldest} or newer is needed, this is ${process.versions.node}. Run: npm ci (in ${root}), or install Node ${oldest}.`,
    );
  }
  const env = Object.assign({}, process.env, { HERMES_REEXECUTED: '1' });
  let child = begin();
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT']) process.on(signal, forward);
  function forward(signal) {
    // A terminal has sent Ctrl-C to the child as well; twice would mean "stop at once".
    const fromTerminal = (signal === 'SIGINT' || signal === 'SIGQUIT') && process.stdin.isTTY;
    if (!fromTerminal) child.kill(signal);
  }
  function begin() {
    const started = spawn(node, [fileURLToPath(import.meta.url)].concat(argv), {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: env,
    });
    started.on('error', (error) => {
      console.error(`hermes: ${node} cannot be started: ${error.message}`);
      process.exitCode = 1;
    });
    started.on('exit', (code, signal) => {
      if (code === restartCode) child = begin();
      else process.exitCode = code === null ? 128 + constants.signals[signal] : code;
    });
    return started;
  }
}

/** In the newer Node: when the process that started us is killed, nobody could stop us by its id any more. */
function endWithStarter() {
  if (process.env.HERMES_REEXECUTED !== '1' || !process.channel) return;
  delete process.env.HERMES_REEXECUTED;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
