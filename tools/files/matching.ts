/** Finds a text in a file although the model quoted it a little differently. Pure; all texts have LF line ends. */

export interface Match {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export interface Matches {
  /** What was forgiven; empty for an exact match. */
  readonly tolerance: string;
  readonly matches: readonly Match[];
}

type Strategy = (text: string, wanted: string, replacement: string) => Match[];

/** Strictest first. The first that finds anything decides, so that a looser one never adds candidates to a stricter one. */
const LADDER: readonly (readonly [string, Strategy])[] = [
  ['', exact],
  ['typographic characters', sameCharacters],
  ['blanks at line ends', byLines((line) => plainCharacters(line).trimEnd())],
  ['indentation', byLines((line) => plainCharacters(line).trim())],
  ['spacing inside lines', byLines((line) => plainCharacters(line).trim().replaceAll(/\s+/gu, ' '))],
  ['escaped characters', unescaped],
  ['blank lines around the text', withoutOuterBlankLines],
];

export function findMatches(text: string, wanted: string, replacement: string): Matches {
  for (const [tolerance, strategy] of LADDER) {
    const matches = strategy(text, wanted, replacement);
    if (matches.length > 0) return { tolerance, matches };
  }
  return { tolerance: '', matches: [] };
}

/** Overlapping ones, too: each is a place that could be meant. */
function exact(text: string, wanted: string, replacement: string): Match[] {
  const matches: Match[] = [];
  for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + 1)) {
    matches.push({ start, end: start + wanted.length, replacement });
  }
  return matches;
}

const TYPOGRAPHIC: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201a': "'",
  '\u201b': "'",
  '\u2032': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u201e': '"',
  '\u201f': '"',
  '\u2033': '"',
  '\u00ab': '"',
  '\u00bb': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2015': '-',
  '\u2212': '-',
  '\u00a0': ' ',
  '\u2002': ' ',
  '\u2003': ' ',
  '\u2009': ' ',
  '\u202f': ' ',
  '\u3000': ' ',
};

/** One character for one, so that offsets stay. */
function plainCharacters(text: string): string {
  return text.replaceAll(
    /[\u00a0\u00ab\u00bb\u2002\u2003\u2009-\u2015\u2018-\u201f\u202f\u2032\u2033\u2212\u3000]/gu,
    (character) => TYPOGRAPHIC[character] ?? character,
  );
}

function sameCharacters(text: string, wanted: string, replacement: string): Match[] {
  return exact(plainCharacters(text), plainCharacters(wanted), replacement);
}

interface Line {
  readonly text: string;
  readonly start: number;
}

function linesOf(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const found = { text: line, start };
    start += line.length + 1;
    return found;
  });
}

/** Compares whole lines after `normalise`, and gives the replacement the indentation of the place where it goes. */
function byLines(normalise: (line: string) => string): Strategy {
  return (text, wanted, replacement) => {
    const endsLine = wanted.endsWith('\n');
    const sought = (endsLine ? wanted.slice(0, -1) : wanted).split('\n');
    const soughtNormal = sought.map(normalise);
    if (soughtNormal.every((line) => line.trim() === '')) return [];
    const lines = linesOf(text);
    const normal = lines.map((line) => normalise(line.text));
    const starts = normal.keys().filter((at) => soughtNormal.every((line, index) => normal[at + index] === line));
    return [...starts].flatMap((at) => {
      const window = lines.slice(at, at + sought.length);
      const first = window[0];
      const last = window.at(-1);
      if (first === undefined || last === undefined) return [];
      const end = last.start + last.text.length;
      const fitted = reindent(
        replacement,
        sought,
        window.map((line) => line.text),
      );
      // A wanted text that ended its last line takes that line's end along, where there is one.
      const takesEnd = endsLine && end < text.length;
      return [
        {
          start: first.start,
          end: takesEnd ? end + 1 : end,
          replacement: endsLine && !takesEnd && fitted.endsWith('\n') ? fitted.slice(0, -1) : fitted,
        },
      ];
    });
  };
}

function indentOf(line: string): string {
  return /^[ \t]*/u.exec(line)?.[0] ?? '';
}

/** Every indentation that the model used for a matched line becomes the one that the file has there. */
function reindent(replacement: string, sought: readonly string[], found: readonly string[]): string {
  const translation = new Map<string, string>();
  for (const [index, line] of sought.entries()) {
    if (line.trim() !== '' && !translation.has(indentOf(line))) translation.set(indentOf(line), indentOf(found[index] ?? ''));
  }
  const known = [...translation.keys()].toSorted((left, right) => right.length - left.length);
  return replacement
    .split('\n')
    .map((line) => {
      if (line.trim() === '') return line;
      const indent = indentOf(line);
      const nearest = known.find((candidate) => indent.startsWith(candidate));
      if (nearest === undefined) return (translation.get(known.at(-1) ?? '') ?? '') + line.trimStart();
      return (translation.get(nearest) ?? '') + deeper(indent.slice(nearest.length), translation) + line.slice(indent.length);
    })
    .join('\n');
}

/** Further levels keep their blanks, but become tabs in a file that is indented by tabs where the model wrote spaces. */
function deeper(extra: string, translation: ReadonlyMap<string, string>): string {
  const usesTabs = [...translation].some(([from, to]) => /^ +$/u.test(from) && /^\t+$/u.test(to));
  if (!usesTabs) return extra;
  const [from = '', to = ''] = [...translation].find(([spaces, tabs]) => spaces !== '' && tabs !== '') ?? [];
  const width = Math.max(1, Math.round(from.length / Math.max(1, to.length)));
  return '\t'.repeat(Math.round(extra.length / width));
}

/** The model wrote `\n` and `\"` as two characters where one was meant. */
function unescaped(text: string, wanted: string, replacement: string): Match[] {
  const plain = (escaped: string): string =>
    escaped.replaceAll(/\\([nt"'\\])/gu, (_, character: string) => ({ n: '\n', t: '\t' })[character] ?? character);
  const meant = plain(wanted);
  return meant === wanted || meant.trim() === '' ? [] : exact(text, meant, plain(replacement));
}

function withoutOuterBlankLines(text: string, wanted: string, replacement: string): Match[] {
  const trimmed = wanted.replace(/^(?:[ \t]*\n)+/u, '').replace(/(?:\n[ \t]*)+$/u, '');
  if (trimmed === wanted || trimmed.trim() === '') return [];
  const fitting = replacement.replace(/^(?:[ \t]*\n)+/u, '').replace(/(?:\n[ \t]*)+$/u, '');
  const found = exact(text, trimmed, fitting);
  return found.length > 0 ? found : byLines((line) => plainCharacters(line).trim())(text, trimmed, fitting);
}
