import { dirname, join, normalize } from 'node:path/posix';
import { imports, type Source } from './source.ts';

/** What one file may import of ours. The first rule whose `from` fits the file decides. Design section 2. */
interface Rule {
  readonly from: RegExp;
  /** `$1` stands for what `from` caught. */
  readonly may: readonly string[];
  readonly because: string;
}

const rules: readonly Rule[] = [
  { from: /^agent\//, may: ['agent/.*'], because: 'agent/ is a library that has never heard of a chat' },
  { from: /^adapters\/(adapter|platform|linking)\.ts$/, may: ['adapters/(adapter|linking)\\.ts'], because: 'the contract stands alone' },
  {
    from: /^adapters\/index\.ts$/,
    may: ['adapters/(adapter|platform|linking)\\.ts', 'adapters/[^/]+/platform\\.ts'],
    because: 'the registry must load no client',
  },
  {
    from: /^adapters\/shared\//,
    may: ['adapters/(adapter|platform|linking)\\.ts', 'adapters/shared/.*'],
    because: 'what platforms share knows none of them',
  },
  {
    from: /^adapters\/([^/]+)\//,
    may: ['adapters/(adapter|platform|linking)\\.ts', 'adapters/shared/.*', 'adapters/$1/.*'],
    because: 'a platform knows its own network and the contract',
  },
  { from: /^tools\/index\.ts$/, may: ['tools/.*', 'agent/.*'], because: 'the registry knows the tools' },
  { from: /^tools\/shared\//, may: ['tools/shared/.*', 'agent/.*'], because: 'what tools share knows none of them' },
  {
    from: /^tools\/([^/.]+)[/.]/,
    may: ['tools/$1(/.*|\\.ts)', 'tools/shared/.*', 'agent/.*'],
    because: 'no tool imports another: it calls ctx.invoke',
  },
  { from: /^gateway\/web\//, may: ['gateway/web/.*'], because: 'the page runs in a browser' },
  {
    from: /^gateway\/main\.ts$/,
    may: ['gateway/(?!web/).*', 'agent/.*', 'adapters/(adapter|platform|linking|index)\\.ts', 'tools/index\\.ts', 'tools/shared/.*'],
    because: 'the composition root knows the registries and not what is behind them',
  },
  {
    from: /^gateway\//,
    may: ['gateway/(?!web/|main\\.ts).*', 'agent/.*', 'adapters/(adapter|platform|linking)\\.ts'],
    because: 'the gateway moves data between the rooms; what it needs of another is a port that main.ts hands over',
  },
];

/** "file:line imports other: why not" for each import that its room forbids. */
export function forbiddenImports(source: Source): string[] {
  const rule = rules.find(({ from }) => from.test(source.path));
  if (rule === undefined) return [];
  const caught = rule.from.exec(source.path)?.[1] ?? '';
  const allowed = rule.may.map((pattern) => new RegExp(`^${pattern.replaceAll('$1', caught)}$`));
  return imports(source)
    .map((one) => ({ ...one, target: resolveImport(source.path, one.specifier) }))
    .filter(({ target }) => target !== undefined && !allowed.some((pattern) => pattern.test(target)))
    .map(({ line, target }) => `${source.path}:${line} imports ${target}: ${rule.because}`);
}

/** The imported file's path from the root, or undefined for a package. */
function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : undefined;
}

/** Each import cycle once, as "a -> b -> a". Imports of types count, lazy ones do not. */
export function importCycles(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map((source) => [source.path, staticTargets(source)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path);
    if (seen !== -1) cycles.push([...trail.slice(seen), path].join(' -> '));
    if (seen !== -1 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) walk(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return cycles;
}

function staticTargets(source: Source): string[] {
  const targets = imports(source)
    .filter(({ lazy }) => !lazy)
    .map(({ specifier }) => resolveImport(source.path, specifier));
  return [...new Set(targets.filter((target) => target !== undefined))];
}
