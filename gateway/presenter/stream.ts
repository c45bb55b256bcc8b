/**
 * The answer as it grows: as a preview where the platform shows one, else as a message of its own that is edited (a draft, see drafts.ts).
 */
import type { AgentEvent } from '../../agent/events.ts';
import { isSilence, mayBecomeSilence } from '../silence.ts';
import { type Call, editIntervalMs, hasPreviews } from './call.ts';
import { findDeliverables } from './deliverable.ts';
import type { LiveOptions } from './live-options.ts';
import { createThrottle } from './throttle.ts';

const callDeadlineMs = 15_000;
/** A message of its own begins with something to read, and not for an answer that is complete in a moment. */
const leastUnits = 4;
const ripeMs = 2000;

export interface Stream {
  handle(event: AgentEvent): void;
  /** After the signal: the preview of an answer that was silence in the end is taken back. Once, as far as the platform lets us. */
  finish(): Promise<void>;
}

/** What was said since the last complete message, and how much of it is shown. */
interface Growing {
  text: string;
  shown: string;
  sinceMs: number;
  /** The platform shows a preview, of this or of an earlier message. */
  previewed: boolean;
  /** The last complete message was silence. */
  silent: boolean;
}

/** What the chat is to show of it. */
type Show = (growing: Growing, text: string) => Promise<boolean>;

export function createStream(options: LiveOptions, call: Call, signal: AbortSignal): Stream {
  const { account, now, display, log } = options;
  const { platform } = account;
  const growing: Growing = { text: '', shown: '', sinceMs: now(), previewed: false, silent: false };
  const byPreview = previewer(options, call, signal);
  const byDraft = drafter(options, call);
  const update = async (): Promise<boolean> => {
    const text = mayBecomeSilence(growing.text) ? '' : growing.text;
    if (text === growing.shown || !display().streaming) return true;
    return byPreview !== undefined && hasPreviews(options) ? byPreview(growing, text) : byDraft(growing, text);
  };
  const previewed = createThrottle({ intervalMs: platform.progress.previewIntervalMs, work: update, log }, signal);
  const edited = createThrottle({ intervalMs: editIntervalMs(options), work: update, log }, signal);
  const request = (): void => {
    if (hasPreviews(options)) previewed.request();
    else if (growing.text !== '') edited.request(Math.max(0, growing.sinceMs + ripeMs - now()));
  };
  return {
    handle: (event) => {
      if (grow(growing, event, now())) request();
    },
    finish: async () => {
      await previewed.settled();
      if (growing.silent && growing.previewed) await takeBack(options, call);
    },
  };
}

/** True when there is something else to show. */
function grow(growing: Growing, event: AgentEvent, now: number): boolean {
  switch (event.type) {
    case 'text.delta':
      if (growing.text === '') growing.sinceMs = now;
      growing.text += event.text;
      return true;
    case 'text.reset':
      growing.text = '';
      return true;
    case 'message':
      growing.text = growing.shown = '';
      growing.silent = event.message.calls.length === 0 && isSilence(event.message.text);
      return false;
    default:
      return false;
  }
}

function previewer({ account, target, key }: LiveOptions, call: Call, signal: AbortSignal): Show | undefined {
  const { adapter } = account;
  const preview = adapter.preview?.bind(adapter);
  if (preview === undefined) return undefined;
  return async (growing, text) => {
    // an empty one is shown only to take back what was shown
    const result = await call('preview', () => {
      growing.shown = text;
      growing.previewed = text !== '';
      return preview(target.chat, key, text, signal);
    });
    return result !== 'held';
  };
}

async function takeBack({ account: { adapter }, target, key }: LiveOptions, call: Call): Promise<void> {
  await call('free', async () => adapter.preview?.(target.chat, key, '', AbortSignal.timeout(callDeadlineMs)));
}

/** Begun and edited in one step with the look at what there is: what replaces a draft is stored just as synchronously, so that nothing old comes after it. */
function drafter({ account, drafts }: LiveOptions, call: Call): Show {
  const { adapter, platform } = account;
  const edit = adapter.edit?.bind(adapter);
  const first = (text: string): string => platform.split(findDeliverables(text).text)[0] ?? '';
  return async (growing, text) => {
    if (edit === undefined) return true;
    const markdown = first(text);
    if (markdown.trim().length < leastUnits) return true;
    const draft = drafts.open();
    if (draft === undefined && drafts.mustWait()) return false;
    if (draft?.state === 'pending' || draft?.state === 'sending') return false;
    if (draft !== undefined && draft.state !== 'sent') return true; // it was lost; the answer comes as a whole
    const result = await call('edit', async () => {
      growing.shown = text;
      if (draft === undefined) drafts.begin(markdown);
      else await drafts.edit(draft, markdown, (ref, message) => edit(ref, message, AbortSignal.timeout(callDeadlineMs)));
    });
    return result !== 'held';
  };
}
