/** A name server of ours on loopback that speaks DNS over UDP (RFC 1035) and answers what a test tells it to. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

export interface DnsQuestion {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'other';
  /** How often this very question has come before. */
  readonly before: number;
}

/** Addresses (those of the asked type are sent), and names that stand for others. Undefined: it does not answer at all. */
export type DnsAnswer = { readonly addresses?: readonly string[]; readonly alias?: string } | 'no such name' | 'broken' | undefined;

export interface FakeDns {
  /** For `createResolve`. */
  readonly server: string;
  readonly questions: readonly DnsQuestion[];
  close(): Promise<void>;
}

const types: Readonly<Record<number, DnsQuestion['type']>> = { 1: 'A', 28: 'AAAA' };
const codes = { 'no such name': 3, broken: 2 } as const;

export async function startDns(answer: (question: DnsQuestion) => DnsAnswer): Promise<FakeDns> {
  const socket = createSocket('udp4');
  const questions: DnsQuestion[] = [];
  socket.on('message', (query, peer) => {
    const { name, end } = readName(query, 12);
    const type = types[query.readUInt16BE(end)] ?? 'other';
    const before = questions.filter((other) => other.name === name && other.type === type).length;
    const question = { name, type, before };
    questions.push(question);
    const given = answer(question);
    if (given !== undefined) socket.send(reply(query.subarray(0, end + 4), question, given), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const close = async (): Promise<void> => {
    socket.close();
    await once(socket, 'close');
  };
  return { server: `127.0.0.1:${socket.address().port}`, questions, close };
}

function readName(message: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** `query`: header and question, as they came. */
function reply(query: Buffer, question: DnsQuestion, answer: Exclude<DnsAnswer, undefined>): Buffer {
  const head = Buffer.from(query);
  const records = typeof answer === 'string' ? [] : recordsOf(question, answer);
  head.writeUInt16BE(0x8180 | (typeof answer === 'string' ? codes[answer] : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

function recordsOf({ name, type }: DnsQuestion, { addresses = [], alias }: Exclude<DnsAnswer, string | undefined>): Buffer[] {
  const owner = alias ?? name;
  const data = addresses.filter((address) => isIPv6(address) === (type === 'AAAA')).map(addressBytes);
  const kind = type === 'AAAA' ? 28 : 1;
  return [
    ...(alias === undefined ? [] : [record(name, 5, nameBytes(alias))]),
    ...(type === 'other' ? [] : data.map((bytes) => record(owner, kind, bytes))),
  ];
}

function record(name: string, type: number, data: Buffer): Buffer {
  const facts = Buffer.alloc(10);
  facts.writeUInt16BE(type, 0);
  facts.writeUInt16BE(1, 2);
  facts.writeUInt32BE(0, 4); // not to be kept: the next question may have another answer
  facts.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), facts, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')])), Buffer.from([0])]);
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [front = '', back] = canonical.split('::');
  const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const head = groups(front);
  const tail = groups(back ?? '');
  const all = back === undefined ? head : [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
