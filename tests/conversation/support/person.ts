/** What one person does and sees in one chat, in the same words on every platform. */
import { until } from '../../gateway/support/gateway.ts';

export interface Card {
  readonly id: string;
  readonly number: number;
  /** All that it says, its choices left out. */
  readonly text: string;
  /** What its buttons say; none once it is closed. */
  readonly choices: readonly string[];
}

/** What a client that is not honest claims to have clicked: a card that was never sent, a choice that it does not offer, a copy of it, the card of another chat. */
export type Forgery = 'token' | 'choice' | 'copy' | 'chat';

export interface Person {
  /** As the gateway calls them. */
  readonly name: string;
  /** Several texts are several messages that arrive at once. */
  says(...texts: readonly string[]): void;
  repliesTo(card: Card, text: string): void;
  clicks(card: Card, choice: string): void;
  forges(card: Card, forgery: Forgery): void;
  /** The finished messages of the agent as they read now, oldest first: no cards, no progress. */
  reads(): readonly string[];
  cards(): readonly Card[];
  /** The progress that is in sight and not folded, one text a bubble. */
  progress(): readonly string[];
  /** The states of the answer that were shown while it grew. */
  growing(): readonly string[];
  /** How often it was shown that the agent is typing. */
  typing(): number;
  /** The sentences that clicks were answered with. */
  told(): readonly string[];
  /** What the platform lists behind a slash. */
  menu(): readonly string[];
}

const saidOf = (person: Person): string =>
  JSON.stringify({ reads: person.reads(), cards: person.cards(), progress: person.progress(), told: person.told() });

/** Resolves when a finished message says so, and returns it. */
export async function sees(person: Person, words: string | RegExp): Promise<string> {
  const fits = (text: string): boolean => (typeof words === 'string' ? text.includes(words) : words.test(text));
  await until(
    () => person.reads().some(fits),
    () => `${words} is not said: ${saidOf(person)}`,
  );
  return person.reads().find(fits) ?? '';
}

/** Says something and returns the next finished message. */
export async function answerTo(person: Person, text: string, withinMs = 5000): Promise<string> {
  const before = person.reads().length;
  person.says(text);
  await until(
    () => person.reads().length > before,
    () => `${text} is not answered: ${saidOf(person)}`,
    withinMs,
  );
  return person.reads()[before] ?? '';
}

/** The card with this number, once it is there. */
export async function card(person: Person, number = 1): Promise<Card> {
  const find = (): Card | undefined => person.cards().find((shown) => shown.number === number);
  await until(
    () => find() !== undefined,
    () => `there is no card #${number}: ${saidOf(person)}`,
  );
  return find() ?? { id: '', number, text: '', choices: [] };
}

/** What a card says once it is closed. */
export async function closed(person: Person, { id }: Card): Promise<string> {
  const now = (): Card | undefined => person.cards().find((shown) => shown.id === id);
  await until(
    () => now()?.choices.length === 0,
    () => `the card is open: ${saidOf(person)}`,
  );
  return now()?.text ?? '';
}

/** The sentences that clicks were answered with, once there are so many. */
export async function told(person: Person, count: number): Promise<readonly string[]> {
  await until(
    () => person.told().length >= count,
    () => `not told ${count} times: ${saidOf(person)}`,
  );
  return person.told();
}
