import type { Node } from 'web-tree-sitter';
import { ANY, forgotten, isComputed, isStatic, NUMBER, PIECE, SEVERAL, VOUCHED } from './pattern.ts';
import { ansiC, doubleQuoted, finishWord, globbed, hidesExpansion, TILDE, unquoted } from './quoting.ts';
import { type Scope, variableValue } from './scope.ts';

/** What expansion needs from the walk that asks for it. */
export interface Expander {
  readonly scope: Scope;
  /** Walks the commands inside and says what they print, as far as known. */
  substitute(node: Node): string;
  /** The text was not understood for certain: a person must look. */
  doubt(why: string): void;
}

/** A value that is known beyond this is none that a person would recognise, and a few `a=$a$a` make one that fills the memory. */
const LONGEST_VALUE = 10_000;

interface Segment {
  readonly text: string;
  /** An unquoted expansion: its value falls into words at blanks. */
  readonly splits: boolean;
}

/** The words (none, one or several) that one word of the source becomes. */
export function expandWord(node: Node, expander: Expander): string[] {
  return splitSegments(segmentsOf(node, expander), expander.scope).flatMap((field) => {
    const finished = finishWord(field);
    if (finished === undefined) expander.doubt('It expands to very many words.');
    return (finished ?? [ANY]).map((word) => expandTilde(word, expander.scope));
  });
}

/** Where no splitting takes place: assignments, here-strings, case subjects. */
export function expandToOne(node: Node, expander: Expander): string {
  const joined = segmentsOf(node, expander)
    .map((segment) => segment.text)
    .join('');
  if (joined.length > LONGEST_VALUE) return ANY;
  const [only = ANY, ...more] = finishWord(joined) ?? [];
  return more.length > 0 ? ANY : expandTilde(only, expander.scope);
}

function splitSegments(segments: readonly Segment[], scope: Scope): string[] {
  const fields = [''];
  for (const segment of segments) {
    const unknownSplit = segment.splits && !scope.splitsAtBlanks;
    const [first = '', ...more] = unknownSplit
      ? [SEVERAL]
      : segment.splits
        ? globbed(segment.text)
            .replaceAll(/\ue000\ue004?(\ue006?)/gu, `${SEVERAL}$1`)
            .split(/[ \t\n]+/u)
        : [segment.text];
    fields.push((fields.pop() ?? '') + first, ...more);
  }
  const quoted = segments.some((segment) => !segment.splits);
  return fields.filter((field) => field !== '' || (quoted && fields.length === 1));
}

function expandTilde(word: string, scope: Scope): string {
  const at = word.indexOf(TILDE);
  if (at < 0) return word;
  return word.slice(0, at) + homeOf(word.slice(at + 1), scope);
}

function homeOf(text: string, scope: Scope): string {
  const user = text.split('/', 1)[0] ?? '';
  const rest = text.slice(user.length);
  if (user === '') return variableValue(scope, 'HOME') + rest;
  if (user === '+') return variableValue(scope, 'PWD') + rest;
  if (user === '-') return ANY;
  return user === 'root' ? `/root${rest}` : `/home/${user}${rest}`;
}

function segmentsOf(node: Node, expander: Expander): Segment[] {
  switch (node.type) {
    case 'concatenation':
      return concatenated(node, expander);
    case 'word':
    case 'number':
    case 'file_descriptor':
    case 'variable_name':
      return [{ text: plainWord(node.text, expander), splits: false }];
    case 'raw_string':
      return [{ text: node.text.slice(1, -1), splits: false }];
    case 'ansi_c_string':
      return [{ text: ansiC(node.text.slice(2, -1)), splits: false }];
    case 'string':
    case 'translated_string':
      return [{ text: insideQuotes(node, expander), splits: false }];
    case 'simple_expansion':
    case 'expansion':
    case 'command_substitution':
      return [{ text: expansionValue(node, expander), splits: true }];
    case 'process_substitution':
      expander.substitute(node);
      return [{ text: `/dev/fd/${PIECE}`, splits: false }];
    case 'arithmetic_expansion':
      expander.substitute(node);
      return [{ text: NUMBER, splits: false }];
    case 'brace_expression':
      expander.substitute(node);
      return [{ text: PIECE, splits: false }];
    default:
      expander.substitute(node);
      return [{ text: ANY, splits: false }];
  }
}

/** The parser leaves blanks out between the parts of a word only if it read the word differently from bash. */
function concatenated(node: Node, expander: Expander): Segment[] {
  const parts = node.children.filter((child) => child !== null);
  const gap = parts.some((part, index) => index > 0 && part.startIndex !== parts[index - 1]?.endIndex);
  if (gap) expander.doubt('A word in it could not be read for certain.');
  return parts.flatMap((part) => segmentsOf(part, expander));
}

