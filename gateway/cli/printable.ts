/** What others have written, for a terminal: whatever would move the cursor, colour or hide something is shown as its code. */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`);
}

/** "2026-07-28 14:03:11", local time. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}
