import { commandName, type SimpleCommand } from '../command.ts';
import { ANY, isStatic } from '../pattern.ts';
import { ask, type Rule, reading } from './rule.ts';

/** Programs that run what stands in their arguments or arrives on their input. */

interface Interpreter {
  readonly name: RegExp;
  readonly inline: RegExp;
  /** Options whose value is the next word. */
  readonly values: RegExp;
}

const INTERPRETERS: readonly Interpreter[] = [
  { name: /^(?:python|pypy)[\d.]*w?$/u, inline: /^-[a-zA-Z]*c/u, values: /^-[WX]$/u },
  { name: /^perl[\d.]*$/u, inline: /^-[a-zA-Z0-9]*[eE]/u, values: /^$/u },
  { name: /^(?:j|t)?ruby[\d.]*$/u, inline: /^-[a-zA-Z]*e/u, values: /^-[rI]$/u },
  {
    name: /^(?:node|nodejs)$/u,
    inline: /^-[a-zA-Z]*[ep]|^--(?:eval|print)|^(?:--import=|--loader=)?data:/u,
    values: /^(?:-r|--require|--import|--loader|--env-file)$/u,
  },
  { name: /^(?:bun|deno)$/u, inline: /^(?:-e|-p|eval|--eval|--print)$/u, values: /^$/u },
  { name: /^(?:php)[\d.]*$/u, inline: /^-[rBREa]|^--run$/u, values: /^-[dc]$/u },
  { name: /^(?:lua|luajit)[\d.]*$/u, inline: /^-e/u, values: /^-l$/u },
  {
    name: /^(?:rscript|r|julia|osascript|groovy|scala|elixir|ghc|guile|racket|sbcl|tclsh|wish|expect|pwsh|powershell|octave|octave-cli|gnuplot|ipython3?|micropython|clojure|clj|bb|janet|crystal|nim|swift|kotlin|sage|maxima|xonsh|nu|elvish)$/u,
    inline: /^-(?:e|c|E|x|Command|-eval|-execute|-command|-batch-string)/iu,
    values: /^$/u,
  },
  {
    name: /^(?:erl|gdb|lldb|jdb|emacs|vim?|nvim|ex|ed)$/u,
    inline: /^(?:-eval|-ex|-iex|-o|--batch|--eval|-c|\+.*|--cmd|-S|-s|-x)$|^--eval=|^-c/u,
    values: /^$/u,
  },
];

/** Whether it runs the file that it is given; editors only open it. */
export function isInterpreter(name: string): boolean {
  return !/^(?:emacs|n?vim?|ex|ed)$/u.test(name) && INTERPRETERS.some((candidate) => candidate.name.test(name));
}

function inlineCode(command: SimpleCommand, kind: Interpreter): boolean {
  const words = command.argv.slice(1);
  const end = words.findIndex(
    (word, index) => !word.startsWith('-') && !word.startsWith('+') && word !== 'eval' && !kind.values.test(words[index - 1] ?? ''),
  );
  return words.slice(0, end < 0 ? words.length : end).some((word) => kind.inline.test(word));
}

export const interpreters: Rule = (command) => {
  const name = commandName(command);
  const kind = INTERPRETERS.find((candidate) => candidate.name.test(name));
  if (kind === undefined) return [];
  if (inlineCode(command, kind)) return ask(`It gives ${name} code as an argument.`);
  const words = command.argv.slice(1);
  const operands = words.filter((word, index) => !/^[-+]./u.test(word) && !kind.values.test(words[index - 1] ?? ''));
  if (words.some((word) => /^-m/u.test(word)) && name.startsWith('py')) return [];
  const [script] = operands;
  const isAsked = words.some((word) => /^(?:--version|-V|-v|--help|-h)$/u.test(word));
  if (script !== undefined && /^-$|^\/dev\/(?:fd|stdin)/u.test(script)) return ask(`It feeds text to ${name}, which runs it.`);
  if (script === undefined && !isAsked && command.feed.from !== 'nothing') return ask(`It feeds text to ${name}, which runs it.`);
  return script !== undefined && !isStatic(script) && script.includes(ANY)
    ? ask(`It lets ${name} run a file that only shows when it runs.`)
    : [];
};

const RUNS_COMMANDS = /\bsystem\s*\(|\|\s*&?\s*(?:"|getline)|\|&|>\s*["(/$a-zA-Z]|@load|@\s*\w+\s*\(|"\s*\|/u;

const awk: Rule = (command, place) => {
  const programs = awkPrograms(command.argv.slice(1));
  if (programs.some((program) => program.includes(ANY))) return ask('It gives awk a program that only shows when it runs.');
  if (
    programs
      .map((program) => withoutTexts(program.replaceAll(/>\s*"\/dev\/std(?:err|out)"/gu, '')))
      .some((program) => RUNS_COMMANDS.test(withoutComparisons(program)) || PIPES.test(program))
  )
    return ask('Its awk program runs commands or writes files.');
  if (programs.some((program) => program.length > 10_000)) return ask('Its awk program is too long to be judged.');
  return programs
    .flatMap((program) => program.match(/(?<=")(?:\.{1,2}|~)?\/[^"]+(?=")/gu) ?? [])
    .flatMap((word) => reading(word, command.directories, place))
    .slice(0, 1);
};

/** The texts that it runs; what it runs out of files is as it was. */
function awkPrograms(words: readonly string[]): string[] {
  const given = words.flatMap((word, index) =>
    /^-e$|^--source$/u.test(words[index - 1] ?? '') ? [word] : (/^(?:-e|--source=)([\s\S]+)$/u.exec(word)?.[1] ?? []),
  );
  if (given.length > 0 || words.some((word) => /^-f|^--file|^-E|^--exec/u.test(word))) return given;
  const program = words.find(
    (word, index) => !word.startsWith('-') && !/^(?:-[vFilW]|--(?:include|load|assign|field-separator))$/u.test(words[index - 1] ?? ''),
  );
  return program === undefined ? [] : [program];
}

/** Texts and patterns taken out, where it is certain what they are: a `/` may also divide. */
function withoutTexts(program: string): string {
  const bare = program.replaceAll(
    /"(?:\\.|[^"\\\n])*"|#[^\n]*|(?<=[\w\]])(?<!\b(?:return|printf?|in|case|else|do|getline|exit)) *\/=?|(?<=(?:^|[(,~!{};&|\n])\s*)\/(?:\\.|\[\^?\]?[^\]\n]*\]|[^/\\\n])*\//gu,
    (text) => (text.startsWith('"') ? '""' : ' '),
  );
  return /["/]/u.test(bare.replaceAll('""', '')) ? program : bare;
}

/** One `|` hands something to a command. */
const PIPES = /(?<!\|)\|(?!\|)/u;

/** `$1 > 5` and `x > y` inside conditions are comparisons; after `print` a `>` writes. */
function withoutComparisons(program: string): string {
  return program.replaceAll(/>=|=>/gu, '').replaceAll(/(?<!\bprintf?\b[^;}\n]*)>/gu, '');
}

const make: Rule = (command) =>
  command.argv.some((word) => /^--eval|^SHELL=|^-\w*E/u.test(word)) ? ask('It gives make commands as an argument.') : [];

const rules: Record<string, Rule> = { awk, gawk: awk, mawk: awk, nawk: awk, make, gmake: make };

export const codeRules: Readonly<Record<string, Rule>> = rules;
