import path from 'node:path';
import { isWithin } from '../../home-paths.ts';
import { couldEndInSecret, isHarmlessDevice, runsWithGit, whyNotRead, whyNotWrite } from '../../sensitive-paths.ts';
import type { Finding, SimpleCommand } from '../command.ts';
import { ANY, couldBe, DEEP, type Directories, isStatic, PIECE, resolveWord, shown, withoutClimbs } from '../pattern.ts';
import { followed, meant, type ShellPlace } from './links.ts';

/** What is wrong with a command of a certain name; nothing when it is fine. */
export type Rule = (command: SimpleCommand, place: ShellPlace) => readonly Finding[];

export function ask(why: string, about?: Finding['about']): Finding[] {
  return [{ level: 'ask', why, ...(about !== undefined && { about }) }];
}

export function hardline(why: string, about?: Finding['about']): Finding[] {
  return [{ level: 'hardline', why, ...(about !== undefined && { about }) }];
}

const RAW_DISKS = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|md|dm-|mapper\/|nbd|zd|pmem)/u;
const DISK_RULES = ['/dev/sd*', '/dev/hd*', '/dev/vd*', '/dev/xvd*', '/dev/nvme*', '/dev/mmcblk*', '/dev/disk*', '/dev/md*', '/dev/dm-*'];

export function isRawDisk(word: string): boolean {
  if (RAW_DISKS.test(path.posix.normalize(word))) return true;
  return word.startsWith('/dev/') && !isStatic(word) && DISK_RULES.some((rule) => couldBe(word, rule));
}

/** Writing to the place that `word` means. */
export function writing(word: string, directories: Directories, place: ShellPlace): Finding[] {
  if (word === '' || word === '-') return [];
  if (isRawDisk(word)) return hardline('It overwrites a disk as a whole.', [shown(word)]);
  const files = meant(word, directories, place);
  if (files === undefined) return ask(`It writes to a place that only shows when it runs (${shown(word)}).`, [shown(word)]);
  return files.flatMap((file) => writingFile(file, place)).slice(0, 1);
}

/** The same for what only writes into an open file: into /dev/null everybody may. */
export function streaming(word: string, directories: Directories, place: ShellPlace): Finding[] {
  const files = meant(word, directories, place) ?? [];
  return files.length > 0 && files.every(isHarmlessDevice) ? [] : writing(word, directories, place);
}

function writingFile(file: string, place: ShellPlace): Finding[] {
  if (file === '/proc/sysrq-trigger') return hardline('It stops or restarts the machine at once.', [file]);
  if (isHarmlessDevice(file)) return ask(`It changes ${file} itself, which every program uses.`, [file]);
  const candidates = new Set([file, ...followed(file, place, true)]);
  const about = [...candidates].map(shown);
  for (const candidate of candidates) {
    const forbidden = whyNotWrite(candidate, place);
    if (forbidden !== undefined) return ask(`It writes to ${shown(candidate)}. ${forbidden}`, about);
    if (!isWritable(candidate, place)) return ask(`It writes outside of the workspace (${shown(candidate)}).`, about);
    if (runsWithGit(candidate)) return ask(`It writes to ${shown(candidate)}, which runs or configures programs when git is used.`, about);
  }
  return [];
}

export function isWritable(file: string, place: ShellPlace): boolean {
  return place.writable.some((directory) => file === directory || file.startsWith(directory.endsWith('/') ? directory : `${directory}/`));
}

/** What is secret in one home directory is so in all of them. */
function whyNotReadAnywhere(file: string, place: ShellPlace): string | undefined {
  const home = /^\/(?:root|(?:home|Users)\/[^/]+)(?=\/)/u.exec(file)?.[0];
  return whyNotRead(file, place) ?? (home === undefined ? undefined : whyNotRead(file, { ...place, home }));
}

/** Reading what holds secrets. What a word holds that is only known at run time is not suspected, see `readingByEnd`. */
export function reading(word: string, directories: Directories, place: ShellPlace): Finding[] {
  const words = withoutClimbs(word);
  if (words === undefined) return ask(`It uses files that only show when it runs (${shown(word)}).`, [shown(word)]);
  const files = words.flatMap((each) => meant(each, directories, place) ?? []);
  for (const name of files) {
    const candidates = [...new Set([name, ...followed(name, place, false)])];
    for (const file of candidates) {
      const why = whyNotReadAnywhere(file, place);
      if (why !== undefined) return ask(`It uses ${shown(file)}. ${why}`, candidates.map(shown));
    }
  }
  return [];
}

