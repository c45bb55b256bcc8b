import type { FileHandle } from 'node:fs/promises';
import type { SessionRef } from '../../agent/tool.ts';
import { createReadJudge, type FilePlaces, type Target } from './place.ts';
import { type RipgrepEnd, ripgrep } from './ripgrep.ts';
import type { SearchMode, SearchPage } from './search-page.ts';

/**
 * Searches in two steps. ripgrep walks the directories by name, where somebody may swap a directory for a link at any time: what it says is only where to
 * look. Each of these files is then opened without following links, and what is shown comes from the opened files.
 */

const TIMEOUT_MS = 30_000;
const BATCH = 32;
const MAX_COLUMNS = 20_000;

export interface SearchParts extends FilePlaces {
  readonly environment: Readonly<Record<string, string>>;
}

export interface Search {
  readonly pattern: string;
  readonly target: 'content' | 'files';
  readonly file_glob?: string | undefined;
  readonly mode: SearchMode;
  readonly context: number;
  readonly parts: SearchParts;
  readonly session: SessionRef;
  readonly place: Target;
  readonly page: SearchPage;
}

export async function search(given: Search, signal: AbortSignal): Promise<RipgrepEnd> {
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const queue = createQueue(given, deadline, signal);
  const call = { cwd: given.session.workspace, environment: given.parts.environment, deadline };
  const end = await ripgrep({ ...call, args: walkArguments(given), line: queue.add }, signal);
  return (await queue.end(end)) ?? end;
}

/** The pattern comes after `--`: whatever it looks like, it is no option. */
function walkArguments({ pattern, target, file_glob, place }: Search): string[] {
  const only = file_glob === undefined ? [] : [`--glob=${file_glob}`];
  const own = place.real.includes(KEPT_RESULTS) ? [] : [`--glob=!**${KEPT_RESULTS}/**`];
  const common = ['--hidden', '--sort=path', ...only, '--glob=!.git', ...own];
  if (target === 'files') return [...common, '--files', `--glob=${nameGlob(pattern)}`, '--', place.real];
  return [...common, '--files-with-matches', '--', pattern, place.real];
}

/** Where results lie that were too long to be shown: copies of what is elsewhere. */
const KEPT_RESULTS = '/.hermes/results';

function nameGlob(pattern: string): string {
  return /[*?[{]/u.test(pattern) ? pattern : `*${pattern}*`;
}

interface Queue {
  /** `false`: the page is full. */
  add(file: string): Promise<boolean>;
  /** What is still in the queue; resolves to what has gone wrong. */
  end(walk: RipgrepEnd): Promise<RipgrepEnd | undefined>;
}

function createQueue(given: Search, deadline: AbortSignal, signal: AbortSignal): Queue {
  const waiting: string[] = [];
  const isShown = createReadJudge(given.place, given.session, given.parts);
  let failure: RipgrepEnd | undefined;
  let isFull = false;
  const work = async (): Promise<boolean> => {
    const end = await searchOpened(waiting.splice(0), given, { deadline, signal });
    isFull = end.kind === 'stopped';
    if (end.kind === 'failed' || end.kind === 'timeout') failure = end;
    return end.kind === 'done';
  };
  return {
    add: async (file) => {
      if (isShown(file)) waiting.push(file);
      else given.page.hide();
      return waiting.length < BATCH || (await work());
    },
    end: async (walk) => {
      if (walk.kind !== 'failed' && !isFull && failure === undefined && waiting.length > 0) await work();
      return isFull ? { kind: 'stopped' } : failure;
    },
  };
}

interface Signals {
  readonly deadline: AbortSignal;
  readonly signal: AbortSignal;
}

async function searchOpened(files: readonly string[], given: Search, { deadline, signal }: Signals): Promise<RipgrepEnd> {
  const opened = await Promise.all(files.map((file) => openForSearch(file, given.parts)));
  const there = opened.filter((each) => each !== undefined);
  try {
    if (given.target === 'files') return { kind: there.every(({ file }) => given.page.add({ file, isMatch: true })) ? 'done' : 'stopped' };
    if (there.length === 0) return { kind: 'done' };
    const names = there.map(({ file }, index) => (process.platform === 'linux' ? `/proc/self/fd/${index + 3}` : file));
    const line = (text: string): boolean => addLine(text, { there, names, given });
    const args = [...lookArguments(given), '--', given.pattern, ...names];
    const descriptors = there.map(({ handle }) => handle.fd);
    const call = { cwd: given.session.workspace, environment: given.parts.environment, deadline };
    return await ripgrep({ ...call, args, descriptors, line }, signal);
  } finally {
    for (const { handle } of there) await handle.close();
  }
}

interface OpenedFile {
  readonly file: string;
  readonly handle: FileHandle;
}

/** Nothing where it has gone, became a link, or is not ours to read. */
async function openForSearch(file: string, { files }: SearchParts): Promise<OpenedFile | undefined> {
  const handle = await files.open(file).catch(() => undefined);
  return handle === undefined ? undefined : { file, handle };
}

/** One thread: then the files come in the order in which they are named. */
function lookArguments({ mode, context }: Search): string[] {
  if (mode === 'files_only') return ['--threads=1', '--files-with-matches'];
  const common = ['--threads=1', '--null', '--with-filename'];
  if (mode === 'count') return [...common, '--count-matches'];
  return [...common, '--line-number', '--no-heading', `--max-columns=${MAX_COLUMNS}`, '--max-columns-preview', `--context=${context}`];
}

/** `name NUL line:text`, `name NUL line-text` for context, `--` between groups, `name NUL count`, or only a name. */
function addLine(
  text: string,
  { there, names, given }: { there: readonly OpenedFile[]; names: readonly string[]; given: Search },
): boolean {
  const [name = '', ...parts] = text.split('\0');
  const file = there[names.indexOf(name)]?.file;
  if (file === undefined) {
    given.page.gap();
    return true;
  }
  if (given.mode === 'files_only') return given.page.add({ file, isMatch: true });
  const rest = parts.join('\0');
  if (given.mode === 'count') return given.page.add({ file, isMatch: true, count: Number(rest) });
  const [, number = '', separator = ':', content = ''] = /^(\d+)([:-])([\s\S]*)$/u.exec(rest) ?? [];
  return given.page.add({ file, isMatch: separator === ':', line: { number: Number(number), content } });
}
