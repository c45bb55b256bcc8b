import { findStarts } from '../carriers.ts';
import { commandName, type SimpleCommand } from '../command.ts';
import { hasOption, parseOptions } from '../options.ts';
import { isStatic, resolveWord, shown } from '../pattern.ts';
import { ask, hardline, isVital, isWritable, type Rule, writing } from './rule.ts';

const VITAL = 'It deletes the system, a system directory or a home directory.';

const remove: Rule = (command, place) => {
  const options = parseOptions(command.argv.slice(1));
  const recursive = hasOption(options, 'rR', 'recursive');
  const { operands } = options;
  if (recursive && operands.some((word) => isVital(word, command.directories, place))) return hardline(VITAL);
  if (recursive) return ask('It deletes directories with everything in them.');
  if (operands.some((word) => !isStatic(word) && resolveWord(word, command.directories) === undefined)) {
    return ask('It deletes files whose names only show when it runs.');
  }
  const outside = operands.flatMap((word) => writing(word, command.directories, place));
  return outside.length > 0 ? outside.slice(0, 1) : [];
};

const find: Rule = (command, place) => {
  const words = command.argv.slice(1);
  const starts = findStarts(commandName(command), words);
  const prints = words.flatMap((word, index) =>
    /^-f(?:print0?|printf|ls)$/u.test(word) ? writing(words[index + 1] ?? '', command.directories, place) : [],
  );
  if (!deletesFound(words)) return prints.slice(0, 1);
  const isFiltered = words.some((word) =>
    /^-i?(?:name|path|regex|wholename)$|^-(?:mtime|ctime|mmin|newer|size|empty|user|perm)$/u.test(word),
  );
  const vital = starts.some((start) => isVital(start === '' ? '/' : start, command.directories, place));
  return vital && !isFiltered ? hardline(VITAL) : ask('It deletes whatever it finds.');
};

function deletesFound(words: readonly string[]): boolean {
  const runs = /^-(?:exec|ok)(?:dir)?$|^-[xX]$|^--exec(?:-batch)?$/u;
  const removes = (word: string, index: number): boolean => runs.test(word) && /(?:^|\/)(?:rm|unlink|shred)$/u.test(words[index + 1] ?? '');
  return words.includes('-delete') || words.some(removes);
}

/** Moving or wiping one of these is as final as deleting it. */
const move: Rule = (command, place) => {
  const { operands } = parseOptions(command.argv.slice(1), { values: 'tS', longValues: ['target-directory', 'suffix'] });
  return operands.slice(0, -1).some((word) => isVital(word, command.directories, place)) ? hardline(VITAL) : [];
};

const synchronise: Rule = (command, place) => {
  const deletes = command.argv.some((word) => /^--del/u.test(word));
  const target = command.argv.at(-1) ?? '';
  if (!deletes) return command.argv.includes('--remove-source-files') ? ask('It deletes what it copied.') : [];
  return isVital(target, command.directories, place) ? hardline(VITAL) : ask('It deletes whatever the source does not have.');
};

const shred: Rule = (command, place) => {
  const files = command.argv.slice(1).flatMap((word) => (word.startsWith('-') ? [] : writing(word, command.directories, place)));
  return files.length > 0 ? files.slice(0, 1) : ask('It destroys files beyond recovery.');
};

/** Deletes through the object, not the name: `tar --remove-files`, `zip -m`. */
const archiver: Rule = (command) => (command.argv.includes('--remove-files') ? ask('It deletes what it packed.') : []);

const truncate: Rule = (command, place) => {
  const { operands } = parseOptions(command.argv.slice(1), { values: 'sr', longValues: ['size', 'reference'] });
  return operands.some((word) => !isWritable(resolveWord(word, command.directories)?.[0] ?? '', place))
    ? ask('It cuts a file outside of the workspace.')
    : [];
};

export const deleteRules: Readonly<Record<string, Rule>> = {
  rm: remove,
  grm: remove,
  unlink: remove,
  srm: remove,
  trash: remove,
  find,
  fd: find,
  fdfind: find,
  mv: move,
  rsync: synchronise,
  shred,
  tar: archiver,
  truncate,
};

/** What would be gone from where it is, however the command says so: whoever refuses `rm -r build` means `rm -rf ./build` and `mv build x` as well. */
export function removedPlaces(command: SimpleCommand): string[] {
  return removedWords(command)
    .flatMap((word) => resolveWord(word, command.directories) ?? [])
    .map((file) => shown(file.replace(/(?<=.)\/+$/u, '')));
}

function removedWords(command: SimpleCommand): readonly string[] {
  const name = commandName(command);
  const words = command.argv.slice(1);
  if (/^(?:g?rm|srm|trash|unlink|rmdir)$/u.test(name)) return parseOptions(words).operands;
  if (name === 'shred') return parseOptions(words, { values: 'ns', longValues: ['iterations', 'size', 'random-source'] }).operands;
  if (name === 'find') return deletesFound(words) ? findStarts(name, words) : [];
  if (!/^g?mv$/u.test(name)) return [];
  const { operands } = parseOptions(words, { values: 'tS', longValues: ['target-directory', 'suffix'] });
  const namesTarget = words.some((word) => /^-[A-Za-z]*t|^--target-directory/u.test(word));
  return namesTarget ? operands : operands.slice(0, -1);
}
