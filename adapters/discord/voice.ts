/** A recording as a voice message, with its length. Pure. https://docs.discord.com/developers/resources/message#attachment-object */

export interface VoiceFacts {
  readonly duration_secs: number;
  /** Loudness over the time, as bytes in base64: for showing only. */
  readonly waveform: string;
}

/** Opus always counts in 48 kHz. https://datatracker.ietf.org/doc/html/rfc7845#section-4 */
const RATE = 48_000;
const PAGE = 'OggS';
const POSITION_OFFSET = 6;
const SKIP_OFFSET = 10;
const POINTS = 64;

/** Undefined: not Opus in Ogg, which is all that Discord's clients play as a voice message. */
export function voiceFacts(data: Buffer): VoiceFacts | undefined {
  const head = data.indexOf('OpusHead');
  const last = data.lastIndexOf(PAGE);
  if (!data.subarray(0, 4).equals(Buffer.from(PAGE)) || head < 0 || head > 200 || last + POSITION_OFFSET + 8 > data.length)
    return undefined;
  const samples = Number(data.readBigInt64LE(last + POSITION_OFFSET)) - data.readUInt16LE(head + SKIP_OFFSET);
  if (samples <= 0) return undefined;
  // How loud it is cannot be told without decoding it; a level line says that there is something.
  return { duration_secs: Math.round((samples / RATE) * 100) / 100, waveform: Buffer.alloc(POINTS, 100).toString('base64') };
}
