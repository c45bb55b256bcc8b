import { parseOptions } from '../options.ts';
import { ask, type Rule, reading, unnamed, writing } from './rule.ts';
import { type SedEffect, sedEffects } from './sed-script.ts';

/** Where a command should stand. */
const WHOLLY_COMPUTED = /(?:^|[;{\n])\s*\ue000(?!\ue004?\ue006)\ue004?\s*(?:$|[;}\n])/u;
const SED = { values: 'efl', longValues: ['expression', 'file', 'line-length'] };

/** `sed`: what its scripts run, write and read, and what it edits in place. */
export const streamEdit: Rule = (command, place) => {
  const words = command.argv.slice(1);
  const inPlace = words.some((word) => /^-[a-df-zA-Z]*i|^--in-place/u.test(word));
  const { scripts, files } = sedWords(words);
  const backups = words.flatMap((word) => /^(?:-\w*i|--in-place=)(.*\/.*)$/u.exec(word)?.[1] ?? []);
  if (backups.length > 0) return ask('It keeps the old text of what it edits in another directory.');
  const effects = effectsOf(scripts);
  if (effects === undefined) return ask('Its sed script could not be read for certain.');
  if (effects.some((effect) => effect.kind !== 'reads')) return ask('Its sed script runs commands or writes files.');
  if (scripts.some((script) => WHOLLY_COMPUTED.test(script))) return ask('It gives sed a script that only shows when it runs.');
  const named = effects.flatMap((effect) => (effect.kind === 'reads' ? [effect.file] : []));
  const read = named.flatMap((file) => [...reading(file, command.directories, place), ...unnamed(file, command)]);
  const written = inPlace ? files.flatMap((word) => writing(word, command.directories, place)) : [];
  return [...read, ...written].slice(0, 1);
};

function sedWords(words: readonly string[]): { scripts: readonly string[]; files: readonly string[] } {
  const options = parseOptions(words, SED);
  const hasScript = [...options.values.keys(), ...options.flags].some((name) => /^(?:[ef]|expression|file)$/u.test(name));
  if (!hasScript) return { scripts: options.operands.slice(0, 1), files: options.operands.slice(1) };
  const given = words.flatMap((word, index) =>
    /^-\w*e$|^--expression$/u.test(words[index - 1] ?? '') ? [word] : (/^(?:-[nEruszi]*e|--expression=)([\s\S]+)$/u.exec(word)?.[1] ?? []),
  );
  return { scripts: [given.join('\n')], files: options.operands };
}

function effectsOf(scripts: readonly string[]): readonly SedEffect[] | undefined {
  const all = scripts.map((script) => sedEffects(script));
  return all.includes(undefined) ? undefined : all.flatMap((effects) => effects ?? []);
}
