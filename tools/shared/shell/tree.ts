import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type { Node } from 'web-tree-sitter';

/** One bash syntax tree; it must be released because its memory is not the collector's. */
export interface ShellTree {
  readonly root: Node;
  release(): void;
}

export type ParseShell = (text: string) => ShellTree | undefined;

/**
 * Loads the parser (some 30 ms and a few MB), so call it when the first command comes and keep the promise. The grammars are found by package name
 * at run time: the daemon runs from a bundle, node_modules is always beside it.
 */
export async function loadShellParser(): Promise<ParseShell> {
  keepBaselineCode();
  const require = createRequire(import.meta.url);
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init({ locateFile: () => require.resolve('web-tree-sitter/web-tree-sitter.wasm') });
  const parser = new Parser();
  parser.setLanguage(await Language.load(require.resolve('tree-sitter-bash/tree-sitter-bash.wasm')));
  return (text) => {
    const tree = parser.parse(text);
    return tree === null ? undefined : { root: tree.rootNode, release: () => tree.delete() };
  };
}

/**
 * V8 recompiles busy WebAssembly functions with its optimising compiler. On the one huge function of this grammar that takes 350 MB (measured: 454 MB instead of
 * 104 MB resident after 600 commands) and makes nothing faster that anybody would notice. The flags hold for the process and for modules compiled from now on.
 */
function keepBaselineCode(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
