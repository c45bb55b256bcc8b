/** The command line cannot be meant like this; the message says how to write it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
