/** Codes that people read to each other. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 32 symbols without those that look alike (0 and O, 1 and I). */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeUnits = 8;
const codePattern = new RegExp(`^[${alphabet}]{${codeUnits}}$`);

/** 40 bits. */
export function newCode(): string {
  return [...randomBytes(codeUnits)].map((byte) => alphabet[byte & 31]).join('');
}

/** As people type it: in small letters, with spaces or a hyphen. Undefined: this is no code. */
export function readCode(text: string): string | undefined {
  if (text.length > 4 * codeUnits) return undefined;
  const code = text.replace(/[\s-]/g, '').toUpperCase();
  return codePattern.test(code) ? code : undefined;
}

export interface Sealed {
  readonly salt: string;
  /** SHA-256 of salt and code, hex. */
  readonly hash: string;
}

export function seal(code: string, salt: string = randomBytes(16).toString('hex')): Sealed {
  return { salt, hash: createHash('sha256').update(salt).update(code).digest('hex') };
}

/** Takes the same time whichever of them the code opens, or none. */
export function opened<T extends Sealed>(code: string, sealed: readonly T[]): T | undefined {
  let found: T | undefined;
  for (const each of sealed) {
    const isSame = timingSafeEqual(Buffer.from(seal(code, each.salt).hash, 'hex'), Buffer.from(each.hash, 'hex'));
    found = isSame ? each : found;
  }
  return found;
}
