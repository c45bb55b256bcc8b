/** Takes the values of known secrets out of text, in the forms in which JSON, addresses and base64 write them. */
import type { Tool, ToolOutput } from '../agent/tool.ts';

export const hidden = '[redacted]';
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

/**
 * What a tool reports reaches neither the model nor a chat with one of our own secrets in it. A backstop behind the refusals: a script
 * that changes a secret before it prints it gets past this too.
 */
export function withoutSecrets(tool: Tool, filter: (text: string) => string): Tool {
  const cleaned = (output: ToolOutput): ToolOutput => ({ ...output, content: filter(output.content) });
  return { ...tool, run: async (args, ctx) => cleaned(await tool.run(args, ctx)) };
}
