/** Takes secrets out of text: those that are known, and what looks like one. */
import type { Tool, ToolOutput } from '../agent/tool.ts';
import { secretFinder, type TextKind } from './known-secrets.ts';

const hidden = '[redacted]';

export type Redact = (text: string) => string;

/** `json`: the text is a serialised line and must stay valid. `secrets` is asked each time, so that it may follow a changed configuration. */
export function createSecretFilter(secrets: () => readonly string[], kind: TextKind): Redact {
  let known: readonly string[] | undefined;
  let find: Redact | undefined;
  return (text) => {
    const now = secrets();
    if (now !== known) {
      known = now;
      find = secretFinder(now, kind);
    }
    return find === undefined ? text : find(text);
  };
}

/** A line break before a word is written as backslash and letter, which looks like one longer word. */
const wordStart = String.raw`(?:\b|(?<=\\[bfnrt]))`;

const pause = String.raw`(?:\s|\\[nr])`;
/** "12|", "key.pem:12: ": what a tool writes before each line of a file. */
const place = String.raw`(?:[^\n"]{0,200}?\d[|:-] ?)?`;

/** What secrets look like, for those that nobody told us. None of these can contain a quote, so a JSON line stays one. */
const patterns: readonly RegExp[] = [
  /(?<!\d)\d{6,}:[A-Za-z0-9_-]{30,}/g, // Telegram bot token
  word(String.raw`(?:sk|pk|rk|gsk|xai|pplx|tvly)[-_](?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}`), // OpenAI, Anthropic, OpenRouter, Groq, xAI; words have no digits
  word('(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}'), // Slack
  word('(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})'), // GitHub
  word(String.raw`(?:AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}\b)`), // Google, Amazon
  word('(?:glpat-[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{30,})'), // GitLab, npm, Hugging Face
  word(String.raw`[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`), // Discord bot token
  word(String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), // JSON web token
  /(?<=\b(?:Bearer|Basic)\s)(?=[^\s"]*(?:\d|=))[A-Za-z0-9._~+/=-]{8,}/gi, // "basic knowledge" has neither
  /(?<=hooks\.slack\.com\/services\/)[A-Za-z0-9/]{20,}/g,
  /(?<=discord(?:app)?\.com\/api\/webhooks\/\d{1,30}\/)[A-Za-z0-9_-]{20,}/g,
  new RegExp(`(?<=-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)${pause}*${place}[A-Za-z0-9+/=]{16,}(?:${pause}+${place}[A-Za-z0-9+/=]+)*`, 'g'),
  /(?<=:\/\/[^\s"/:@]{1,200}:)[^\s"/@]{3,200}(?=@)/g, // password in an address
];

function word(pattern: string): RegExp {
  return new RegExp(wordStart + pattern, 'g');
}

/** Takes known secrets and what looks like one out of a text; `kind` as in `createSecretFilter`. */
export function createRedactor(secrets: () => readonly string[], kind: TextKind): Redact {
  const withoutKnown = createSecretFilter(secrets, kind);
  return (text) => patterns.reduce((result, pattern) => result.replace(pattern, hidden), withoutKnown(text));
}

/**
 * What a tool reports reaches neither the model nor a script nor a chat with one of our own secrets in it, and neither does why it failed. A
 * backstop behind the refusals: a script that changes a secret before it prints it gets past this too.
 */
export function withoutSecrets(tool: Tool, filter: Redact): Tool {
  const cleaned = ({ content, data, ...output }: ToolOutput): ToolOutput => ({
    ...output,
    content: filter(content),
    ...(data === undefined ? {} : { data: cleanValue(data, filter) }),
  });
  return {
    ...tool,
    run: async (args, ctx) => {
      try {
        return cleaned(await tool.run(args, ctx));
      } catch (error) {
        throw cleanError(error, filter);
      }
    },
  };
}

/** Of a JSON value every text in it, names included. */
export function cleanValue(value: unknown, filter: Redact): unknown {
  if (typeof value === 'string') return filter(value);
  if (Array.isArray(value)) return value.map((each: unknown) => cleanValue(each, filter));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [filter(name), cleanValue(each, filter)]));
}

/** The same error where there is none in what it says; else one that says the rest, with the whole one as its cause for the log. */
export function cleanError(error: unknown, filter: Redact): unknown {
  const said = error instanceof Error ? error.message : String(error);
  const clean = filter(said);
  return clean === said ? error : new Error(clean, { cause: error });
}
