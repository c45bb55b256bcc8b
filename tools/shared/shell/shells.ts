const SHELLS = new Set([
  'sh',
  'bash',
  'zsh',
  'dash',
  'ksh',
  'mksh',
  'ash',
  'fish',
  'hush',
  'csh',
  'tcsh',
  'rbash',
  'yash',
  'pwsh',
  'posh',
  'osh',
  'ysh',
]);

/** What a shell is to run: text behind `-c`, else a file, else what it reads. */
export interface ShellsWork {
  /** There is a `-c`; `script` is absent where nothing stands behind it. */
  readonly takesText: boolean;
  readonly script?: string;
  readonly file?: string;
  readonly readsInput: boolean;
}

export function shellsWork(words: readonly string[]): ShellsWork {
  const at = words.findIndex((word) => /^-[a-zA-Z]*c/u.test(word) && !word.startsWith('--'));
  const takesValue = (word: string | undefined): boolean => word !== undefined && /^[-+][oO]$/u.test(word);
  const operandOf = (all: readonly string[]): string | undefined =>
    all.find((word, index) => !/^[-+]/u.test(word) && !takesValue(all[index - 1]));
  const operand = operandOf(words.slice(at + 1));
  if (at >= 0) return { takesText: true, readsInput: false, ...(operand === undefined ? {} : { script: operand }) };
  const readsInput = operand === undefined || words.some((word) => /^-\w*s/u.test(word));
  return { takesText: false, readsInput, ...(operand === undefined ? {} : { file: operand }) };
}

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}
