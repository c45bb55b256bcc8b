import type { Feed, SimpleCommand } from './command.ts';
import { ANY, isStatic, PIECE } from './pattern.ts';
import type { Scope } from './scope.ts';

/** What a stage of a pipeline hands to the next one. */
export function printed(commands: readonly SimpleCommand[], before: Feed): Feed {
  const [only, ...more] = commands;
  const words = only?.argv.slice(1) ?? [];
  const isPrinter = only !== undefined && ['echo', 'printf'].includes(only.argv[0] ?? '');
  if (isPrinter && more.length === 0 && words.every(isStatic))
    return { from: 'text', text: words.filter((word) => !/^-[neE]+$/u.test(word)).join(' ') };
  const earlier = before.from === 'pipe' ? before.names : [];
  return { from: 'pipe', names: [...earlier, ...commands.map((command) => command.argv[0] ?? '')] };
}

const ONE_NAME = new Set(['nproc', 'whoami', 'hostname', 'uname', 'date', 'id', 'tty']);

export function printedValue(commands: readonly SimpleCommand[], scope: Scope): string {
  const [only, ...more] = commands;
  const [name = '', ...words] = only?.argv ?? [];
  if (more.length > 0) return ANY;
  if (name === 'pwd' && words.length === 0 && scope.directories?.size === 1) return [...scope.directories][0] ?? ANY;
  if (name === 'echo' && !scope.functions.has(name) && words.every((word) => isStatic(word) && !/^-|\\/u.test(word)))
    return words.join(' ');
  return ONE_NAME.has(name) && words.every((word) => isStatic(word) && !/[/.]/u.test(word)) ? PIECE : ANY;
}
