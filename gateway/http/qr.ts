/** The squares of a QR code. The page and the terminal draw the same ones, and neither needs a network or a library for it. */
import { createRequire } from 'node:module';
import { z } from 'zod';

/** The inner module: the package's own entry loads a PNG encoder and a command line, too. It has no types. */
const ENCODER = 'qrcode/lib/core/qrcode.js';

type Create = (text: string, options: { readonly errorCorrectionLevel: 'L' }) => unknown;

const encoder = z.object({ create: z.custom<Create>((value) => typeof value === 'function') });
const codeSchema = z.object({ modules: z.object({ size: z.number().int().positive(), data: z.instanceof(Uint8Array) }) });

/** A row is a text of 0 and 1, where 1 is dark; without the quiet zone of four squares around it. */
export function qrRows(text: string): readonly string[] {
  const { create } = encoder.parse(createRequire(import.meta.url)(ENCODER));
  const { size, data } = codeSchema.parse(create(text, { errorCorrectionLevel: 'L' })).modules;
  return Array.from({ length: size }, (_unused, row) => data.subarray(row * size, (row + 1) * size).join(''));
}
