/** Background runs: which lane is theirs, and how people know them. Pure but for the new id's chance. */
import { randomBytes } from 'node:crypto';
import { quoted } from './words.ts';

const shownUnits = 60;

export interface BackgroundRun {
  /** `bg_HHMMSS_<4 hex>`, UTC. */
  readonly id: string;
  /** Session key of the chat that it was started from. */
  readonly chat: string;
}

const pattern = /^background:(bg_\d{6}_[0-9a-f]{4}):(.+)$/s;

export function newBackgroundId(now: number): string {
  const time = new Date(now).toISOString().slice(11, 19).replaceAll(':', '');
  return `bg_${time}_${randomBytes(2).toString('hex')}`;
}

/** Its own lane and session key; no chat's key begins like this. */
export function backgroundLane({ id, chat }: BackgroundRun): string {
  return `background:${id}:${chat}`;
}

/** Undefined for the lane of a chat. */
export function backgroundOf(lane: string): BackgroundRun | undefined {
  const [, id, chat] = pattern.exec(lane) ?? [];
  return id === undefined || chat === undefined ? undefined : { id, chat };
}

/** The line that names what is posted to the chat; empty for the turns of the chat itself. */
export function backgroundLine(lane: string, { done, prompt }: { readonly done: boolean; readonly prompt: string }): string {
  const run = backgroundOf(lane);
  if (run === undefined) return '';
  const mark = done ? '✅' : '❌';
  return prompt === '' ? `${mark} ${run.id}` : `${mark} ${run.id} : ${quoted(prompt, shownUnits)}`;
}
