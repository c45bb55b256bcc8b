/** What all parts of the fake Bot API need to refuse a call as the real one does. */

/** An answer with `ok: false`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly parameters: Readonly<Record<string, unknown>> | undefined;

  constructor(status: number, description: string, parameters?: Readonly<Record<string, unknown>>) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

export const bad = (description: string): never => {
  throw new Refusal(400, `Bad Request: ${description}`);
};

/** Nested objects come as JSON text in multipart and urlencoded bodies. */
export function nested(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined;
}
