/** IP addresses as bytes. Pure. */
import { isIPv4, isIPv6 } from 'node:net';

/** 4 or 16 bytes; undefined for what is no address in its usual spelling, and for one with a zone ("fe80::1%eth0"). */
export function bytesOf(address: string): readonly number[] | undefined {
  if (isIPv4(address)) return address.split('.').map(Number);
  return isIPv6(address) && !address.includes('%') ? bytesOf6(address) : undefined;
}

function bytesOf6(address: string): readonly number[] {
  const [front = '', back] = address.split('::');
  const head = groups(front);
  const tail = groups(back ?? '');
  const gap = back === undefined ? 0 : 16 - head.length - tail.length;
  return [...head, ...Array.from({ length: gap }, () => 0), ...tail];
}

/** The last group may be an IPv4 address. */
function groups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** Whether the first `bits` bits are the same. */
export function startsWith(bytes: readonly number[], prefix: readonly number[], bits: number): boolean {
  if (bytes.length !== prefix.length) return false;
  return bytes.every((byte, index) => {
    const here = Math.min(8, Math.max(0, bits - index * 8));
    const mask = (0xff << (8 - here)) & 0xff;
    return (byte & mask) === ((prefix[index] ?? 0) & mask);
  });
}
