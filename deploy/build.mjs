// Builds what `npm start` runs: the daemon and command (dist/*.js) and the browser page (dist/web/).
// Run by `prepare`, so it must work on a clean machine and with the system's older Node. A part whose sources are not there is left out, and said so.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

// Native modules, WebAssembly and binaries that find their files beside themselves, and platform clients that are loaded only when
// switched on (and are large). Everything else is bundled: unbundled imports cost a third of a second and 100 MB at every start.
const external = [
  '@lydell/node-pty',
  '@vscode/ripgrep',
  '@whiskeysockets/baileys',
  'better-sqlite3',
  'discord.js',
  'tree-sitter-bash',
  'web-tree-sitter',
];

// node-fetch (grammY) asks for it only where Node has no URL class; it would bring a table of 250 KB and a deprecation warning.
const unused = { 'whatwg-url': 'node:url' };

// CommonJS packages inside an ES module bundle still call `require` for Node's own modules.
const banner = "import { createRequire as hermesCreateRequire } from 'node:module'; const require = hermesCreateRequire(import.meta.url);";

// A daemon that runs may still load a chunk of the build that it was started from.
const keepStaleMs = 60 * 60_000;

const shared = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  write: false,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
};

/** Entry points by output name, those whose source exists. */
function present(entries) {
  const [have, lack] = [[], []];
  for (const entry of Object.entries(entries)) (existsSync(join(root, entry[1])) ? have : lack).push(entry);
  for (const [, source] of lack) console.log(`build: ${source} is not there, left out`);
  return Object.fromEntries(have);
}

async function bundle(entryPoints, options) {
  if (Object.keys(entryPoints).length === 0) return [];
  const { outputFiles } = await build({ ...shared, ...options, entryPoints });
  return outputFiles.map((file) => ({ path: file.path, contents: file.contents }));
}

function daemon() {
  return bundle(present({ main: 'gateway/main.ts', help: 'gateway/cli/help.ts', 'page-worker': 'tools/web/page-worker.ts' }), {
    outdir: dist,
    platform: 'node',
    target: 'node24',
    splitting: true,
    // Names are kept for readable stacks. Measured: 100 ms and 10 MB less at the start than with white space left in.
    minifySyntax: true,
    minifyWhitespace: true,
    chunkNames: '[name]-[hash]',
    external,
    alias: unused,
    banner: { js: banner },
  });
}

function pageScript() {
  return bundle(present({ main: 'gateway/web/main.ts' }), {
    outdir: join(dist, 'web'),
    platform: 'browser',
    target: 'es2022',
    minify: true,
    tsconfigRaw: {},
  });
}

function pageFiles() {
  const files = present({ 'index.html': 'gateway/web/index.html', 'style.css': 'gateway/web/style.css' });
  return Promise.all(
    Object.entries(files).map(async ([name, source]) => ({ path: join(dist, 'web', name), contents: await readFile(join(root, source)) })),
  );
}

/** Replaces the file at once or not at all; an unchanged one is left alone, so that two builds side by side do no harm. */
async function put({ path, contents }) {
  const old = await readFile(path).catch(() => undefined);
  if (old?.equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.new`;
  await writeFile(temporary, contents);
  await rename(temporary, path);
}

async function removeStale(written) {
  if (!existsSync(dist)) return;
  const wanted = new Set(written.map((file) => file.path));
  for (const name of await readdir(dist)) {
    const path = join(dist, name);
    const facts = await stat(path).catch(() => undefined);
    if (!facts?.isFile() || wanted.has(path) || Date.now() - facts.mtimeMs < keepStaleMs) continue;
    await rm(path, { force: true });
  }
}

const started = performance.now();
const files = (await Promise.all([daemon(), pageScript(), pageFiles()])).flat();
await Promise.all(files.map(put));
await removeStale(files);
for (const file of files) {
  if (!/\.(map)$/.test(file.path) && !basename(file.path).includes('-')) {
    console.log(`build: ${relative(root, file.path)} ${(file.contents.length / 1024).toFixed(0)} KB`);
  }
}
console.log(`build: done in ${((performance.now() - started) / 1000).toFixed(2)} s`);
