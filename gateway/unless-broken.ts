import { HomeLockedError } from './store/lock.ts';

/** What keeps the start from succeeding may be just this. */
export function unlessBroken<T>(attempt: () => T, notes: string[]): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof HomeLockedError) throw error;
    const sentence = error instanceof Error ? error.message : String(error);
    if (!notes.some((note) => note.includes(sentence))) notes.push(sentence);
    return undefined;
  }
}
