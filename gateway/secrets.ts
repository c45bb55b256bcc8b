/** Takes the values of known secrets out of text, in the forms in which JSON, addresses and base64 write them. */
import type { Tool, ToolOutput } from '../agent/tool.ts';

const hidden = '[redacted]';
/** Shorter values would blacken ordinary words; whoever chooses such a secret has none. */
const shortestSecret = 6;

/** `json`: the text is a serialised line and must stay valid. `secrets` is asked each time, so that it may follow a changed configuration. */
export function createSecretFilter(secrets: () => readonly string[], kind: 'json' | 'plain'): (text: string) => string {
  let known: readonly string[] | undefined;
  let pattern: RegExp | undefined;
  return (text) => {
    const now = secrets();
    if (now !== known) {
      known = now;
      pattern = anyOf(now, kind);
    }
    return pattern === undefined ? text : text.replace(pattern, hidden);
  };
}

function anyOf(secrets: readonly string[], kind: 'json' | 'plain'): RegExp | undefined {
  const forms = new Set(secrets.filter((secret) => secret.trim().length >= shortestSecret).flatMap(writtenForms));
  if (forms.size === 0) return undefined;
  // The longest first: one secret may begin with another.
  const ordered = [...forms].sort((left, right) => right.length - left.length);
  const values = ordered.map((form) => form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|');
  // Not from the middle of a JSON escape: the "n" of a line break begins no secret, and the backslash that stayed would break the line.
  return kind === 'plain' ? new RegExp(values, 'g') : new RegExp(`(?<=(?<!\\\\)(?:\\\\\\\\)*)(?:${values})`, 'g');
}

function writtenForms(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed()), base64];
}

/** A line break before a word is written as backslash and letter, which looks like one longer word. */
const wordStart = String.raw`(?:\b|(?<=\\[bfnrt]))`;

/** What secrets look like, for those that nobody told us. None of these can contain a quote, so a JSON line stays one. */
const patterns: readonly RegExp[] = [
  /(?<!\d)\d{6,}:[A-Za-z0-9_-]{30,}/g, // Telegram bot token
  word('(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}'), // OpenAI, Anthropic, OpenRouter
  word('(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}'), // Slack
  word('(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})'), // GitHub
  word(String.raw`(?:AIza[A-Za-z0-9_-]{30,}|AKIA[A-Z0-9]{16}\b)`), // Google, Amazon
  word(String.raw`[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`), // Discord bot token
  word(String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), // JSON web token
  /(?<=\b(?:Bearer|Basic)\s)[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<=:\/\/[^\s"/:@]{1,200}:)[^\s"/@]{3,200}(?=@)/g, // password in an address
];

function word(pattern: string): RegExp {
  return new RegExp(wordStart + pattern, 'g');
}

/** Takes known secrets and what looks like one out of a text; `kind` as in `createSecretFilter`. */
export function createRedactor(secrets: () => readonly string[], kind: 'json' | 'plain'): (text: string) => string {
  const withoutKnown = createSecretFilter(secrets, kind);
  return (text) => patterns.reduce((result, pattern) => result.replace(pattern, hidden), withoutKnown(text));
}

/**
 * What a tool reports reaches neither the model nor a chat with one of our own secrets in it. A backstop behind the refusals: a script
 * that changes a secret before it prints it gets past this too.
 */
export function withoutSecrets(tool: Tool, filter: (text: string) => string): Tool {
  const cleaned = (output: ToolOutput): ToolOutput => ({ ...output, content: filter(output.content) });
  return { ...tool, run: async (args, ctx) => cleaned(await tool.run(args, ctx)) };
}
