/** Which conversation a command is about. */
import type { Message } from '../../agent/message.ts';
import type { SessionSettings } from '../store/schema.ts';
import type { SessionRow } from '../store/sessions.ts';
import type { TranscriptEntry } from '../store/transcript.ts';
import type { CommandCall } from './command.ts';

/** A turn is at work in the lane, or about to be: what it works on must not change under it. */
export function hasWork({ lane, ports: { store, lanes } }: Pick<CommandCall, 'lane' | 'ports'>): boolean {
  return lanes.isBusy(lane) || store.turns.running(lane) !== undefined || store.inbox.pending(lane).length > 0;
}

/**
 * Takes away what was said before this command and would begin the next turn: its batch may not be complete yet, or came together with the
 * command. Nothing where a turn is at work: what waits behind that one was meant to come after it. False: there was nothing such.
 */
export function dropUnbegun({ id, lane, ports: { store, lanes } }: CommandCall): boolean {
  const turn = store.turns.running(lane);
  const isInterrupted = turn?.cut === 'interrupt'; // what interrupted it has not begun either
  if (turn === undefined ? lanes.isBusy(lane) : !isInterrupted) return false;
  let dropped = false;
  for (;;) {
    const unbegun = store.inbox.pending(lane).filter((entry) => entry.id < id && !(isInterrupted && entry.mode === 'queue'));
    if (unbegun.length === 0) return dropped;
    for (const entry of unbegun) store.inbox.settle(entry.id, 'silent');
    dropped = true;
  }
}

/** The present conversation, for a command that goes on with it: no reset policy closes it before its next message. */
export function present({ lane, now, ports: { store } }: CommandCall): SessionRow | undefined {
  const session = store.sessions.open(lane);
  if (session !== undefined) store.sessions.touch(session.id, now);
  return session;
}

/** What was chosen for the present conversation. */
export function chosen({ lane, ports: { store } }: CommandCall): SessionSettings {
  return store.sessions.open(lane)?.settings ?? {};
}

/** What goes along into another conversation: neither the right to act unasked nor a place in the transcript. */
export function carried({ yolo: _, keepFrom: __, ...others }: SessionSettings): SessionSettings {
  return others;
}

/** For the conversation that the next message belongs to; a turn at work keeps its own. */
export function choose(call: CommandCall, change: (settings: SessionSettings) => SessionSettings): void {
  const { lane, ports } = call;
  const { store, sessions } = ports;
  const known = hasWork(call) ? store.sessions.open(lane) : undefined;
  const session = known ?? sessions.open(lane).session;
  store.sessions.setSettings(session.id, change(session.settings));
}

/** Where each exchange begins: what a person said, but not what was said into a turn at work. Indexes into the entries. */
export function exchanges(entries: readonly TranscriptEntry[]): readonly number[] {
  return entries.flatMap(({ body }, index) => (body.role === 'user' && body.interjected !== true ? [index] : []));
}

/** What a person said, without the lines that we put in front of it. */
export function wordsOf(message: Message | undefined): string {
  if (message === undefined || message.role === 'tool') return '';
  if (message.role === 'assistant') return message.text;
  const lines = message.content.flatMap((part) => (part.type === 'text' ? part.text.split('\n') : []));
  return lines.filter((line) => !/^\[(?:note: |in reply to )/.test(line)).join('\n');
}

/** The title of a conversation, or how it began. */
export function nameOf({ id, title }: SessionRow, { store }: CommandCall['ports']): string {
  if (title !== null) return title;
  const first = store.transcript.first(id);
  return first === undefined ? 'nothing said yet' : wordsOf(first) || 'a file';
}
