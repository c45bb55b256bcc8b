/** One variable of an `.env` file. */
export interface EnvEntry {
  readonly value: string;
  readonly line: number;
}

export interface EnvFile {
  readonly entries: ReadonlyMap<string, EnvEntry>;
  /** Lines that could not be understood, without their content: it may be a secret. */
  readonly problems: readonly string[];
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=[ \t]*/;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * `NAME=value`, `export NAME=value`, comments, single quotes (literal), double quotes (escapes, may span lines). The last of several
 * assignments wins, as in a shell. Nothing is expanded: a `$` in a password stays a `$`.
 */
export function parseEnvFile(text: string): EnvFile {
  const entries = new Map<string, EnvEntry>();
  const problems: string[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = index + 1;
    const read = readLine(lines, index);
    if (read.type === 'problem') problems.push(`.env line ${line}: ${read.why}`);
    if (read.type === 'entry') {
      entries.set(read.name, { value: read.value, line });
      index = read.lastIndex;
    }
  }
  return { entries, problems };
}

type Read =
  | { readonly type: 'empty' }
  | { readonly type: 'problem'; readonly why: string }
  | { readonly type: 'entry'; readonly name: string; readonly value: string; readonly lastIndex: number };

function readLine(lines: readonly string[], index: number): Read {
  const line = lines[index] ?? '';
  if (/^\s*(#|$)/.test(line)) return { type: 'empty' };
  const [head, name] = assignment.exec(line) ?? [];
  if (head === undefined || name === undefined) return { type: 'problem', why: 'expected NAME=value; the line is ignored' };
  const rest = line.slice(head.length);
  const quote = rest[0];
  if (quote !== '"' && quote !== "'") return { type: 'entry', name, value: unquoted(rest), lastIndex: index };
  return readQuoted(lines, index, { name, quote, rest: rest.slice(1) });
}

/** A comment begins with a `#` at the start or after white space, so that a token may contain one. */
function unquoted(text: string): string {
  return text.replace(/(^|\s)#.*$/, '').trim();
}

function readQuoted(lines: readonly string[], index: number, open: { name: string; quote: string; rest: string }): Read {
  const closing = open.quote === '"' ? /^((?:[^"\\]|\\[\s\S])*)"/ : /^([^']*)'/;
  let text = open.rest;
  for (let lastIndex = index; lastIndex < lines.length; lastIndex += 1) {
    if (lastIndex > index) text += `\n${lines[lastIndex] ?? ''}`;
    const inside = closing.exec(text)?.[1];
    if (inside === undefined) continue;
    return { type: 'entry', name: open.name, value: open.quote === '"' ? withoutEscapes(inside) : inside, lastIndex };
  }
  return { type: 'problem', why: `the quote after ${open.name}= is never closed; the line is ignored` };
}

function withoutEscapes(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, character: string) => escapes[character] ?? character);
}
