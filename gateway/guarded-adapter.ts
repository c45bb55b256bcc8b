/** The last that everything passes on its way to a platform: no text with a secret in it, and no file but the one that was taken. */
import {
  type Adapter,
  DeliveryError,
  type Outbound,
  type OutboundAsk,
  type OutboundFile,
  type OutboundProgress,
} from '../adapters/adapter.ts';
import type { Platform } from '../adapters/platform.ts';
import { openInside } from './presenter/inside.ts';
import type { Redact } from './secrets.ts';

export interface GuardOptions {
  readonly redact: Redact;
  /** Where the files lie that are sent: the gateway's own media store. */
  readonly mediaRoot: string;
}

export interface Guard {
  /** The same adapter for everything else: what it does not have it has not here either. */
  adapter(adapter: Adapter): Adapter;
  /**
   * Texts lose their secrets before they are cut into parts: half of one at the end of a part and half at the beginning of the next would be
   * one to whoever reads both.
   */
  platform(platform: Platform): Platform;
  /** A sentence about an account. */
  sentence(text: string): string;
  /** What is sent again. */
  message(message: Outbound | undefined): Outbound | undefined;
}

export function createGuard(options: GuardOptions): Guard {
  const { redact } = options;
  return {
    adapter: (adapter) => guarded(adapter, options),
    platform: (platform) => ({ ...platform, split: (markdown) => platform.split(redact(markdown)) }),
    sentence: redact,
    message: (message) => (message === undefined ? undefined : cleanOutbound(message, redact)),
  };
}

function guarded(adapter: Adapter, options: GuardOptions): Adapter {
  const { redact } = options;
  const methods: Partial<Adapter> = {
    send: (message, key, signal) =>
      cleanly(redact, () => withFile(message, options, (sent) => adapter.send(cleanOutbound(sent, redact), key, signal))),
    edit: (ref, message, signal) => cleanly(redact, async () => adapter.edit?.(ref, cleanOutbound(message, redact), signal)),
    preview: (chat, key, markdown, signal) => cleanly(redact, async () => adapter.preview?.(chat, key, redact(markdown), signal)),
    respond: (interaction, text, signal) => cleanly(redact, async () => adapter.respond?.(interaction, redact(text), signal)),
  };
  return new Proxy(adapter, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== 'function') return own;
      return methods[name as keyof Adapter] ?? own.bind(target);
    },
  });
}

/** A platform may repeat what it was sent, or the address with the token in it; what it says is told to people and to the model. */
async function cleanly<T>(redact: Redact, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DeliveryError) || redact(error.message) === error.message) throw error;
    const { kind, certain, retryAfterMs, formatting } = error;
    throw new DeliveryError(redact(error.message), {
      kind,
      certain,
      formatting,
      cause: error,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
}

/** Ids, tokens and what goes back to the platform stay as they are. */
function cleanOutbound(message: Outbound, redact: Redact): Outbound {
  switch (message.type) {
    case 'text':
      return { ...message, markdown: redact(message.markdown) };
    case 'file':
      return { ...message, name: redact(message.name) };
    case 'ask':
      return cleanAsk(message, redact);
    case 'progress':
      return cleanProgress(message, redact);
    default:
      return message satisfies never;
  }
}

function cleanAsk(message: OutboundAsk, redact: Redact): OutboundAsk {
  const { markdown, choices, hint, closed } = message;
  return {
    ...message,
    markdown: redact(markdown),
    choices: choices.map(({ id, label }) => ({ id, label: redact(label) })),
    hint: redact(hint),
    ...(closed === undefined ? {} : { closed: redact(closed) }),
  };
}

function cleanProgress(message: OutboundProgress, redact: Redact): OutboundProgress {
  const steps = message.steps.map(({ preview, note, arguments: args, ...step }) => ({
    ...step,
    preview: redact(preview),
    ...(args === undefined ? {} : { arguments: redact(args) }),
    ...(note === undefined ? {} : { note: redact(note) }),
  }));
  return { ...message, steps, ...(message.notice === undefined ? {} : { notice: redact(message.notice) }) };
}

/** The adapter opens what is opened already: between the look and the send nobody can put another file in its place. */
async function withFile<T>(message: Outbound, { mediaRoot }: GuardOptions, send: (message: Outbound) => Promise<T>): Promise<T> {
  if (message.type !== 'file') return send(message);
  const { handle, path } = await openInside(mediaRoot, message.path).catch((error: unknown) => {
    throw gone(message, error);
  });
  try {
    return await send({ ...message, path });
  } finally {
    await handle.close();
  }
}

function gone({ name }: OutboundFile, cause: unknown): DeliveryError {
  return new DeliveryError(`${name} is no longer what was to be sent.`, { kind: 'rejected', certain: true, cause });
}
