/** Makes small PDFs, by the book (ISO 32000-1, section 7). */

export interface PdfOptions {
  readonly title?: string;
  /** Names a security handler that nobody has the password of. */
  readonly locked?: boolean;
}

/** One page for each text; its lines are set one below the other. */
export function makePdf(pages: readonly string[], { title, locked = false }: PdfOptions = {}): Buffer {
  const first = 5;
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(' ');
  const zeros = '0'.repeat(64);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< ${title === undefined ? '' : `/Title (${escaped(title)})`} >>`,
    ...pages.flatMap((text, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + index * 2 + 1} 0 R >>`,
      stream(text),
    ]),
    ...(locked ? [`<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${zeros}> /U <${zeros}> >>`] : []),
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const encrypt = locked ? `/Encrypt ${objects.length} 0 R /ID [<00> <00>]` : '';
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R ${encrypt} >>`;
  return Buffer.from(
    `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}${trailer}\nstartxref\n${body.length}\n%%EOF\n`,
    'latin1',
  );
}

function stream(text: string): string {
  const lines =
    text === ''
      ? ''
      : text
          .split('\n')
          .map((line) => `(${escaped(line)}) Tj 0 -16 Td`)
          .join(' ');
  const content = lines === '' ? '0 0 100 100 re f' : `BT /F1 12 Tf 72 770 Td ${lines} ET`;
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\()]/gu, '\\$&');
}
