import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import { locate, outsideOf, readRefusal, searchRisk } from './place.ts';
import { type SearchParts, search } from './search.ts';
import { createSearchPage } from './search-page.ts';
import { fileProblem } from './text-file.ts';

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
  const target = await locate(given.path, ctx.session, parts);
  const refusal = readRefusal(target, ctx.session, parts) ?? whyNotPattern(given);
  if (refusal !== undefined) return { content: refusal, failed: true };
  const there = await parts.files.look(target.real).catch((error: unknown) => fileProblem(error, target.named));
  if (typeof there === 'string') return { content: there, failed: true };
  if (there === undefined)
    return { content: `There is nothing at ${target.named}. Search from the workspace by leaving path out.`, failed: true };
  const mode = given.target === 'files' ? 'files_only' : given.output_mode;
  const page = createSearchPage({ ...given, mode, workspace: ctx.session.workspace, target });
  const end = await search({ ...given, mode, parts, session: ctx.session, place: target, page }, ctx.signal);
  if (end.kind === 'failed') return { content: `The search failed. ${end.why}`, failed: true };
  return { ...page.output(end.kind, given.target === 'files' ? 'files' : 'matches'), ...outsideOf(target, ctx.session) };
}

function whyNotPattern({ pattern, file_glob = '' }: Args): string | undefined {
  if (/[\0\n]/u.test(pattern)) return 'The pattern may not hold line breaks: the search looks at one line at a time.';
  return /[\0\n]/u.test(file_glob) ? 'file_glob may not hold line breaks.' : undefined;
}
