import { doubting, type Walk } from './actions.ts';
import { follow, runCarrier, skipAssignments } from './carriers.ts';
import { commandName, type SimpleCommand } from './command.ts';
import { withLongNames } from './long-options.ts';
import { isStatic } from './pattern.ts';
import { copyScope, type Scope } from './scope.ts';
import { isShell, shellsWork } from './shells.ts';
import { skipOwnWords, WRAPPERS } from './wrappers.ts';

const MAX_LAYERS = 12;
/** Words that bash does not take for a command: the parser did. */
const RESERVED = new Set([
  '{',
  '}',
  'then',
  'fi',
  'do',
  'done',
  'elif',
  'else',
  'esac',
  'in',
  'if',
  'while',
  'until',
  'for',
  'case',
  'select',
  'function',
  '[[',
  ']]',
  'coproc',
]);

/** Notes the command, and every command that it runs in turn, each with its own words. */
export function unwrap(command: SimpleCommand, scope: Scope, walk: Walk): void {
  layer(command, copyScope(scope), { walk, left: MAX_LAYERS });
}

interface Layers {
  readonly walk: Walk;
  readonly left: number;
}

function layer(given: SimpleCommand, scope: Scope, layers: Layers): void {
  const command = { ...given, argv: withLongNames(given.argv) };
  const walk = doubting(command, layers.walk);
  if (layers.left === 0) {
    walk.doubt('Too many commands are wrapped in each other in it.');
    return;
  }
  walk.commands.push(command);
  if (RESERVED.has(command.argv[0] ?? '')) walk.doubt('It could not be read for certain as a shell command.');
  const name = commandName(command);
  const words = command.argv.slice(1);
  const inner = (argv: readonly string[], elsewhere?: Pick<SimpleCommand, 'directories'>): void => {
    if (argv.length > 0) layer({ ...command, ...elsewhere, argv }, scope, { walk: layers.walk, left: layers.left - 1 });
  };
  const spec = WRAPPERS.get(name);
  if (spec !== undefined && !(name === 'command' && /^-[vV]/u.test(words[0] ?? ''))) {
    if (spec.ask !== undefined) walk.doubt(spec.ask);
    follow(skipAssignments(skipOwnWords(words, spec)), { name, walk, inner });
  } else if (isAppletBox(name)) inner(words.filter((word, index) => index > 0 || !word.startsWith('--')));
  else if (isShell(name)) shell(command, scope, walk);
  else runCarrier(words, { name, command, scope, walk, inner });
}

/** Programs that are another program by their first argument: busybox, the dynamic loader. */
function isAppletBox(name: string): boolean {
  return name === 'busybox' || name === 'toybox' || /^ld(?:-linux.*|\.so.*|-musl.*)$/u.test(name);
}

/** `sh -c text`, and text that reaches a shell's standard input. */
function shell(command: SimpleCommand, scope: Scope, walk: Walk): void {
  const words = command.argv.slice(1);
  const { takesText, script, readsInput } = shellsWork(words);
  if (takesText) walk.doubt('It gives a shell commands as text.');
  if (script !== undefined && isStatic(script)) walk.script(script, copyScope(scope));
  if (!readsInput) {
    scriptFile(words, walk);
    return;
  }
  if (command.feed.from !== 'nothing') walk.doubt('It feeds text to a shell, which runs it.');
  if (command.feed.from === 'text') walk.script(command.feed.text, copyScope(scope));
}

function scriptFile(words: readonly string[], walk: Walk): void {
  if (words.some((word) => /^\/dev\/(?:fd|stdin|tcp|udp)|^\/proc\/.*\/fd/u.test(word)))
    walk.doubt('It lets a shell run what another command prints.');
  if (words.some((word) => /^--(?:rc|init-)file/u.test(word))) walk.doubt('It gives a shell another start-up file.');
}
