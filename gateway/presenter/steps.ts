/** Which tool calls a progress bubble lists, and how. */
import type { ProgressStep } from '../../adapters/adapter.ts';
import type { AgentEvent } from '../../agent/events.ts';
import type { ProgressMode } from '../settings.ts';

/** A bubble lists the newest lines only. */
const listed = 12;
const noteUnits = 80;
const argumentUnits = 200;

export interface Steps {
  /** True when the event changed what is listed. */
  apply(event: AgentEvent): boolean;
  list(): { readonly steps: readonly ProgressStep[]; readonly earlier: number };
}

export interface StepsOptions {
  /** Read anew at each call: people change it while a turn runs. */
  readonly mode: () => ProgressMode;
  readonly previewUnits: () => number;
}

interface Line {
  readonly tool: string;
  preview: string;
  arguments: string;
  note: string;
  count: number;
  failed: boolean;
  readonly running: Set<string>;
}

type Event<T extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: T }>;

export function createSteps(options: StepsOptions): Steps {
  const lines: Line[] = [];
  const byCall = new Map<string, Line>();
  let earlier = 0;
  const begin = (event: Omit<Event<'tool.started'>, 'type'>): boolean => {
    const mode = options.mode();
    if (mode === 'off') return false;
    const line = repeated(lines.at(-1), event, mode) ?? added(lines, event);
    line.preview = oneLine(event.preview, options.previewUnits());
    line.arguments = mode === 'verbose' ? oneLine(event.arguments, argumentUnits) : '';
    line.note = '';
    line.count += 1;
    line.running.add(event.callId);
    byCall.set(event.callId, line);
    if (lines.length > listed) earlier += lines.shift()?.count ?? 0;
    return true;
  };
  const end = (event: Event<'tool.finished'>): boolean => {
    const { callId, name, status } = event;
    // Refused and impossible calls never began; those that a stop left out are no news.
    if (!byCall.has(callId) && (status === 'skipped' || !begin({ callId, name, preview: '', arguments: '' }))) return false;
    const line = byCall.get(callId);
    byCall.delete(callId);
    if (line === undefined) return false;
    line.running.delete(callId);
    line.failed = status !== 'ok';
    line.note = '';
    return lines.includes(line);
  };
  const note = (event: Event<'tool.progress'>): boolean => {
    const line = byCall.get(event.callId);
    const text = oneLine(event.note, noteUnits);
    if (line === undefined || line.note === text) return false;
    line.note = text;
    return lines.includes(line);
  };
  return {
    apply: (event) => {
      if (event.type === 'tool.started') return begin(event);
      if (event.type === 'tool.finished') return end(event);
      return event.type === 'tool.progress' && note(event);
    },
    list: () => ({ steps: lines.map(stepOf), earlier }),
  };
}

/** In mode `new` the same tool again is no new line. */
function repeated(last: Line | undefined, { name }: { readonly name: string }, mode: ProgressMode): Line | undefined {
  return mode === 'new' && last?.tool === name ? last : undefined;
}

function added(lines: Line[], { name }: { readonly name: string }): Line {
  const line: Line = { tool: name, preview: '', arguments: '', note: '', count: 0, failed: false, running: new Set() };
  lines.push(line);
  return line;
}

function stepOf({ tool, preview, arguments: args, note, count, failed, running }: Line): ProgressStep {
  const ended = failed ? 'failed' : 'ok';
  return {
    tool,
    preview,
    state: running.size > 0 ? 'running' : ended,
    ...(count > 1 ? { count } : {}),
    ...(args === '' ? {} : { arguments: args }),
    ...(note === '' ? {} : { note }),
  };
}

/** At most so many characters, as people count them, the mark of a cut included. */
function oneLine(text: string, units: number): string {
  const line = text
    .slice(0, units * 8)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= units) return line;
  const characters = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment);
  return characters.length <= units ? line : `${characters.slice(0, units - 1).join('')}…`;
}
