/** The system prompt of a session: built once, kept in the store, the same bytes for every request until a declared break. */
import { nothingCut, type RequestCut } from '../../agent/context/cut.ts';
import type { SystemPrompt } from '../../agent/run.ts';
import { systemPrompt } from '../../agent/system-prompt.ts';
import type { PersonRef } from '../../agent/tool.ts';
import type { SessionRow } from '../store/sessions.ts';
import type { TurnRow } from '../store/turns.ts';
import { accountKey } from '../target.ts';
import type { TurnOptions } from '../turn-options.ts';

export interface PromptPlace {
  readonly turn: TurnRow;
  readonly session: SessionRow;
  readonly person: PersonRef | undefined;
}

/**
 * Anew only where requests cannot go on as they began: another model or personality, another person (or another standing of theirs), or old turns that are
 * left out. What is on the disk may have changed long since: it is looked at then, and not before.
 */
export async function promptOf(options: TurnOptions, place: PromptPlace): Promise<SystemPrompt> {
  const { store } = options;
  const { id: sessionId } = place.session;
  const basis = basisOf(options, place);
  const keep = (text: string, cut: RequestCut): void => store.quick(() => store.prompts.put({ sessionId, basis, text, cut }));
  const renew: SystemPrompt['renew'] = async (cutOf) => {
    const text = await build(options, place);
    keep(text, cutOf(text));
    return text;
  };
  const known = store.prompts.get(sessionId);
  if (known?.basis === basis) return { text: known.text, cut: known.cut ?? nothingCut, renew };
  const text = await build(options, place);
  keep(text, nothingCut);
  return { text, cut: nothingCut, renew };
}

function chosen({ settings }: Pick<TurnOptions, 'settings'>, { session }: Pick<PromptPlace, 'session'>) {
  const { models, personalities } = settings().agent;
  return { model: models.get(session.settings.model).name, personality: session.settings.personality ?? personalities.chosen };
}

/** What is not named here may change without a new prompt. */
function basisOf(options: TurnOptions, place: PromptPlace): string {
  const { model, personality } = chosen(options, place);
  const { key, trusted, alone } = place.person ?? {};
  return JSON.stringify({ model, personality, from: place.session.settings.keepFrom, person: key, trusted, alone });
}

export const mediaRule = 'To send a file from your working directory, put a line of its own into your answer: MEDIA:path/of/the/file';

async function build(options: TurnOptions, place: PromptPlace): Promise<string> {
  const { accounts, settings, prompts } = options;
  const { turn, session, person } = place;
  const { chat, chatType } = turn.target;
  const platform = accounts.get(accountKey(chat))?.platform;
  const { instructions = '', personalities } = settings().agent;
  const { model, personality } = chosen(options, place);
  const own = [(platform?.limits.uploadBytes ?? 0) > 0 ? mediaRule : '', instructions].filter((line) => line.trim() !== '');
  const [identity, project, memory] = await Promise.all([prompts.identity(), prompts.project(session.workspace), prompts.memory(person)]);
  const where = { platformLabel: platform?.label ?? chat.platform, chatType, workspace: session.workspace, ...dayOf(session.createdAt) };
  const texts = { identity, project, memory, instructions: own.join('\n\n'), personality: personalities.prompt(personality) ?? '' };
  return systemPrompt({ ...where, ...texts, model });
}

/** Where this machine is: its people mostly are, too. */
function dayOf(at: number): { readonly timeZone: string; readonly began: string } {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone }).format(at);
  const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }).format(at);
  return { timeZone, began: `${weekday}, ${day}` };
}
