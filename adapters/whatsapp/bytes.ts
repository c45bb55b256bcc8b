/** Keys and messages of the client library as JSON and back. Bytes are the only thing in them that JSON does not know. */
import type { Json } from '../adapter.ts';

const MARK = '$bytes';

/** Own properties only: a message of the protocol buffer library is a plain object with a long prototype. */
export function toJson(value: unknown): Json {
  if (value instanceof Uint8Array) return { [MARK]: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined && typeof entry !== 'function');
    return Object.fromEntries(entries.map(([key, entry]) => [key, toJson(entry)]));
  }
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value) ? (value as string | boolean | number) : null;
}

export function fromJson(value: Json | undefined): unknown {
  if (Array.isArray(value)) return value.map((entry: Json) => fromJson(entry));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as { readonly [key: string]: Json });
  const [[key, content] = []] = entries;
  if (entries.length === 1 && key === MARK && typeof content === 'string') return Buffer.from(content, 'base64');
  return Object.fromEntries(entries.map(([name, entry]) => [name, fromJson(entry)]));
}
