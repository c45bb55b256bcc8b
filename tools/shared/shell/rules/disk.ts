import { commandName } from '../command.ts';
import { ask, hardline, isRawDisk, type Rule, streaming } from './rule.ts';

const FORMATS = 'It makes a new file system where another one may be.';

const helpOnly = (argv: readonly string[]): boolean => argv.length === 2 && /^(?:--help|--version|-V|-h)$/u.test(argv[1] ?? '');

const format: Rule = (command) => (helpOnly(command.argv) ? [] : hardline(FORMATS));

const WIPES = /^(?:mklabel|mktable|luksformat|erase|format|sanitize|--security-erase.*|--zero-superblock)$/iu;

const wipe: Rule = (command) => {
  if (helpOnly(command.argv) || command.argv.length < 2) return [];
  const wipes = /^(?:wipefs|blkdiscard|sgdisk)$/u.test(commandName(command)) || command.argv.some((word) => WIPES.test(word));
  return wipes && command.argv.some(isRawDisk) ? hardline('It wipes a disk.') : ask('It changes partitions or volumes.');
};

const list: Rule = (command) => {
  const words = command.argv.slice(1).filter((word) => !isRawDisk(word));
  return words.length > 0 && words.every((word) => /^(?:-l|-ll|--list|list|-lu|-x|print|free)$/u.test(word)) ? [] : wipe(command, NOWHERE);
};

/** These rules look at words only. */
const NOWHERE = { directory: '/', home: '/', protectedPaths: [], workspace: '/', writable: [], realPath: (file: string) => file };

const copyBlocks: Rule = (command, place) => {
  const outputs = command.argv.filter((word) => word.startsWith('of=')).map((word) => word.slice(3));
  const written = outputs.flatMap((word) => streaming(word, command.directories, place));
  if (written.length > 0) return written.slice(0, 1);
  return command.argv.some((word) => word.startsWith('if=') && isRawDisk(word.slice(3))) ? ask('It reads a disk as a whole.') : [];
};

export const diskRules: Readonly<Record<string, Rule>> = {
  dd: copyBlocks,
  dcfldd: copyBlocks,
  mke2fs: format,
  mkswap: format,
  newfs: format,
  mkdosfs: format,
  wipefs: wipe,
  blkdiscard: wipe,
  sgdisk: wipe,
  gdisk: wipe,
  cfdisk: wipe,
  fdisk: list,
  sfdisk: list,
  parted: list,
  cryptsetup: wipe,
  hdparm: wipe,
  nvme: wipe,
  diskutil: list,
  lvremove: wipe,
  vgremove: wipe,
  pvremove: wipe,
  lvreduce: wipe,
  zpool: (command) => (/^(?:list|status|get|iostat|history)$/u.test(command.argv[1] ?? '') ? [] : ask('It changes storage pools.')),
  zfs: (command) => (/^(?:list|get)$/u.test(command.argv[1] ?? '') ? [] : ask('It changes file systems.')),
  mdadm: (command) => (command.argv.some((word) => /^--(?:detail|examine)/u.test(word)) ? [] : wipe(command, NOWHERE)),
};

/** `mkfs` and all its `mkfs.ext4`. */
export function isFormatter(name: string): boolean {
  return /^mkfs(?:\..+)?$|^newfs_.+$/u.test(name);
}

const SHOWS_DISKS =
  /^(?:ls|ll|lsblk|blkid|df|stat|file|echo|printf|test|\[|\[\[|readlink|realpath|basename|dirname|findmnt|udevadm|smartctl|mount|umount)$/u;

/** Whatever it is, given a disk it reads or writes all that is on it. */
export const wholeDisk: Rule = (command) => {
  const name = commandName(command);
  if (SHOWS_DISKS.test(name) || Object.hasOwn(diskRules, name) || isFormatter(name)) return [];
  const words = command.argv.slice(1).flatMap((word) => [word, ...word.split('=').slice(1)]);
  return words.some(isRawDisk) ? ask('It reads or writes a disk as a whole.') : [];
};

export const formatRule: Rule = (command, place) => (isFormatter(commandName(command)) ? format(command, place) : []);
