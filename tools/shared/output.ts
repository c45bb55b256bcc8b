/** What a program printed, made fit for a model: bounded, valid text, without terminal control. */

const HEAD_SHARE = 0.4;

// ECMA-48 (5th edition) section 5.4 CSI, 5.6 control strings, ECMA-35 section 13.2 nF and the remaining two-byte escapes; each also in its 8-bit form.
const CONTROL_SEQUENCES = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
    '(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
    '\\u001b[ -/]+[0-~]',
    '\\u001b[0-~]?',
  ].join('|'),
  'gu',
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: removing control characters is the purpose
const OTHER_CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;

export function stripAnsi(text: string): string {
  return text.replaceAll(CONTROL_SEQUENCES, '');
}

/** Without escape sequences and control characters; a line that was redrawn after a carriage return (progress bars) keeps its last state. */
export function plainText(text: string): string {
  const redrawn = stripAnsi(text).split('\n').map(lastState).join('\n');
  return redrawn.replaceAll(OTHER_CONTROLS, '');
}

/** Without patterns: a line may be all of the output, and looking for its end from each of its characters would hold up everybody. */
function lastState(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

export interface HeadTail {
  push(chunk: Buffer): void;
  /** Everything when it fits, else head and tail with a mark between them. Never begins or ends inside a character. */
  text(): string;
  readonly totalBytes: number;
}

/** Collects a stream of any length in memory bounded by the limit and one chunk. */
export function createHeadTail(limitBytes: number): HeadTail {
  const headLimit = Math.floor(limitBytes * HEAD_SHARE);
  const tailLimit = limitBytes - headLimit;
  const head: Buffer[] = [];
  let headBytes = 0;
  const tail = createTail(tailLimit);
  let total = 0;
  return {
    push(chunk) {
      total += chunk.length;
      const room = Math.min(headLimit - headBytes, chunk.length);
      if (room > 0) head.push(Buffer.from(chunk.subarray(0, room)));
      headBytes += room;
      if (room < chunk.length) tail.push(chunk.subarray(room));
    },
    text() {
      const first = Buffer.concat(head);
      const last = tail.bytes();
      const left = total - first.length - last.length;
      if (left <= 0) return Buffer.concat([first, last]).toString('utf8');
      const end = wholeCharactersEnd(first);
      const start = wholeCharactersStart(last);
      return `${first.toString('utf8', 0, end)}\n${leftOut(left + first.length - end + start)}\n${last.toString('utf8', start)}`;
    },
    get totalBytes() {
      return total;
    },
  };
}

/** The last bytes of a stream, kept in one buffer: hundreds of megabytes that pass through leave nothing for the collector. */
function createTail(limit: number): { push(chunk: Buffer): void; bytes(): Buffer } {
  let kept: Buffer | undefined;
  let end = 0;
  return {
    push(chunk) {
      kept ??= Buffer.allocUnsafeSlow(2 * limit);
      const news = chunk.subarray(Math.max(0, chunk.length - limit));
      if (end + news.length > kept.length) {
        const stay = Math.min(end, limit - news.length);
        kept.copyWithin(0, end - stay, end);
        end = stay;
      }
      news.copy(kept, end);
      end += news.length;
    },
    bytes: () => kept?.subarray(Math.max(0, end - limit), end) ?? Buffer.alloc(0),
  };
}

/** The same cut for text that is in memory already. */
export function capText(text: string, limitBytes: number): string {
  const collected = createHeadTail(limitBytes);
  collected.push(Buffer.from(text));
  return collected.text();
}

function leftOut(bytes: number): string {
  return `[... ${bytes.toLocaleString('en-US')} bytes left out here; narrow the command (grep, head, tail) or write to a file to see them ...]`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function wholeCharactersStart(bytes: Buffer): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return start;
}

function wholeCharactersEnd(bytes: Buffer): number {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead -= 1;
  const byte = bytes[lead] ?? 0;
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
  return lead + length > bytes.length ? Math.max(lead, 0) : bytes.length;
}
