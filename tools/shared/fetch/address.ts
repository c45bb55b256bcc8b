/**
 * Which addresses are part of the public internet. Pure. After the registries of special addresses:
 * https://www.iana.org/assignments/iana-ipv4-special-registry and https://www.iana.org/assignments/iana-ipv6-special-registry
 */
import { bytesOf, startsWith } from './address-bytes.ts';

/**
 * `public`: everybody's. `private`: somebody's own network or machine, which the owner may open. `never`: nothing that anybody
 * would want to have fetched (metadata services that hand out keys, multicast), whatever is configured.
 */
export type AddressClass = 'public' | 'private' | 'never';

export interface AddressVerdict {
  readonly class: AddressClass;
  /** For people: "a private network". */
  readonly what: string;
}

type Range = readonly [prefix: readonly number[], bits: number, kind: AddressClass, what: string];

/** The first that fits counts. */
const ranges: readonly Range[] = [
  ...of('never', 'a metadata service of a cloud', [
    '100.100.100.200/32',
    '168.63.129.16/32',
    '192.0.0.192/32',
    'fd00:ec2::/32',
    'fd20:ce::/32',
  ]),
  ...of('never', 'link-local', ['169.254.0.0/16', 'fe80::/10']),
  ...of('private', 'this machine', ['127.0.0.0/8', '::1/128']),
  ...of('private', 'a private network', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10']),
  ...of('private', "a provider's shared network", ['100.64.0.0/10']),
  ...of('private', 'for benchmarks', ['198.18.0.0/15']),
  ...of('never', 'multicast', ['224.0.0.0/4', 'ff00::/8']),
  ...of('never', 'unspecified', ['0.0.0.0/8', '::/128']),
  ...of('never', 'for documentation', ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20']),
  ...of('never', 'a transition relay', ['192.88.99.0/24', '192.52.193.0/24', '2001:3::/32']),
  ...of('never', 'reserved', ['192.0.0.0/24', '192.31.196.0/24', '192.175.48.0/24', '240.0.0.0/4', '2001::/23', '2620:4f:8000::/48']),
  ...of('public', 'public', ['0.0.0.0/0', '2000::/3']),
];

function of(kind: AddressClass, what: string, blocks: readonly string[]): Range[] {
  return blocks.map((block) => {
    const [address = '', bits] = block.split('/');
    return [bytesOf(address) ?? [], Number(bits), kind, what];
  });
}

interface Embedding {
  readonly prefix: readonly number[];
  readonly bits: number;
  readonly what: string;
  /** Where in the bytes the IPv4 address is that packets end up at. */
  readonly at: number;
  /** Teredo writes it inverted. */
  readonly inverted?: true;
}

/** IPv6 addresses that stand for an IPv4 address: what translates them may stand inside our network. */
const embeddings: readonly Embedding[] = [
  embedding('::ffff:0:0/96', 'an IPv4-mapped address', 12),
  embedding('::ffff:0:0:0/96', 'an IPv4-translated address', 12),
  embedding('64:ff9b::/96', 'a NAT64 address', 12),
  embedding('64:ff9b:1::/48', 'a local NAT64 address', 12),
  embedding('2002::/16', 'a 6to4 address', 2),
  { ...embedding('2001::/32', 'a Teredo address', 12), inverted: true },
  embedding('::/96', 'an IPv4-compatible address', 12),
];

function embedding(block: string, what: string, at: number): Embedding {
  const [address = '', bits] = block.split('/');
  return { prefix: bytesOf(address) ?? [], bits: Number(bits), what, at };
}

/** What is no address in its usual spelling is never fetched. */
export function judgeAddress(address: string): AddressVerdict {
  const bytes = bytesOf(address);
  if (bytes === undefined) return { class: 'never', what: 'no address' };
  const embedded = embeddedIn(bytes);
  if (embedded === undefined) return judgeBytes(bytes);
  const inner = judgeBytes(embedded.bytes);
  // Never taken for public: a translator of our own network may lead anywhere, whatever the address in it says.
  return { class: inner.class === 'never' ? 'never' : 'private', what: `${embedded.what} of ${embedded.bytes.join('.')}` };
}

function judgeBytes(bytes: readonly number[]): AddressVerdict {
  const found = ranges.find(([prefix, bits]) => startsWith(bytes, prefix, bits));
  return found === undefined ? { class: 'never', what: 'reserved' } : { class: found[2], what: found[3] };
}

function embeddedIn(bytes: readonly number[]): { readonly bytes: readonly number[]; readonly what: string } | undefined {
  if (bytes.length !== 16 || isOwnName(bytes)) return undefined;
  if (isIsatap(bytes)) return { bytes: bytes.slice(12), what: 'an ISATAP address' };
  const found = embeddings.find(({ prefix, bits }) => startsWith(bytes, prefix, bits));
  if (found === undefined) return undefined;
  const inner = bytes.slice(found.at, found.at + 4);
  return { bytes: found.inverted === true ? inner.map((byte) => byte ^ 0xff) : inner, what: found.what };
}

/** `::` and `::1` look like IPv4-compatible ones and are none. */
function isOwnName(bytes: readonly number[]): boolean {
  return bytes.slice(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) <= 1;
}

/** RFC 5214: the interface identifier is [02]00:5efe and the IPv4 address. */
function isIsatap(bytes: readonly number[]): boolean {
  const [first = 0, second, third, fourth] = bytes.slice(8, 12);
  return (first & 0xfd) === 0 && second === 0 && third === 0x5e && fourth === 0xfe;
}
