/** A QR code of block characters, two rows a line. Pure. Light squares are drawn: most terminals are dark, and phones want a light ground. */
const QUIET = 4;

export function terminalQr(rows: readonly string[]): string {
  const width = (rows[0]?.length ?? 0) + 2 * QUIET;
  const blank = '0'.repeat(width);
  const padded = [
    ...Array.from({ length: QUIET }, () => blank),
    ...rows.map((row) => '0'.repeat(QUIET) + row + '0'.repeat(QUIET)),
    ...Array.from({ length: QUIET }, () => blank),
  ];
  const lines: string[] = [];
  for (let index = 0; index < padded.length; index += 2)
    lines.push([...(padded[index] ?? blank)].map((upper, column) => block(upper, (padded[index + 1] ?? blank)[column] ?? '0')).join(''));
  return lines.join('\n');
}

function block(upper: string, lower: string): string {
  if (upper === '0') return lower === '0' ? '█' : '▀';
  return lower === '0' ? '▄' : ' ';
}
