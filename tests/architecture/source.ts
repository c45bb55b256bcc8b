import { parseSync } from 'oxc-parser';

/** A node of the syntax tree (ESTree with TypeScript's nodes); offsets count UTF-16 units. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** One source file, parsed. `path` is relative to the root, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly program: Node;
  /** The line of an offset, counted from 1. */
  line(offset: number): number;
}

export function parseSource(path: string, text: string): Source {
  const { program, errors } = parseSync(path, text, { lang: 'ts', sourceType: 'module' });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const starts = [0];
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) starts.push(index + 1);
  return { path, text, program: program as unknown as Node, line: (offset) => starts.findLastIndex((start) => start <= offset) + 1 };
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The direct children of a node in the order of the text. */
export function children(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

/** Every node below and with its parents, outermost first. */
export function visit(node: Node, enter: (node: Node, parents: readonly Node[]) => void, parents: readonly Node[] = []): void {
  enter(node, parents);
  for (const child of children(node)) visit(child, enter, [...parents, node]);
}

export interface Import {
  readonly specifier: string;
  /** `await import()`: loaded when it is wanted, so no part of an import cycle. */
  readonly lazy: boolean;
  readonly line: number;
}

/** Everything that names another module: imports, re-exports, `import()` and `import('x').Type`. */
export function imports(source: Source): Import[] {
  const found: Import[] = [];
  visit(source.program, (node) => {
    const from = importSource(node);
    if (from !== undefined) found.push({ specifier: from, lazy: node.type === 'ImportExpression', line: source.line(node.start) });
  });
  return found;
}

const importing = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression', 'TSImportType']);

function importSource(node: Node): string | undefined {
  if (!importing.has(node.type)) return undefined;
  const from = isNode(node['source']) ? node['source'] : node['argument'];
  const literal = isNode(from) && from.type === 'TSLiteralType' ? from['literal'] : from;
  return isNode(literal) && typeof literal['value'] === 'string' ? literal['value'] : undefined;
}

export interface FunctionSpan {
  /** For messages; "(callback)" when it has no name of its own. */
  readonly name: string;
  readonly named: boolean;
  readonly line: number;
  readonly lines: number;
  readonly node: Node;
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const naming = new Set(['VariableDeclarator', 'MethodDefinition', 'Property', 'PropertyDefinition', 'AssignmentExpression']);

/** Every function with a body, as many lines long as it is from its name to its closing brace. */
export function functions(source: Source): FunctionSpan[] {
  const found: FunctionSpan[] = [];
  visit(source.program, (node, parents) => {
    if (!functionTypes.has(node.type) || !isNode(node['body'])) return;
    const parent = parents.at(-1);
    const holder = parent !== undefined && naming.has(parent.type) ? parent : undefined;
    const name = nameOf(node) ?? nameOf(holder);
    const start = Math.min(node.start, holder?.start ?? node.start);
    const line = source.line(start);
    const lines = source.line(node.end - 1) - line + 1;
    found.push({ name: name ?? '(callback)', named: name !== undefined, line, lines, node });
  });
  return found;
}

function nameOf(node: Node | undefined): string | undefined {
  const name = node?.['id'] ?? node?.['key'] ?? node?.['left'];
  return isNode(name) && typeof name['name'] === 'string' ? name['name'] : undefined;
}
