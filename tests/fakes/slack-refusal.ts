/** What all parts of the fake Slack need to refuse a call as the real one does: HTTP 200 with `ok: false`. */

export class SlackRefusal extends Error {
  override readonly name = 'SlackRefusal';
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(error: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(error);
    this.extra = extra;
  }
}

export const refuse = (error: string, extra?: Readonly<Record<string, unknown>>): never => {
  throw new SlackRefusal(error, extra);
};

export type Fields = Readonly<Record<string, unknown>>;

export function text(fields: Fields, name: string): string {
  const value = fields[name];
  return value === undefined ? '' : String(value);
}

/** Nested values come as JSON text in forms. */
export function nested(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return refuse('invalid_json');
  }
}
