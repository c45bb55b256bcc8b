import { BlockList, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeAddress } from '../../../tools/shared/fetch/address.ts';
import { parseTarget } from '../../../tools/shared/fetch/target.ts';

/** The special addresses once more, in another form and by other code than what is tested. */
const special = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  special.addSubnet(network, bits);

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
const special6 = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const)
  special6.addSubnet(network, bits, 'ipv6');

const octet = fc.nat(255);
const anyFour = fc.tuple(octet, octet, octet, octet);
/** As likely from a special range as from anywhere. */
const four = fc.oneof(
  anyFour,
  fc
    .tuple(
      fc.constantFrom(
        [10],
        [127],
        [169, 254],
        [172, 16],
        [172, 31],
        [192, 168],
        [100, 64],
        [100, 127],
        [0],
        [224],
        [255],
        [198, 19],
        [192, 0, 2],
      ),
      anyFour,
    )
    .map(([front, rest]) => [...front, ...rest].slice(0, 4) as [number, number, number, number]),
);
const group = fc.oneof(fc.nat(0xffff), fc.constant(0));
const eight = fc.array(group, { minLength: 8, maxLength: 8 });
const six = fc.oneof(
  eight,
  fc
    .tuple(
      fc.constantFrom(
        [0x2001],
        [0x2001, 0xdb8],
        [0x2002],
        [0x3fff, 0x0fff],
        [0x3fff, 0x1000],
        [0xfe80],
        [0xfd00],
        [0x2600],
        [0x2620, 0x4f, 0x8000],
      ),
      eight,
    )
    .map(([front, rest]) => [...front, ...rest].slice(0, 8)),
);

const dotted = (bytes: readonly number[]): string => bytes.join('.');
const long = (groups: readonly number[]): string => groups.map((one) => one.toString(16)).join(':');
const hex = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string => `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;

/** Everything that an address parser of some system has ever taken for the same IPv4 address. */
function spellings([a, b, c, d]: readonly [number, number, number, number]): string[] {
  const value = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const octal = (one: number): string => `0${one.toString(8)}`;
  const sixteen = (one: number): string => `0x${one.toString(16)}`;
  return [
    dotted([a, b, c, d]),
    `${a}.${b}.${c}.${d}.`,
    String(value),
    sixteen(value),
    sixteen(value).toUpperCase(),
    octal(value),
    `${a}.${(b << 16) | (c << 8) | d}`,
    `${a}.${b}.${(c << 8) | d}`,
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map(sixteen).join('.'),
    `${sixteen(a)}.${octal(b)}.${c}.${octal(d)}`,
    [a, b, c, d].map((one) => `000${one.toString(8)}`).join('.'),
    dotted([a, b, c, d]).replaceAll('.', '。'),
    dotted([a, b, c, d]).replaceAll(/\d/gu, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    [...dotted([a, b, c, d])].map((one) => `%${one.codePointAt(0)?.toString(16)}`).join(''),
  ];
}

/** The IPv6 addresses that lead to it where something translates. */
function disguises(bytes: readonly [number, number, number, number], prefix: readonly number[]): string[] {
  const plain = hex(bytes);
  const inverted = hex(bytes.map((byte) => byte ^ 0xff));
  return [
    `::ffff:${dotted(bytes)}`,
    `0:0:0:0:0:ffff:${plain}`,
    `::ffff:0:${dotted(bytes)}`,
    `::${plain === '0:0' || plain === '0:1' ? `2:${plain}` : plain}`,
    `64:ff9b::${dotted(bytes)}`,
    `64:ff9b:1::${plain}`,
    `64:FF9B:1:1:2:3:${plain}`,
    `2002:${plain}::1`,
    `2001:0:1:2:3:4:${inverted}`,
    `${long(prefix.slice(0, 4))}:0:5efe:${plain}`,
    `${long(prefix.slice(0, 4))}:200:5EFE:${dotted(bytes)}`,
  ];
}

describe('an address', () => {
  it('of the fourth version is public just where no registry says otherwise', () => {
    fc.assert(
      fc.property(four, (bytes) => {
        const address = dotted(bytes);
        expect(judgeAddress(address).class === 'public').toBe(!special.check(address));
      }),
      { numRuns: 2_000 },
    );
  });

  it('of the sixth version is public just where it is assigned, and nothing special', () => {
    fc.assert(
      fc.property(six, (groups) => {
        const address = long(groups);
        const expected = globalUnicast.check(address, 'ipv6') && !special6.check(address, 'ipv6') && !/:2?0?0?:?5efe:/u.test(address);
        expect(judgeAddress(address).class === 'public').toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is judged the same in every spelling', () => {
    fc.assert(
      fc.property(four, (bytes) => {
        for (const spelling of spellings(bytes)) {
          const parsed = parseTarget(`http://${spelling}/`);
          expect(parsed.ok && parsed.target.host, spelling).toBe(dotted(bytes));
          expect(parsed.ok && parsed.target.isAddress).toBe(true);
        }
      }),
    );
  });

  it('of the sixth version is judged the same short and long, in capitals, and as an address in a URL', () => {
    fc.assert(
      fc.property(six, (groups) => {
        const parsed = parseTarget(`http://[${long(groups).toUpperCase()}]:81/`);
        const short = parsed.ok ? parsed.target.host : '';
        expect(isIPv6(short)).toBe(true);
        expect(judgeAddress(short)).toEqual(judgeAddress(long(groups)));
        expect(judgeAddress(groups.map((one) => one.toString(16).padStart(4, '0')).join(':'))).toEqual(judgeAddress(short));
      }),
    );
  });

  it('that stands for another one is never public, and is never opened where that one is not', () => {
    fc.assert(
      fc.property(four, eight, (bytes, prefix) => {
        const inner = judgeAddress(dotted(bytes)).class;
        for (const disguise of disguises(bytes, [0x2600, ...prefix])) {
          expect(isIPv6(disguise), disguise).toBe(true);
          expect(judgeAddress(disguise).class, disguise).toBe(inner === 'never' ? 'never' : 'private');
        }
      }),
    );
  });

  it.each([
    ['8.8.8.8', 'public'],
    ['2606:4700:4700::1111', 'public'],
    ['127.0.0.1', 'private'],
    ['::1', 'private'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'public'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd12::1', 'private'],
    ['198.18.0.1', 'private'],
    ['169.254.169.254', 'never'],
    ['100.100.100.200', 'never'],
    ['168.63.129.16', 'never'],
    ['fd00:ec2::254', 'never'],
    ['fe80::1', 'never'],
    ['0.0.0.0', 'never'],
    ['::', 'never'],
    ['239.1.1.1', 'never'],
    ['ff02::1', 'never'],
    ['255.255.255.255', 'never'],
    ['192.0.2.7', 'never'],
    ['2001:db8::1', 'never'],
    ['192.88.99.1', 'never'],
    ['2001:20::1', 'never'],
    ['100::1', 'never'],
    ['fe80::1%eth0', 'never'],
    ['127.1', 'never'],
    ['example.com', 'never'],
    ['', 'never'],
  ])('%s is %s', (address, expected) => {
    expect(judgeAddress(address).class).toBe(expected);
  });
});
