import type { Outline } from '../shared/shell/outline.ts';

/** What an exit code means that looks like a failure and is an answer, or has one usual reason. One sentence; empty where there is nothing to say. */
export function exitHint(code: number, outline: Outline, output: string): string {
  if (code === 0) return '';
  const words = outline.endsInLast ? (outline.commands.at(-1) ?? []) : [];
  const name = (words[0] ?? '').split('/').at(-1) ?? '';
  if (usesSudo(outline) && /a (?:terminal|password) is required|no new privileges/u.test(output)) return sudoHint(output);
  return OF_PROGRAMS[programOf(name, words)]?.[code] ?? OF_SHELLS[code] ?? '';
}

export function usesSudo({ commands }: Outline): boolean {
  return commands.some(([name]) => name === 'sudo');
}

function sudoHint(output: string): string {
  if (output.includes('no new privileges')) return 'sudo cannot work here: commands are isolated (terminal.isolation).';
  return 'sudo needs a password: the owner can set SUDO_PASSWORD in .env. Do without, or ask the person.';
}

function programOf(name: string, words: readonly string[]): string {
  if (/^(?:[efz]?grep|rg|ag|ack)$/u.test(name)) return 'grep';
  if (name === 'git') return `git ${words.slice(1).find((word) => !word.startsWith('-')) ?? ''}`;
  return name === '[' ? 'test' : name;
}

const nothingFound = { 1: 'nothing matched; that is no error' };
const differ = { 1: 'they differ; that is no error' };

const OF_PROGRAMS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: nothingFound,
  pgrep: { 1: 'no such process; that is no error' },
  'git grep': nothingFound,
  diff: differ,
  cmp: differ,
  'git diff': differ,
  test: { 1: 'the condition is false; that is no error' },
  find: { 1: 'some places could not be looked at' },
  curl: {
    6: 'the name could not be resolved',
    7: 'the connection was refused',
    22: 'the server answered with an error',
    28: 'it took too long',
    60: 'the certificate could not be verified',
  },
  ssh: { 255: 'the connection failed' },
};

const OF_SHELLS: Readonly<Record<number, string>> = {
  126: 'it is there and cannot be run (permissions?)',
  127: 'there is no such program',
  130: 'it was interrupted',
  134: 'it aborted itself',
  137: 'it was killed (too much memory?)',
  139: 'it crashed (segmentation fault)',
  143: 'it was asked to end',
};

const SERVERS =
  /^(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:dev|start|serve|watch|preview)\b|npx (?:vite|next|serve|http-server)\b|(?:vite|next dev|nodemon|webpack serve|ng serve|hugo server|jekyll serve|mkdocs serve)\b|python3? -m (?:http\.server|flask run|uvicorn)\b|(?:flask run|uvicorn|gunicorn|hypercorn|rails s(?:erver)?|php -S|celery|redis-server|postgres|mongod|caddy run|nginx)\b|docker(?:-| )compose up(?!.* -d\b)|tail -[fF]\b|watch\b|jupyter\b)/u;

/** It usually runs until somebody ends it. */
export function looksEndless({ commands }: Outline): boolean {
  return commands.some((words) => SERVERS.test(words.join(' ')));
}
