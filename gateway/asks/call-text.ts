/** What a card shows of a call that waits for approval: everything that would run, as far as it fits, so that nobody can take it for something else. Pure. */
import type { ApprovalRequest } from '../../agent/ask.ts';

/** Leaves room for the rest of the card in the smallest message of all platforms. */
const shownUnits = 1400;
/** A value beside its name; a longer one has a block of its own. */
const inlineUnits = 100;
const labelUnits = 300;
/** A hard break: without the spaces some platforms would join the lines. */
const newLine = '  \n';

export function approvalMarkdown({ call, args, preview, risk }: ApprovalRequest): string {
  const { blocks, hiddenUnits } = fitting(valuesOf(args) ?? [{ name: '', text: visible(preview) }]);
  const always = risk.memory === undefined ? '' : `“Always” would remember: ${code(cut(visible(risk.memory.label), labelUnits))}`;
  const rest =
    hiddenUnits === 0 ? '' : `⚠️ This is only the beginning: ${hiddenUnits} more characters are not shown. Say no if you are not sure.`;
  const lines = [`**May I run this?** (${escaped(call.name)})`, ...blocks, escaped(risk.why), always, rest];
  return lines.filter((line) => line !== '').join(newLine);
}

/** Other people's words in our markdown. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\\`*_~[\]<>#|&]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, ' ');
}

interface Value {
  /** Empty for the command itself. */
  readonly name: string;
  readonly text: string;
}

/** What is short comes first: a long text must not push out of sight where it goes. */
function valuesOf(args: unknown): readonly Value[] | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const values = Object.entries(args).map(([name, value]: [string, unknown]): Value => {
    const text = visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
    return { name: name === 'command' ? '' : name, text };
  });
  if (values.length === 0) return undefined;
  return [...values.filter(isInline), ...values.filter((value) => !isInline(value))];
}

function isInline({ name, text }: Value): boolean {
  return name !== '' && text !== '' && text.trim() === text && text.length <= inlineUnits && !text.includes('\n');
}

interface Fitting {
  readonly blocks: readonly string[];
  readonly hiddenUnits: number;
}

function fitting(values: readonly Value[]): Fitting {
  const blocks: string[] = [];
  let left = shownUnits;
  let hiddenUnits = 0;
  for (const [index, { name, text }] of values.entries()) {
    const share = Math.max(0, Math.floor(left / (values.length - index))); // of each something shows
    const label = name === '' ? '' : `${escaped(cut(visible(name), inlineUnits))}:`;
    const shown = text.slice(0, share).toWellFormed();
    if (shown !== '' || text === '') blocks.push(isInline({ name, text: shown }) ? `${label} ${code(shown)}` : block(label, shown, text));
    hiddenUnits += text.length - shown.length;
    left -= shown.length + label.length;
  }
  return { blocks, hiddenUnits };
}

function block(label: string, shown: string, text: string): string {
  const fenced = fence(shown.length < text.length ? `${shown}…` : shown);
  return label === '' ? fenced : `${label}\n${fenced}`;
}

/** A character that nobody sees, or that turns the reading direction, is shown by its number. */
function visible(text: string): string {
  return text.toWellFormed().replaceAll(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\t\n]]/gv, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);
}

function cut(text: string, units: number): string {
  return text.length > units ? `${text.slice(0, units - 1).toWellFormed()}…` : text;
}

/** One line as it is. */
function code(text: string): string {
  const mark = '`'.repeat(longestTicks(text) + 1);
  return `${mark}${/^`|`$/.test(text) ? ` ${text} ` : text}${mark}`;
}

function fence(text: string): string {
  const mark = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return `${mark}\n${text}\n${mark}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
}
