import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export type Root = ReturnType<typeof fromMarkdown>;
export type Block = Root['children'][number];
export type Definition = Block & { readonly type: 'definition' };

/** Where reference links point, by identifier. */
export type Definitions = ReadonlyMap<string, Definition>;

export function parseMarkdown(markdown: string): Root {
  return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

export function definitionsOf(root: Root): Definitions {
  return new Map(
    root.children.filter((block): block is Definition => block.type === 'definition').map((block) => [block.identifier, block]),
  );
}