/** The known end of a word whose beginning only shows when it runs. */
export function readingByEnd(word: string, directories: Directories, place: ShellPlace): Finding[] {
  const isUnknown = word.includes(ANY) || (directories === undefined && !path.isAbsolute(word));
  const end = word.slice(word.lastIndexOf(ANY) + 1).replace(/^\ue004?\ue006?/u, '');
  const isTelling = isUnknown && !/(?:^|\/)[\ue001\ue002]/u.test(end) && couldEndInSecret(end, place.protectedPaths);
  return isTelling ? ask(`It may use keys, credentials or the configuration of this gateway (${shown(word)}).`, [shown(word)]) : [];
}

/** A name that was put together while it runs may be that of anything: nobody could see what is read. */
export function unnamed(word: string, command: Pick<SimpleCommand, 'isLost'>): Finding[] {
  const isWhole = /(?:^|[/=@])\ue000(?!\ue004?\ue006)\ue004?[\ue000-\ue006]*$/u.test(word);
  const isAllBelow = /^\ue000(?!\ue004?\ue006)[\s\S]*\/[\ue001\ue002]+$/u.test(word);
  const isAllHere = command.isLost === true && /^(?![/~])(?:[^\s]*\/)?[\ue001\ue002]+$|^\.$/u.test(word);
  return isWhole || isAllBelow || isAllHere ? ask(`It reads files whose names only show when it runs (${shown(word)}).`) : [];
}

/** The known beginning of a word whose end only shows when it runs: what may lie there outside of the workspace? */
export function readingByStart(word: string, directories: Directories, place: ShellPlace): Finding[] {
  if (!word.includes(ANY)) return [];
  const start = word.slice(0, word.indexOf(ANY));
  const possible = start === '' || start.endsWith('/') ? [start + DEEP] : [start + PIECE, `${start}${PIECE}/${DEEP}`];
  const outside = possible
    .flatMap((each) => withoutClimbs(each) ?? [])
    .filter((each) => resolveWord(each, directories)?.some((file) => !isWithin(file, place.workspace)));
  return outside.flatMap((each) => reading(each, directories, place)).slice(0, 1);
}

/** Whether something that nobody may read lies below the directory. */
export function holdsSecrets(word: string, directories: Directories, place: ShellPlace): boolean {
  return !word.includes(ANY) && reading(`${word}/${DEEP}`, directories, place).length > 0;
}

const SYSTEM_DIRECTORIES =
  `/ /home /root /etc /usr /var /bin /sbin /boot /lib /lib32 /lib64 /libx32 /opt /srv /dev /proc /sys /run /mnt /media /usr/bin /usr/sbin
  /usr/lib /usr/lib64 /usr/local /usr/share /var/lib /var/log /System /Library /Applications /Users /Volumes /private /home/* /Users/*`.split(
    /\s+/u,
  );

/** The machine, a system directory, somebody's home, or everything in one of them. */
export function isVital(word: string, directories: Directories, place: ShellPlace): boolean {
  const files = meant(withoutDotGlob(word), directories, place) ?? [];
  const vital = [...SYSTEM_DIRECTORIES, place.home];
  return files.some(
    (file) => vital.some((directory) => couldBe(file, directory) || isAllOf(file, directory)) && !isWritableBelow(file, place),
  );
}

/** `dir/.*` means everything in it as much as `dir/*` does. */
function withoutDotGlob(word: string): string {
  return word.replace(/\/\.?[\ue001\ue002]+$/u, `/${PIECE}`).replace(/^\.[\ue001\ue002]+$/u, PIECE);
}

function isAllOf(file: string, directory: string): boolean {
  const name = path.basename(file);
  return name !== '' && [...name].every((character) => !isStatic(character)) && couldBe(path.dirname(file), directory);
}

/** A workspace may lie at /home/x/y or even /srv: what is in it is not vital. */
function isWritableBelow(file: string, place: ShellPlace): boolean {
  return place.writable.some(
    (directory) => file.startsWith(`${directory}/`) && directory !== place.home && directory.split('/').length > 2,
  );
}
