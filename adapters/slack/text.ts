/** Text as Slack sends it to text as a person wrote it. Pure. https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages */

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' };

export function unescapeSlack(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (_whole, name: string) => CHARACTERS[name] ?? '');
}

/** `nameOf`: what people call a user, where that is known. */
export function readableText(text: string, nameOf: (id: string) => string | undefined): string {
  return unescapeSlack(text.replace(/<([^<>]*)>/g, (_whole, inside: string) => reference(inside, nameOf)));
}

function reference(inside: string, nameOf: (id: string) => string | undefined): string {
  const bar = inside.indexOf('|');
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? '' : inside.slice(bar + 1);
  if (target.startsWith('@')) return `@${nameOf(target.slice(1)) ?? (label || target.slice(1))}`;
  if (target.startsWith('#')) return `#${label || target.slice(1)}`;
  if (target.startsWith('!')) return special(target.slice(1), label);
  const url = target.replace(/^mailto:/, '');
  return label === '' || label === url || `http://${label}` === url ? label || url : `[${label}](${target})`;
}

/** `<!here>`, `<!subteam^S1|@ops>`, `<!date^1392734382^{date}|yesterday>`. */
function special(target: string, label: string): string {
  const [name = ''] = target.split('^');
  if (name === 'date') return label;
  return label === '' ? `@${name}` : label.startsWith('@') || name !== 'subteam' ? label : `@${label}`;
}

/** "<@U0BOT> hello" is "hello"; a mention further inside is part of the sentence. */
export function withoutLeadingMention(text: string, botUser: string): string {
  const lead = new RegExp(`^\\s*<@${botUser}(?:\\|[^>]*)?>[\\s,:]*`).exec(text)?.[0];
  return lead === undefined ? text : text.slice(lead.length) || text;
}

export function mentions(text: string, botUser: string): boolean {
  return text.includes(`<@${botUser}>`) || text.includes(`<@${botUser}|`);
}
