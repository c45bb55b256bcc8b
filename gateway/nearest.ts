/** Damerau-Levenshtein distance (a swap of neighbours counts one): the common slips of the hand. */
function distance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const costs = [at(last, column) + 1, at(line, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1)];
      if (swapped) costs.push(at(beforeLast, column - 2) + 1);
      line.push(Math.min(...costs));
    }
    beforeLast = last;
    last = line;
  }
  return at(last, right.length);
}

function at(line: readonly number[], index: number): number {
  return line[index] ?? Number.POSITIVE_INFINITY;
}

/** The known word that was probably meant, or undefined when none is near. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase().replaceAll('-', '_');
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: { readonly word: string; readonly cost: number } | undefined;
  for (const candidate of known) {
    const cost = distance(wanted, candidate.toLowerCase().replaceAll('-', '_'));
    if (cost <= limit && cost < (best?.cost ?? Number.POSITIVE_INFINITY)) best = { word: candidate, cost };
  }
  return best?.word;
}
