import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits: nothing that can be guessed, whatever the limits. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Secrets of 256 bits need no salt and no slow hash. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** In constant time; both are hashes, so their lengths tell nothing. */
export function sameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
