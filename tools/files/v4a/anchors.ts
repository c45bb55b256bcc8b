/** Finds the lines that "@@" names, each below the one before it: indexes of the last. Pure. */
export function findAnchors(lines: readonly string[], anchors: readonly string[]): number[] {
  const [outer, ...inner] = anchors;
  if (outer === undefined) return [];
  const found = linesLike(lines, outer).flatMap((at) => innermost(lines, at, inner));
  return [...new Set(found)];
}

/** Below each outer line the nearest inner one is meant, not the same name in what follows. */
function innermost(lines: readonly string[], above: number, anchors: readonly string[]): number[] {
  let at = above;
  for (const anchor of anchors) {
    const next = linesLike(lines, anchor).find((candidate) => candidate > at);
    if (next === undefined) return [];
    at = next;
  }
  return [at];
}

/** Models leave out indentation, the end of a long line, or its beginning. */
const LADDER: readonly ((line: string, anchor: string) => boolean)[] = [
  (line, anchor) => line.trim() === anchor,
  (line, anchor) => collapsed(line) === collapsed(anchor),
  (line, anchor) => line.trim().startsWith(anchor),
  (line, anchor) => line.includes(anchor),
];

function collapsed(text: string): string {
  return text.trim().replaceAll(/\s+/gu, ' ');
}

function linesLike(lines: readonly string[], anchor: string): number[] {
  for (const isLike of LADDER) {
    const found = [...lines.keys()].filter((at) => isLike(lines[at] ?? '', anchor));
    if (found.length > 0) return found;
  }
  return [];
}
