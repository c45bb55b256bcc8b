import { isMap, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';

/** A path into the data: keys of maps and indexes of lists. */
export type Path = readonly PropertyKey[];

export interface YamlFile {
  /** The top-level map; empty when the file is empty or could not be read. */
  readonly data: Readonly<Record<string, unknown>>;
  /** What is wrong with the file as YAML, one sentence with line and column each. */
  readonly problems: readonly string[];
  /** The line of a value's key (of the value itself in a list), counted from 1; undefined for what is not in the file. */
  line(path: Path): number | undefined;
  /** A scalar as it was written ("007", "1e3"), so that ids which look like numbers lose nothing. */
  source(path: Path): string | undefined;
}

const advice: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab is used for indentation: use spaces',
  DUPLICATE_KEY: 'this key is there twice: remove one',
  MULTIPLE_DOCS: 'a second document begins with "---": keep only one',
  BLOCK_AS_IMPLICIT_KEY: 'a key cannot begin here: check the indentation, and put a value that contains ": " into quotes',
  MULTILINE_IMPLICIT_KEY: 'a key cannot begin here: check the indentation, and put a value that contains ": " into quotes',
};

/** Reads `config.yaml`. `name` is how problems call the file. Messages never quote the file's content: it may be a secret. */
export function readYaml(text: string, name: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: lines, merge: true, prettyErrors: false, logLevel: 'error' });
  const place = (offset: number) => lines.linePos(offset);
  const problems = unique(
    document.errors.map((error) => {
      const { line, col } = place(error.pos[0]);
      return `${name} line ${line}, column ${col}: ${advice[error.code] ?? sentence(error.message)}`;
    }),
  );
  const root = document.contents;
  if (root !== null && !isMap(root) && !isEmptyScalar(root) && problems.length === 0) {
    problems.push(
      `${name} line ${place(root.range?.[0] ?? 0).line}: expected keys such as "telegram:" at the top level, but it is ${kind(root)}`,
    );
  }
  const node = (path: Path) => (path.length === 0 ? undefined : nodeAt(document.contents, path));
  return {
    data: problems.length === 0 ? toData(document, name, problems) : {},
    problems,
    line: (path) => {
      const offset = keyOffset(document.contents, path) ?? node(path)?.range?.[0];
      return offset === undefined ? undefined : place(offset).line;
    },
    source: (path) => {
      const found = node(path);
      return isScalar(found) ? found.source : undefined;
    },
  };
}

function toData(document: ReturnType<typeof parseDocument>, name: string, problems: string[]): Record<string, unknown> {
  keepLongNumbers(document);
  try {
    const data: unknown = document.toJS({ maxAliasCount: 100 });
    return typeof data === 'object' && data !== null ? { ...data } : {};
  } catch (error) {
    const many = error instanceof Error && error.message.startsWith('Excessive');
    problems.push(many ? `${name}: its aliases (*name) repeat too much` : `${name}: an alias (*name) has no anchor (&name) before it`);
    return {};
  }
}

/** An id of Discord is a number to YAML, and too long for one: rounded, it would be somebody else's. */
function keepLongNumbers(document: ReturnType<typeof parseDocument>): void {
  visit(document, {
    Scalar(_key, node) {
      const isRounded = typeof node.value === 'number' && Number.isInteger(node.value) && !Number.isSafeInteger(node.value);
      if (isRounded && /^-?\d+$/.test(node.source ?? '')) node.value = node.source;
    },
  });
}

function nodeAt(root: unknown, path: Path): Node | undefined {
  let node = root as Node | undefined;
  for (const step of path) {
    const next: unknown = (node as { get?(key: unknown, keep: true): unknown } | undefined)?.get?.(step, true);
    if (next === undefined || next === null) return undefined;
    node = next as Node;
  }
  return node;
}

/** A value that has keys below it begins on the line after its own key, which is where a reader looks. */
function keyOffset(root: unknown, path: Path): number | undefined {
  const parent = nodeAt(root, path.slice(0, -1));
  const pair = isMap(parent)
    ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(path.at(-1)))
    : undefined;
  return isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
}

function unique(lines: readonly string[]): string[] {
  return [...new Set(lines)];
}

function isEmptyScalar(node: unknown): boolean {
  return isScalar(node) && node.value === null;
}

function kind(node: unknown): string {
  return isScalar(node) ? 'a single value' : 'a list';
}

/** The parser's own first sentence without the text that it quotes. */
function sentence(message: string): string {
  return (
    message
      .replace(/(?:^|(?<=\s))(["'`]).*?\1/g, '…')
      .split('\n')[0]
      ?.replace(/ at line \d+, column \d+:?$/, '') ?? message
  );
}