function plainWord(text: string, expander: Expander): string {
  // What ends or quotes a word in bash cannot stand unescaped in one.
  if (/[;&|<>()\s`'"]/u.test(text.replaceAll(/\\[\s\S]/gu, '')) || hidesExpansion(text)) {
    expander.doubt('A word in it could not be read for certain.');
  }
  return unquoted(text);
}

/** Literal text between the expansions is taken from the source: the tree leaves some of it out. */
function insideQuotes(node: Node, expander: Expander): string {
  const open = node.text.indexOf('"') + 1;
  let at = open;
  let result = '';
  for (const child of node.namedChildren) {
    if (child === null || child.type === 'string_content' || child.type === 'string') continue;
    result += quotedLiteral(node.text.slice(at, child.startIndex - node.startIndex), expander) + expansionValue(child, expander);
    at = child.endIndex - node.startIndex;
  }
  return result + quotedLiteral(node.text.slice(at, -1), expander);
}

function quotedLiteral(text: string, expander: Expander): string {
  if (hidesExpansion(text)) expander.doubt('A quoted text in it could not be read for certain.');
  return doubleQuoted(text);
}

function expansionValue(node: Node, expander: Expander): string {
  if (/^\$(?:@|\{@\})$/u.test(node.text)) return isComputed(variableValue(expander.scope, '@')) ? SEVERAL : SEVERAL + VOUCHED; // also between quotes
  const array = /^\$\{(\w+)\[@\]\}$/u.exec(node.text)?.[1];
  if (array !== undefined) return isComputed(variableValue(expander.scope, array)) ? SEVERAL : SEVERAL + VOUCHED;
  if (node.type === 'simple_expansion') return variableValue(expander.scope, node.text.slice(1));
  if (node.type === 'arithmetic_expansion') {
    expander.substitute(node);
    return NUMBER;
  }
  if (node.type !== 'expansion') return expander.substitute(node);
  return parameterValue(node, expander);
}

/** `${x:?message}` is the value, or the end of it all. */
const PLAIN_PARAMETER = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::?\?[^$`]*)?\}$/u;
const WITHOUT_SLASH = /^\$\{([A-Za-z_]\w*)%%?\/\}$/u;
const ELEMENT = /^\$\{([A-Za-z_]\w*)\[[^$`\]]*\]\}$/u;
const WITH_DEFAULT = /^\$\{(\w+):?-[\w-][\w.-]*\}$/u;
const CUT_PARAMETER = /^\$\{([A-Za-z_][A-Za-z0-9_]*)%%?[^$`]*\}$/u;

/** `${x}` is its value; `${x%.txt}` of a text without slashes is again one; `${#x}` is a number; the rest shows at run time. */
function parameterValue(node: Node, expander: Expander): string {
  expander.substitute(node);
  if (/@P\}$/u.test(node.text)) expander.doubt('It evaluates a text as a prompt, which runs the commands in it.');
  const plain = PLAIN_PARAMETER.exec(node.text)?.[1];
  if (plain !== undefined) return variableValue(expander.scope, plain);
  const assigned = /^\$\{([A-Za-z_][A-Za-z0-9_]*):?=/u.exec(node.text)?.[1];
  if (assigned !== undefined) expander.scope.variables.set(assigned, ANY);
  if (/^\$\{#[A-Za-z_][A-Za-z0-9_]*\}$/u.test(node.text)) return PIECE;
  const slashed = WITHOUT_SLASH.exec(node.text)?.[1];
  if (slashed !== undefined && isStatic(variableValue(expander.scope, slashed)))
    return variableValue(expander.scope, slashed).replace(/\/$/u, '');
  const whole = (ELEMENT.exec(node.text) ?? WITH_DEFAULT.exec(node.text))?.[1];
  if (whole !== undefined) return forgotten(variableValue(expander.scope, whole));
  const cut = CUT_PARAMETER.exec(node.text)?.[1];
  const value = cut === undefined ? ANY : variableValue(expander.scope, cut);
  return isPlainName(value) ? PIECE : cut === undefined ? ANY : forgotten(value);
}

function isPlainName(value: string): boolean {
  return value !== '' && !value.includes('/') && !value.includes(ANY) && !/^[-.~]|\s/u.test(value);
}

/** One value that stands for all of these: what a loop variable may hold. */
export function commonValue(values: readonly string[]): string {
  const [first = ANY] = values;
  if (values.every((value) => value === first)) return first;
  if (values.every(isPlainName)) return PIECE;
  return values.some((value) => isComputed(forgotten(value))) ? ANY : ANY + VOUCHED;
}
