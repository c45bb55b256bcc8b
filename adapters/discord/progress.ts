/** The bubble that shows what is being done. Pure. */
import type { OutboundProgress, ProgressStep } from '../adapter.ts';
import { escapeText, inlineCode } from './escape.ts';

const MARKS: Readonly<Record<ProgressStep['state'], string>> = { running: '⏳', ok: '✓', failed: '✗' };
const SHOWN_STEPS = 10;
const SHOWN_PREVIEW = 60;
const SHOWN_ARGUMENTS = 60;
const SHOWN_NOTICE = 200;
const SHOWN_TOOL = 32;

/** Fits one message whatever there is: ten steps of less than 180 characters. */
export function progressText({ steps, earlier = 0, notice, waiting, elapsedMs, done }: OutboundProgress): string {
  const lines = collapsed(steps.map(stepLine));
  const hidden = Math.max(0, lines.length - SHOWN_STEPS);
  const before = earlier + hidden;
  const head = `-# ${done ? 'Worked' : 'Working'} · ${duration(elapsedMs)}`;
  const foot = waiting === true ? '❓ *Waiting for your answer*' : notice && `-# ${words(notice, SHOWN_NOTICE)}`;
  const shown = lines.slice(hidden);
  return [head, ...(before === 0 ? [] : [`… ${before} earlier`]), ...shown, ...(foot ? [foot] : [])].join('\n').slice(0, 2000);
}

function stepLine({ tool, preview, state, count = 1, arguments: args = '', note = '' }: ProgressStep): string {
  const shown = code(preview, SHOWN_PREVIEW);
  const line = `${MARKS[state]} ${escapeText(tool.slice(0, SHOWN_TOOL))}${shown === '' ? '' : `: ${shown}`}`;
  const beside = [count === 1 ? '' : `(×${count})`, note === '' ? '' : `· ${words(note, SHOWN_NOTICE / 4)}`];
  const below = args === '' ? '' : `\n-# ${code(args, SHOWN_ARGUMENTS)}`;
  return `${[line, ...beside].filter((part) => part !== '').join(' ')}${below}`;
}

/** Backticks would only lengthen the fence. */
function code(text: string, characters: number): string {
  return inlineCode(oneLine(text.replaceAll('`', "'"), characters));
}

function words(text: string, characters: number): string {
  return escapeText(oneLine(text, characters));
}

function oneLine(text: string, characters: number): string {
  const all = [...text.replace(/\s+/g, ' ').trim()];
  return all.length > characters ? `${all.slice(0, characters).join('')}…` : all.join('');
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
