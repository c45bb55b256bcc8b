/** What the agent is doing, as one message that is edited. Pure. */
import type { OutboundProgress, ProgressStep } from '../adapter.ts';

const MARKS: Readonly<Record<ProgressStep['state'], string>> = { running: '⏳', ok: '✓', failed: '✗' };
const SHOWN_STEPS = 12;
const SHOWN_PREVIEW = 80;
const SHOWN_ARGUMENTS = 200;
const SHOWN_NOTICE = 300;

export function progressText({ steps, earlier = 0, notice, waiting, elapsedMs, done }: OutboundProgress): string {
  const lines = collapsed(steps.map(stepLine));
  const hidden = Math.max(0, lines.length - SHOWN_STEPS);
  const before = earlier + hidden;
  const head = `_${done ? 'Worked' : 'Working'} · ${duration(elapsedMs)}_`;
  const foot = waiting === true ? '❓ _Waiting for your answer_' : notice && oneLine(notice, SHOWN_NOTICE);
  return [head, ...(before === 0 ? [] : [`… ${before} earlier`]), ...lines.slice(hidden), ...(foot ? [foot] : [])].join('\n');
}

function stepLine({ tool, preview, state, count = 1, arguments: args = '', note = '' }: ProgressStep): string {
  const shown = code(oneLine(preview, SHOWN_PREVIEW));
  const line = `${MARKS[state]} ${tool.slice(0, 64)}${shown === '' ? '' : `: ${shown}`}`;
  const beside = [count === 1 ? '' : `(×${count})`, oneLine(note, SHOWN_PREVIEW)];
  const below = args === '' ? '' : `\n    ${code(oneLine(args, SHOWN_ARGUMENTS))}`;
  return `${[line, ...beside].filter((part) => part !== '').join(' ')}${below}`;
}

/** A backtick inside would end it early. */
function code(text: string): string {
  return text === '' || text.includes('`') ? text : `\`${text}\``;
}

function oneLine(text: string, characters: number): string {
  const words = [...text.replace(/\s+/g, ' ').trim()];
  return words.length > characters ? `${words.slice(0, characters).join('')}…` : words.join('');
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
