/** Tables as aligned text, for platforms whose only table is a fixed-width font. */

export type Alignment = 'left' | 'right' | 'center' | null | undefined;

/** A longer cell stays as it is and is not padded for, or one long cell would blow up every row. */
const WIDEST_COLUMN = 40;

const MARK = /\p{Mark}|\p{Default_Ignorable_Code_Point}/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

/** Columns that a fixed-width font gives to the text: wide characters take two, marks none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (MARK.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

function pad(cell: string, width: number, alignment: Alignment): string {
  const missing = Math.max(0, width - displayWidth(cell));
  if (alignment === 'right') return ' '.repeat(missing) + cell;
  if (alignment !== 'center') return cell + ' '.repeat(missing);
  const before = Math.floor(missing / 2);
  return ' '.repeat(before) + cell + ' '.repeat(missing - before);
}

/** The first row is the header. Cells are single lines of plain text. */
export function alignedTable(rows: readonly (readonly string[])[], alignments: readonly Alignment[]): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_unused, column) =>
    Math.min(WIDEST_COLUMN, Math.max(1, ...rows.map((row) => displayWidth(row[column] ?? '')))),
  );
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => pad(row[column] ?? '', width, alignments[column]))
      .join(' │ ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('─┼─');
  const [header = [], ...body] = rows;
  return [line(header), rule, ...body.map(line)].join('\n');
}
