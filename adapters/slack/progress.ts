/** A progress bubble as mrkdwn. Pure. */
import type { OutboundProgress, ProgressStep } from '../adapter.ts';
import { escapeMrkdwn } from './format.ts';

const MARKS: Readonly<Record<ProgressStep['state'], string>> = { running: '⏳', ok: '✓', failed: '✗' };
const SHOWN_STEPS = 12;
const SHOWN_TOOL = 64;
const SHOWN_PREVIEW = 80;
const SHOWN_ARGUMENTS = 200;
const SHOWN_NOTICE = 300;
/** Steps go before the bytes do: an edit that is too long would be refused. */
const MOST_BYTES = 3500;

export function progressMrkdwn({ steps, earlier = 0, notice, waiting, elapsedMs, done }: OutboundProgress): string {
  const lines = collapsed(steps.map(stepLine));
  const shown = fitting(lines.slice(-SHOWN_STEPS));
  const before = earlier + lines.length - shown.length;
  const head = `_${done ? 'Worked' : 'Working'} · ${duration(elapsedMs)}_`;
  const foot = waiting === true ? '❓ _Waiting for your answer_' : notice && `_${words(notice, SHOWN_NOTICE)}_`;
  return [head, ...(before === 0 ? [] : [`… ${before} earlier`]), ...shown, ...(foot ? [foot] : [])].join('\n');
}

function fitting(lines: readonly string[]): readonly string[] {
  let from = 0;
  while (from < lines.length - 1 && Buffer.byteLength(lines.slice(from).join('\n')) > MOST_BYTES - SHOWN_NOTICE) from += 1;
  return lines.slice(from);
}

function stepLine({ tool, preview, state, count = 1, arguments: args = '', note = '' }: ProgressStep): string {
  const shown = words(preview, SHOWN_PREVIEW);
  const line = `${MARKS[state]} ${words(tool, SHOWN_TOOL)}${shown === '' ? '' : `: \`${shown}\``}`;
  const beside = [count === 1 ? '' : `(×${count})`, note === '' ? '' : `_${words(note, SHOWN_PREVIEW)}_`];
  const below = args === '' ? '' : `\n    \`${words(args, SHOWN_ARGUMENTS)}\``;
  return `${[line, ...beside].filter((part) => part !== '').join(' ')}${below}`;
}

/** One line that is no markup. */
function words(text: string, characters: number): string {
  const all = [...text.toWellFormed().replace(/\s+/g, ' ').trim()];
  const shown = all.length > characters ? `${all.slice(0, characters).join('')}…` : all.join('');
  return escapeMrkdwn(shown).replaceAll('`', 'ˋ');
}

function collapsed(lines: readonly string[]): string[] {
  const groups: { line: string; count: number }[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.line === line) last.count += 1;
    else groups.push({ line, count: 1 });
  }
  return groups.map(({ line, count }) => (count === 1 ? line : `${line} (×${count})`));
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
