import { basename } from 'node:path/posix';
import { children, functions, isNode, type Node, type Source, visit } from './source.ts';

export const walls = { fileLines: 300, functionLines: 45, parameters: 3, requiredMethods: 6 } as const;

type Check = (source: Source) => string[];

/** House style (design section 9) as far as a machine can tell: "file:line what is wrong". */
export const styleChecks: Readonly<Record<string, Check>> = {
  'files are at most 300 lines long': (source) => {
    const lines = source.text.trimEnd().split('\n').length;
    return lines > walls.fileLines ? [`${source.path} has ${lines} lines`] : [];
  },
  'functions are at most 45 lines long': (source) =>
    functions(source)
      .filter(({ lines }) => lines > walls.functionLines)
      .map(({ name, line, lines }) => `${source.path}:${line} ${name} has ${lines} lines`),
  'functions take at most three parameters before the signal': (source) =>
    functions(source)
      .filter(({ node }) => positional(node) > walls.parameters)
      .map(({ name, line, node }) => `${source.path}:${line} ${name} takes ${positional(node)} parameters`),
  'modules hold no state': (source) => topLevel(source).flatMap((node) => moduleState(node).map((what) => `${at(source, node)} ${what}`)),
  'exports have names': (source) =>
    (source.program['body'] as Node[]).filter(({ type }) => type === 'ExportDefaultDeclaration').map((node) => at(source, node)),
  'there are no enums and no namespaces': (source) => nodesOf(source, ['TSEnumDeclaration', 'TSModuleDeclaration']),
  'no type is any and nothing is asserted to be there': (source) => nodesOf(source, ['TSAnyKeyword', 'TSNonNullExpression']),
  'contracts have at most six required methods': (source) => {
    const found: string[] = [];
    visit(source.program, (node) => {
      if (node.type === 'TSInterfaceDeclaration' && requiredMethods(node) > walls.requiredMethods) found.push(at(source, node));
    });
    return found;
  },
  'only the two registries do nothing but pass on': ({ path, program }) => {
    const statements = program['body'] as Node[];
    const passing = statements.length > 0 && statements.every(isPassedOn);
    const registry = path === 'adapters/index.ts' || path === 'tools/index.ts';
    return !registry && (passing || statements.some(({ type }) => type === 'ExportAllDeclaration')) ? [path] : [];
  },
  'file names are kebab-case': ({ path }) => (/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/.test(basename(path)) ? [] : [path]),
};

function isPassedOn(statement: Node): boolean {
  if (statement.type === 'ImportDeclaration' || statement.type === 'ExportAllDeclaration') return true;
  return statement.type === 'ExportNamedDeclaration' && !isNode(statement['declaration']);
}

function at(source: Source, node: Node): string {
  return `${source.path}:${source.line(node.start)}`;
}

function nodesOf(source: Source, types: readonly string[]): string[] {
  const found: string[] = [];
  visit(source.program, (node) => {
    if (types.includes(node.type)) found.push(at(source, node));
  });
  return found;
}

/** Parameters of a function but for a last AbortSignal. */
function positional(node: Node): number {
  const parameters = node['params'] as readonly Node[];
  const last = parameters.at(-1);
  const name = last?.type === 'Identifier' ? String(last['name']) : '';
  return /signal$/i.test(name) ? parameters.length - 1 : parameters.length;
}

/** Statements of the module itself, with exported declarations unwrapped. */
function topLevel(source: Source): Node[] {
  return (source.program['body'] as Node[]).map((node) => (isNode(node['declaration']) ? node['declaration'] : node));
}

function moduleState(node: Node): string[] {
  if (node.type !== 'VariableDeclaration' || node['declare'] === true) return [];
  if (node['kind'] === 'let' || node['kind'] === 'var') return [`${node['kind']} at module level`];
  const filledLater = (node['declarations'] as Node[]).some(({ id, init }) => isNode(init) && isEmptyContainer(init) && !isReadonly(id));
  return filledLater ? ['an empty container at module level'] : [];
}

/** Something that only makes sense when it is filled later. A WeakMap is let through: it can only remember what can be computed again. */
function isEmptyContainer(init: Node): boolean {
  if (init.type === 'ArrayExpression') return (init['elements'] as unknown[]).length === 0;
  if (init.type !== 'NewExpression' || !isNode(init['callee'])) return false;
  return /^(Map|Set)$/.test(String(init['callee']['name'])) && (init['arguments'] as unknown[]).length === 0;
}

/** Declared as something that cannot be filled: the constant for "none". */
function isReadonly(id: unknown): boolean {
  const type = isNode(id) && isNode(id['typeAnnotation']) ? id['typeAnnotation']['typeAnnotation'] : undefined;
  if (!isNode(type)) return false;
  return type['operator'] === 'readonly' || (isNode(type['typeName']) && String(type['typeName']['name']).startsWith('Readonly'));
}

function requiredMethods(node: Node): number {
  return children(node['body'] as Node).filter((member) => member['optional'] !== true && isCallable(member)).length;
}

function isCallable(member: Node): boolean {
  if (member.type === 'TSMethodSignature') return true;
  const type = isNode(member['typeAnnotation']) ? member['typeAnnotation']['typeAnnotation'] : undefined;
  return member.type === 'TSPropertySignature' && isNode(type) && type.type === 'TSFunctionType';
}
