/** Reads patches of several files in the V4A form ("*** Begin Patch"). Pure. */

export interface HunkLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

export interface Hunk {
  /** What stood behind "@@": lines of the file above the place, outermost first. */
  readonly anchors: readonly string[];
  /** From "@@ -12,3 +12,4 @@": the line of the file, counted from 1. */
  readonly line?: number;
  readonly lines: readonly HunkLine[];
  /** "*** End of File" followed. */
  readonly atEnd: boolean;
  /** Where it begins in the patch, counted from 1. */
  readonly patchLine: number;
}

export type Operation =
  | { readonly kind: 'add'; readonly path: string; readonly content: string; readonly patchLine: number }
  | { readonly kind: 'delete'; readonly path: string; readonly patchLine: number }
  | { readonly kind: 'update'; readonly path: string; readonly to?: string; readonly hunks: readonly Hunk[]; readonly patchLine: number };

export interface ParsedPatch {
  readonly operations: readonly Operation[];
  /** Sentences; each says in which line of the patch. */
  readonly problems: readonly string[];
}

const HEADER = /^\*\*\* (?<verb>Add|Update|Delete|Move|Rename) File:\s*(?<path>.*?)\s*$/u;
const MOVE_TO = /^\*\*\* Move to:\s*(?<path>.*?)\s*$/u;
const END_OF_FILE = /^\*\*\* End of File\s*$/u;
const MANY_MARKS = /^@@ -(?<line>\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/u;

interface Line {
  readonly text: string;
  readonly number: number;
}

export function parsePatch(patch: string): ParsedPatch {
  const lines = patch
    .replace(/^\ufeff/u, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((text, index) => ({ text, number: index + 1 }));
  const begin = lines.findIndex(({ text }) => text.trim() === '*** Begin Patch');
  const end = lines.findLastIndex(({ text }) => text.trim() === '*** End Patch');
  if (begin < 0) return failed('The patch does not begin with "*** Begin Patch".');
  if (end < begin) return failed('The patch does not end with "*** End Patch": it may have been cut off. Send it whole, or less at once.');
  const { sections, stray } = sectionsOf(lines.slice(begin + 1, end));
  if (stray !== undefined)
    return failed(`Line ${stray.number} of the patch stands before the first "*** Update File: path" (or Add, Delete, Move).`);
  if (sections.length === 0) return failed('The patch names no file.');
  const parsed = sections.map(operationOf);
  return {
    operations: parsed.flatMap((each) => (Array.isArray(each) ? [] : [each])),
    problems: parsed.flatMap((each) => (Array.isArray(each) ? each : [])),
  };
}

function failed(problem: string): ParsedPatch {
  return { operations: [], problems: [problem] };
}

interface Section {
  readonly verb: string;
  readonly path: string;
  readonly patchLine: number;
  readonly body: Line[];
}

function sectionsOf(lines: readonly Line[]): { sections: Section[]; stray: Line | undefined } {
  const sections: Section[] = [];
  let stray: Line | undefined;
  for (const line of lines) {
    const { verb = '', path = '' } = HEADER.exec(line.text)?.groups ?? {};
    if (verb !== '') sections.push({ verb, path, patchLine: line.number, body: [] });
    else if (sections.length > 0) sections.at(-1)?.body.push(line);
    else if (line.text.trim() !== '') stray ??= line;
  }
  return { sections, stray };
}

type Parsed = Operation | string[];

function operationOf(section: Section): Parsed {
  const { verb, path, patchLine } = section;
  if (path === '') return [`Line ${patchLine} of the patch names no file.`];
  if (verb === 'Add') return addition(section);
  if (verb === 'Delete')
    return section.body.every(isBlank)
      ? { kind: 'delete', path, patchLine }
      : [`${path}: a deletion has no lines (patch line ${patchLine + 1}).`];
  return verb === 'Update' ? update(section, path) : renaming(section);
}

function isBlank({ text }: Line): boolean {
  return text.trim() === '';
}

function addition({ path, patchLine, body }: Section): Parsed {
  const lines = withoutBlankEnd(body);
  const wrong = lines.find(({ text }) => text !== '' && !text.startsWith('+'));
  if (wrong !== undefined)
    return [`${path}: each line of a new file begins with "+" (patch line ${wrong.number}: ${JSON.stringify(wrong.text.slice(0, 80))}).`];
  return { kind: 'add', path, content: lines.map(({ text }) => `${text.slice(1)}\n`).join(''), patchLine };
}

/** "*** Move File: from -> to". */
function renaming(section: Section): Parsed {
  const [from = '', to = '', ...more] = section.path.split(/\s+->\s+/u);
  if (from === '' || to === '' || more.length > 0) return [`Line ${section.patchLine} of the patch: write "*** Move File: from -> to".`];
  return update({ ...section, path: from }, from, to);
}

function update({ patchLine, body }: Section, path: string, destination?: string): Parsed {
  const [first, ...rest] = body;
  const moved = MOVE_TO.exec(first?.text ?? '')?.groups?.['path'];
  if (moved === '') return [`${path}: "*** Move to:" names no file (patch line ${first?.number}).`];
  const to = destination ?? moved;
  const { hunks, problems } = hunksOf(moved === undefined ? body : rest);
  if (problems.length > 0) return problems.map((problem) => `${path}: ${problem}`);
  if (hunks.length === 0 && to === undefined) return [`${path}: there are no changes below its name (patch line ${patchLine}).`];
  const idle = hunks.find(({ lines }) => lines.every(({ mark }) => mark === ' '));
  if (idle !== undefined)
    return [`${path}: the part at patch line ${idle.patchLine} changes nothing: it has no line that begins with "-" or "+".`];
  return { kind: 'update', path, hunks, patchLine, ...(to === undefined ? {} : { to }) };
}

interface Draft {
  anchors: string[];
  line?: number;
  readonly lines: (HunkLine & { readonly isBare: boolean })[];
  atEnd: boolean;
  readonly patchLine: number;
}

function hunksOf(body: readonly Line[]): { hunks: Hunk[]; problems: string[] } {
  const drafts: Draft[] = [];
  const problems: string[] = [];
  const current = (number: number): Draft => {
    const last = drafts.at(-1);
    if (last !== undefined && !last.atEnd) return last;
    const fresh: Draft = { anchors: [], lines: [], atEnd: false, patchLine: number };
    drafts.push(fresh);
    return fresh;
  };
  for (const { text, number } of body) {
    if (text.startsWith('@@')) begin(drafts, text, number);
    else if (END_OF_FILE.test(text)) current(number).atEnd = true;
    else if (text.startsWith('\\ No newline')) continue;
    else if (text === '') blank(drafts);
    else if (isMark(text[0])) current(number).lines.push({ mark: text[0], text: text.slice(1), isBare: false });
    else problems.push(wrongLine(text, number));
  }
  const hunks = drafts.map(({ lines, ...draft }) => ({ ...draft, lines: withoutBareEnd(lines) }));
  return { hunks: hunks.filter(({ lines }) => lines.length > 0), problems };
}

function wrongLine(text: string, number: number): string {
  return `patch line ${number} begins with none of " ", "-", "+" and "@@": ${JSON.stringify(text.slice(0, 80))}. Begin lines that stay as they are with a blank.`;
}

function isMark(character: string | undefined): character is HunkLine['mark'] {
  return character === ' ' || character === '-' || character === '+';
}

/** Several in a row name the places one in the other: a class, then its method. */
function begin(drafts: Draft[], text: string, patchLine: number): void {
  const numbers = MANY_MARKS.exec(text)?.groups?.['line'];
  const anchor = text
    .replace(/^@@+/u, '')
    .replace(/@@+\s*$/u, '')
    .trim();
  const last = drafts.at(-1);
  const isNested = last !== undefined && last.lines.length === 0 && !last.atEnd;
  const draft: Draft = isNested ? last : { anchors: [], lines: [], atEnd: false, patchLine };
  if (numbers !== undefined) draft.line = Number(numbers);
  else if (anchor !== '') draft.anchors.push(anchor);
  if (!isNested) drafts.push(draft);
}

/** Blank lines lose the blank before them; those between the parts of a patch are none of the file. */
function blank(drafts: readonly Draft[]): void {
  drafts.at(-1)?.lines.push({ mark: ' ', text: '', isBare: true });
}

function withoutBareEnd(lines: Draft['lines']): HunkLine[] {
  const last = lines.findLastIndex(({ isBare }) => !isBare);
  return lines.slice(0, last + 1).map(({ mark, text }) => ({ mark, text }));
}

function withoutBlankEnd(lines: readonly Line[]): readonly Line[] {
  return lines.slice(0, lines.findLastIndex(({ text }) => text !== '') + 1);
}
