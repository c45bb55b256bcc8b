/** Small words for people. Pure. */

/** Somebody's words inside a line of ours: one line, cut at `units`, and no markdown of its own. */
export function quoted(text: string, units: number): string {
  const line = text.toWellFormed().replaceAll(/\s+/g, ' ').trim();
  const cut = line.length > units ? `${line.slice(0, units - 1).toWellFormed()}…` : line;
  return cut.replaceAll(/[\\`*_~[\]<>#|]/g, String.raw`\$&`);
}

/** "40 s", "12 min", "3 h", "5 days": one unit, rounded down. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return counted(Math.floor(seconds / 86_400), 'day');
}

/** "1 message", "2 messages". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
