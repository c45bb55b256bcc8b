import { commandName, type Finding, type Reading, type SimpleCommand } from '../command.ts';
import { hasOption, parseOptions } from '../options.ts';
import { couldBe, type Directories } from '../pattern.ts';
import { meant, type ShellPlace } from './links.ts';
import { ask, isWritable } from './rule.ts';

/** `cp -r out new; echo x > new/y`: the copy of a link that leads out of the workspace leads there, too, and is not there yet to be seen. */
export function copiedLinks(reading: Reading, place: ShellPlace): Finding[] {
  return reading.commands.flatMap((command) => {
    const targets = targetsOfLinks(command, place);
    const isUsed =
      targets.length > 0 && placesBesides(command, reading, place).some((file) => targets.some((target) => liesIn(file, target)));
    return isUsed ? ask('It uses the copy of a link that leads out of the workspace.', [command]) : [];
  });
}

function targetsOfLinks(command: SimpleCommand, place: ShellPlace): readonly string[] {
  if (!/^(?:g?cp|rsync)$/u.test(commandName(command))) return [];
  const options = parseOptions(command.argv.slice(1), { values: 'tS', longValues: ['target-directory', 'suffix'] });
  if (!hasOption(options, 'aPdrRl', 'recursive') && !hasOption(options, '', 'archive') && !hasOption(options, '', 'no-dereference'))
    return [];
  const named = options.values.get('t') ?? options.values.get('target-directory');
  const sources = named === undefined ? options.operands.slice(0, -1) : options.operands;
  const hasLink = sources.some((word) => (meant(word, command.directories, place) ?? []).some((file) => leadsOut(file, place)));
  return hasLink ? (meant(named ?? options.operands.at(-1) ?? '', command.directories, place) ?? []) : [];
}

function leadsOut(file: string, place: ShellPlace): boolean {
  const real = place.realPath(file);
  const isLink = isWritable(file, place) && !isWritable(real, place);
  return isLink || (place.links?.(real, true) ?? []).some((link) => !isWritable(place.realPath(link), place));
}

function placesBesides(command: SimpleCommand, { commands, redirects }: Reading, place: ShellPlace): string[] {
  const words: { word: string; directories: Directories }[] = [
    ...commands
      .filter((other) => other !== command)
      .flatMap(({ argv, directories }) => argv.slice(1).map((word) => ({ word, directories }))),
    ...redirects.map(({ target, directories }) => ({ word: target, directories })),
  ];
  return words.flatMap(({ word, directories }) => meant(word, directories, place) ?? []);
}

function liesIn(file: string, target: string): boolean {
  const [own, whole] = [file, target].map((each) => each.replace(/(?<=.)\/+$/u, ''));
  return own !== undefined && whole !== undefined && (couldBe(own, whole) || couldBe(own, `${whole}/**`) || couldBe(whole, own));
}
