/** A card as markdown, the same on every platform. Pure. */
import type { OutboundAsk } from '../adapter.ts';

/** Longer labels do not fit a button, so that the list shows them in full. */
const BUTTON_UNITS = 28;

/** `buttons`: the platform shows the choices itself, below this text. */
export function askMarkdown(ask: OutboundAsk, buttons: boolean): string {
  const head = `**#${ask.number}** ${ask.markdown}`;
  if (ask.closed !== undefined) return `${head}\n\n${ask.closed}`;
  const listed = !buttons || ask.choices.some(({ label }) => label.length > BUTTON_UNITS);
  const list = listed ? ask.choices.map(({ label }, index) => `${index + 1}. ${literal(label)}`).join('\n') : '';
  return [head, list, ask.hint].filter((block) => block !== '').join('\n\n');
}

/** A label is no markdown: the list shows what a button would show, and what is taken as the answer. */
function literal(label: string): string {
  return label.replace(/\s+/g, ' ').replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** What a button says: the label, or its number where the list shows the label. */
export function buttonLabel(ask: OutboundAsk, index: number): string {
  const listed = ask.choices.some(({ label }) => label.length > BUTTON_UNITS);
  return listed ? String(index + 1) : (ask.choices[index]?.label ?? '');
}
