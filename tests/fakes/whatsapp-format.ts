/** How a phone reads WhatsApp's marks. Pure. https://faq.whatsapp.com/539178204879377 */

export interface Read {
  /** What is left when the marks are taken out. */
  readonly visible: string;
  /** What is marked, and how. */
  readonly marked: readonly (readonly [kind: string, text: string])[];
}

const KINDS: Readonly<Record<string, string>> = { '*': 'bold', _: 'italic', '~': 'struck' };

export function readWhatsApp(text: string): Read {
  const marked: (readonly [string, string])[] = [];
  const fences = text.split(/```\n?([\s\S]*?)\n?```/);
  const visible = fences.map((piece, index) => {
    if (index % 2 === 0)
      return piece
        .split('\n')
        .map((line) => readLine(line, marked))
        .join('\n');
    marked.push(['code', piece]);
    return piece;
  });
  return { visible: visible.join(''), marked };
}

function readLine(line: string, marked: (readonly [string, string])[]): string {
  const quoted = /^((?:> )+)(.*)$/.exec(line);
  if (quoted) {
    marked.push(['quote', quoted[2] ?? '']);
    return readLine(quoted[2] ?? '', marked);
  }
  return readMarks(line, marked);
}

/** A mark has no letter or digit at its outer side and no space at its inner side. */
const MARK = /(?<![\p{L}\p{N}])(?:`([^`]+)`|([*_~])(?!\s)((?:(?!\2).)+?)(?<!\s)\2)(?![\p{L}\p{N}])/u;

function readMarks(text: string, marked: (readonly [string, string])[]): string {
  const found = MARK.exec(text);
  if (found === null) return text;
  const [whole, code, mark = '', inner = ''] = found;
  marked.push(code === undefined ? [KINDS[mark] ?? '', inner] : ['code', code]);
  const middle = code ?? readMarks(inner, marked);
  return text.slice(0, found.index) + middle + readMarks(text.slice(found.index + whole.length), marked);
}
