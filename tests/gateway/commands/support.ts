import { expect, vi } from 'vitest';
import type { Message } from '../../../agent/message.ts';
import type { SessionRow } from '../../../gateway/store/sessions.ts';
import { createFakePlatform, type FakePlatform } from '../../fakes/platform.ts';
import type { Gateway } from '../support/gateway.ts';
import type { Said } from '../support/inbound.ts';
import { lastText, never, type Script, type ScriptedModel } from '../support/model.ts';

/** Where Ann is the only person that may talk, and so administers the gateway. */
export function annsPlatform(): FakePlatform {
  return createFakePlatform({ config: { allowed_users: ['ann'] } });
}

/** Says something and returns what the chat shows next. */
export async function reply(gateway: Gateway, text: string, said: Said = {}): Promise<string> {
  const chat = said.chat ?? 'ann';
  const before = gateway.answers(chat).length;
  gateway.say(chat, text, said);
  const texts = await gateway.answered(chat, before + 1);
  return texts[before] ?? '';
}

/** Says each and waits until all of it is answered. */
export async function talk(gateway: Gateway, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await reply(gateway, text);
  await gateway.idle();
}

export function keyOf(chat = 'ann'): string {
  return `agent:main:fake:dm:${chat}`;
}

/** The chat's open session. */
export function sessionOf({ store }: Gateway, chat = 'ann'): SessionRow {
  const session = store.sessions.open(keyOf(chat));
  if (session === undefined) throw new Error(`${chat} has no open session`);
  return session;
}

/** What the newest request contained, one text a message. */
export function requested(model: ScriptedModel): readonly string[] {
  return (model.requests.at(-1)?.messages ?? []).map(textOf);
}

/** What the chat's conversation contains. */
export function conversation(gateway: Gateway, chat = 'ann'): readonly string[] {
  return gateway.store.transcript.read(sessionOf(gateway, chat).id).map(textOf);
}

function textOf(message: Message): string {
  if (message.role === 'user') return message.content.map((part) => (part.type === 'text' ? part.text : part.note)).join('\n');
  return message.role === 'tool' ? message.content : message.text;
}

/** Works for ever on what contains "long"; echoes everything else. */
export const patient: Script = (request, signal) =>
  lastText(request.messages).includes('long') ? never(signal) : `echo: ${lastText(request.messages)}`;

/** Begins a turn that does not end by itself. */
export async function startLong(gateway: Gateway, model: ScriptedModel, text = 'a long story'): Promise<void> {
  const before = model.requests.length;
  gateway.say('ann', text);
  await vi.waitFor(() => expect(model.requests).toHaveLength(before + 1));
}
