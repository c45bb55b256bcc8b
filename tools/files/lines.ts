/** A text (LF line ends) as numbered lines, counted from 0. An end of line at the very end begins no further line. */
export interface Lines {
  readonly texts: readonly string[];
  startOf(index: number): number;
  /** Without its line end. */
  endOf(index: number): number;
  endsWithBreak(index: number): boolean;
}

export function createLines(text: string): Lines {
  const texts = text.split('\n');
  if (texts.at(-1) === '') texts.pop();
  const starts: number[] = [];
  let at = 0;
  for (const line of texts) {
    starts.push(at);
    at += line.length + 1;
  }
  const startOf = (index: number): number => starts[index] ?? text.length;
  const endOf = (index: number): number => startOf(index) + (texts[index]?.length ?? 0);
  return { texts, startOf, endOf, endsWithBreak: (index) => endOf(index) < text.length };
}
