import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { defineTool, type SessionRef, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import { isWithin } from '../shared/home-paths.ts';
import { type FilePlaces, locate, readRefusal, searchRisk, type Target } from './place.ts';
import { type RipgrepEnd, ripgrep } from './ripgrep.ts';

const MAX_CHARACTERS = 100_000;

const args = z.object({
  pattern: z
    .string()
    .min(1)
    .describe('target content: a regular expression (Rust syntax). target files: a glob such as *.ts or src/**/*.md, or part of a name.'),
  target: z.enum(['content', 'files']).default('content').describe('Search in files, or for files by name.'),
  path: z.string().default('.').describe('Directory or file to search: relative to the workspace, absolute, or beginning with ~/.'),
  file_glob: z.string().optional().describe('Only files that match this glob, for example *.py'),
  limit: z.number().int().min(1).max(1_000).default(50).describe('How many results at most.'),
  offset: z.number().int().min(0).default(0).describe('How many results to skip.'),
  output_mode: z
    .enum(['content', 'files_only', 'count'])
    .default('content')
    .describe('Matching lines, names of matching files, or matches per file.'),
  context: z.number().int().min(0).max(20).default(0).describe('Lines to show around each match.'),
});

type Args = z.output<typeof args>;

export interface SearchParts extends FilePlaces {
  readonly environment: Readonly<Record<string, string>>;
}

export function createSearchFiles(parts: SearchParts): Tool {
  return defineTool({
    name: 'search_files',
    toolset: 'file',
    description:
      'Search the contents of files by regular expression, or find files by name. Skips what .gitignore names, .git and binaries. Results are sorted by path.',
    args,
    effect: 'read',
    preview: (given) => (given.path === '.' ? given.pattern : `${given.pattern} in ${given.path}`),
    risk: async (given, session) => searchRisk(given.path, session, parts),
    run: (given, ctx) => run(given, parts, ctx),
  });
}

async function run(given: Args, parts: SearchParts, ctx: ToolContext): Promise<ToolOutput> {
  const target = locate(given.path, ctx.session, parts);
  const refusal = readRefusal(target, ctx.session, parts);
  if (refusal !== undefined) return { content: refusal, failed: true };
  if (!existsSync(target.real))
    return { content: `There is nothing at ${target.named}. Search from the workspace by leaving path out.`, failed: true };
  if (/[\0\n]/u.test(given.pattern))
    return { content: 'The pattern may not hold line breaks: the search looks at one line at a time.', failed: true };
  const page = createPage(given, { parts, session: ctx.session, target });
  const end = await ripgrep(
    { args: arguments_(given, target), cwd: ctx.session.workspace, environment: parts.environment, line: page.add },
    ctx.signal,
  );
  if (end.kind === 'failed') return { content: `The search failed. ${end.why}`, failed: true };
  return { content: page.text(end) };
}

/** The pattern comes after `--`: whatever it looks like, it is no option. */
function arguments_(given: Args, target: Target): string[] {
  const only = given.file_glob === undefined ? [] : [`--glob=${given.file_glob}`];
  const common = ['--hidden', '--glob=!.git', '--sort=path', ...only];
  if (given.target === 'files') return [...common, '--files', `--glob=${nameGlob(given.pattern)}`, '--', target.real];
  return [...common, ...modeArguments(given), '--', given.pattern, target.real];
}

function modeArguments(given: Args): string[] {
  if (given.output_mode === 'files_only') return ['--files-with-matches'];
  if (given.output_mode === 'count') return ['--count-matches', '--with-filename', '--null'];
  const shape = ['--line-number', '--with-filename', '--no-heading', '--null', '--max-columns=400', '--max-columns-preview'];
  return [...shape, `--context=${given.context}`];
}

function nameGlob(pattern: string): string {
  return /[*?[{]/u.test(pattern) ? pattern : `*${pattern}*`;
}

interface Page {
  add(line: string): boolean;
  text(end: RipgrepEnd): string;
}

interface Where {
  readonly parts: SearchParts;
  readonly session: SessionRef;
  readonly target: Target;
}

/** Counts results, skips those before the page and ends the search one after it. */
function createPage(given: Args, where: Where): Page {
  const shown: string[] = [];
  const isAllowed = createFilter(where);
  let context: string[] = [];
  let seen = 0;
  let characters = 0;
  let hidden = 0;
  const addContext = (text: string): void => {
    if (seen > given.offset) shown.push(text);
    else context = [...context, text].slice(-given.context);
  };
  const addMatch = (text: string): boolean => {
    seen += 1;
    if (seen > given.offset + given.limit || characters > MAX_CHARACTERS) return false;
    if (seen > given.offset) {
      shown.push(...context, text);
      characters += text.length + 1;
    }
    context = [];
    return true;
  };
  const add = (line: string): boolean => {
    const entry = parse(line, given, where);
    if (entry === undefined) return true;
    const allowed = isAllowed(entry.file);
    if (!allowed) hidden += entry.counts ? 1 : 0;
    if (allowed && entry.counts) return addMatch(entry.text);
    if (allowed) addContext(entry.text);
    return true;
  };
  return { add, text: (end) => present({ shown, last: Math.min(seen, given.offset + given.limit), hidden }, given, end) };
}

interface Entry {
  readonly file: string;
  readonly text: string;
  /** A match; context around it does not count. */
  readonly counts: boolean;
}

/** `file NUL line:text`, `file NUL line-text` for context, `--` between groups, `file NUL count`, or only a file's name. */
function parse(line: string, given: Args, where: Where): Entry | undefined {
  if (given.target === 'files' || given.output_mode === 'files_only') return { file: line, text: display(line, where), counts: true };
  const end = line.indexOf('\0');
  if (end < 0) return undefined;
  const file = line.slice(0, end);
  const content = line.slice(end + 1);
  const name = display(file, where);
  if (given.output_mode === 'count') return { file, text: `${name}: ${content}`, counts: true };
  const [, number = '', separator = ':', text = ''] = /^(\d+)([:-])([\s\S]*)$/u.exec(content) ?? [];
  return { file, text: `${name}${separator}${number}${separator} ${text}`, counts: separator === ':' };
}

/** Names as the model may hand them on: relative to the workspace where they lie in it. */
function display(file: string, where: Where): string {
  const asNamed = path.join(where.target.named, path.relative(where.target.real, file));
  return isWithin(asNamed, where.session.workspace) ? path.relative(where.session.workspace, asNamed) : asNamed;
}

/** A search over a home directory must not show the keys in it. */
function createFilter(where: Where): (file: string) => boolean {
  const known = new Map<string, boolean>();
  return (file) => {
    const allowed = known.get(file) ?? readRefusal({ named: file, real: file }, where.session, where.parts) === undefined;
    known.set(file, allowed);
    return allowed;
  };
}

function present(page: { shown: readonly string[]; last: number; hidden: number }, given: Args, end: RipgrepEnd): string {
  const withheld = page.hidden > 0 ? ` ${page.hidden} more in protected files are not shown.` : '';
  const timeout = end.kind === 'timeout' ? ' The search took too long and was ended: search a smaller directory.' : '';
  const what = given.target === 'files' ? 'files' : 'matches';
  if (page.shown.length === 0)
    return given.offset > 0 && page.last > 0
      ? `No more results; there are ${page.last}.${timeout}`
      : `No ${what} found.${withheld}${timeout}`;
  const more = end.kind === 'stopped' ? ` There are more: go on with offset ${page.last}.` : '';
  return `${page.shown.join('\n')}\n\n[results ${given.offset + 1} to ${page.last}.${more}${withheld}${timeout}]`;
}
