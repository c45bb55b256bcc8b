/** Share of common letter pairs (Dice), with a bonus where one text holds the other. */
export function similarity(left: string, right: string): number {
  if (left === right) return 1;
  if (left === '' || right === '') return 0;
  const available = new Map<string, number>();
  for (const pair of pairs(right)) available.set(pair, (available.get(pair) ?? 0) + 1);
  let common = 0;
  for (const pair of pairs(left)) {
    const count = available.get(pair) ?? 0;
    if (count > 0) common += 1;
    available.set(pair, count - 1);
  }
  const dice = (2 * common) / Math.max(1, left.length + right.length - 2);
  return left.includes(right) || right.includes(left) ? Math.max(dice, 0.6) : dice;
}

function pairs(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2));
}
