import { SEVERAL } from './pattern.ts';

/** Words of a command taken apart as getopt does: options may stand anywhere, `--` ends them. */

export interface OptionSpec {
  /** Letters of short options that take a value. */
  readonly values?: string;
  /** Long options that take a value in the next word. */
  readonly longValues?: readonly string[];
}

export interface Options {
  /** Letters, and long names as written (they may be abbreviated). */
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
}

export function parseOptions(words: readonly string[], spec: OptionSpec = {}): Options {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const operands: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') {
      operands.push(...words.slice(index + 1));
      break;
    }
    const option = readOption(word, spec);
    if (option === undefined) operands.push(word);
    else {
      for (const flag of option.flags) flags.add(flag);
      if (option.needsValue === undefined) continue;
      const value = option.value ?? words[++index] ?? '';
      values.set(option.needsValue, value);
      if (value.includes(SEVERAL)) operands.push(value); // the words behind the first one are none of the option's
    }
  }
  return { flags, values, operands };
}

interface ReadOption {
  readonly flags: readonly string[];
  readonly needsValue?: string;
  readonly value?: string;
}

function readOption(word: string, spec: OptionSpec): ReadOption | undefined {
  if (!/^-./u.test(word)) return undefined;
  if (!word.startsWith('--')) return readLetters(word.slice(1), spec.values ?? '');
  const [name = '', ...value] = word.slice(2).split('=');
  if (value.length > 0) return { flags: [name], needsValue: name, value: value.join('=') };
  return spec.longValues?.includes(name) ? { flags: [name], needsValue: name } : { flags: [name] };
}

function readLetters(letters: string, valued: string): ReadOption {
  const flags: string[] = [];
  for (const [index, letter] of [...letters].entries()) {
    flags.push(letter);
    if (!valued.includes(letter)) continue;
    const rest = [...letters].slice(index + 1).join('');
    return rest === '' ? { flags, needsValue: letter } : { flags, needsValue: letter, value: rest };
  }
  return { flags };
}

/** GNU programs take any unambiguous beginning of a long option. */
export function hasOption(options: Options, letters: string, long: string): boolean {
  return [...options.flags].some((flag) => (flag.length === 1 ? letters.includes(flag) : long !== '' && long.startsWith(flag)));
}
