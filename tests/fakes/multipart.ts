/** Request bodies as the Bot API accepts them: JSON, urlencoded and multipart/form-data, binary safe. */

export interface UploadedFile {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

export interface FormBody {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: readonly UploadedFile[];
}

function parts(raw: Buffer, boundary: string): Buffer[] {
  const mark = Buffer.from(`--${boundary}`);
  const found: Buffer[] = [];
  let from = raw.indexOf(mark);
  while (from >= 0) {
    const start = from + mark.length;
    const next = raw.indexOf(mark, start);
    if (next < 0) break;
    found.push(raw.subarray(start + 2, next - 2));
    from = next;
  }
  return found;
}

function multipart(raw: Buffer, boundary: string): FormBody {
  const fields: Record<string, unknown> = {};
  const files: UploadedFile[] = [];
  for (const part of parts(raw, boundary)) {
    const cut = part.indexOf('\r\n\r\n');
    if (cut < 0) continue;
    const head = part.subarray(0, cut).toString('utf8');
    const content = part.subarray(cut + 4);
    const field = /name="([^"]*)"/i.exec(head)?.[1] ?? '';
    const name = /filename="?([^"\r\n;]*)"?/i.exec(head)?.[1];
    const type = /content-type:\s*([^\r\n]+)/i.exec(head)?.[1] ?? 'application/octet-stream';
    if (name === undefined) fields[field] = content.toString('utf8');
    else files.push({ field, name, type, content });
  }
  return { fields, files };
}

export function parseBody(contentType: string, raw: Buffer): FormBody {
  if (raw.length === 0) return { fields: {}, files: [] };
  if (contentType.includes('application/json')) return { fields: JSON.parse(raw.toString('utf8')), files: [] };
  if (contentType.includes('urlencoded')) return { fields: Object.fromEntries(new URLSearchParams(raw.toString('utf8'))), files: [] };
  const boundary = /boundary=("?)([^";]+)\1/i.exec(contentType)?.[2];
  return boundary === undefined ? { fields: {}, files: [] } : multipart(raw, boundary);
}
