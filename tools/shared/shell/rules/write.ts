import { commandName, type Finding, type SimpleCommand } from '../command.ts';
import { hasOption, type OptionSpec, type Options, parseOptions } from '../options.ts';
import { resolveWord } from '../pattern.ts';
import type { ShellPlace } from './links.ts';
import { ask, hardline, holdsSecrets, isVital, type Rule, reading, streaming, writing } from './rule.ts';
import { streamEdit } from './stream-edit.ts';

/** Programs that write where their arguments say. */

type Targets = (options: Options) => readonly string[];

const all: Targets = (options) => options.operands;
const last: Targets = (options) => {
  const named = options.values.get('t') ?? options.values.get('target-directory');
  return named === undefined ? options.operands.slice(-1) : [named];
};

function writer(spec: OptionSpec, targets: Targets): Rule {
  return (command, place) => firstOf(targets(parseOptions(command.argv.slice(1), spec)), command, place);
}

/** Programs that only write into what they open. */
function streamer(spec: OptionSpec, targets: Targets): Rule {
  return (command, place) => firstStream(targets(parseOptions(command.argv.slice(1), spec)), command, place);
}

function firstStream(words: readonly string[], command: SimpleCommand, place: ShellPlace): Finding[] {
  return words.flatMap((word) => streaming(word, command.directories, place)).slice(0, 1);
}

function firstOf(words: readonly string[], command: SimpleCommand, place: ShellPlace): Finding[] {
  return words.flatMap((word) => writing(word, command.directories, place)).slice(0, 1);
}

const OTHERS_MAY = /^[0-7]?[0-7]{2}[2367]$|^(?:[ugo]*[oa][ugoa]*|)[+=][rwxXst]*w/u;

const changeMode: Rule = (command, place) => {
  const hasReference = command.argv.some((word) => /^--ref/u.test(word));
  const given = command.argv.slice(1).filter((word) => !/^-[RvcfHLP]+$|^--/u.test(word));
  const words = hasReference ? ['', ...given] : given;
  const recursive = command.argv.some((word) => /^-\w*R|^--rec/u.test(word));
  const [mode = '', ...files] = words;
  if (recursive && files.some((word) => isVital(word, command.directories, place)))
    return hardline('It changes the rights on the system, a system directory or a home directory.');
  if (OTHERS_MAY.test(mode) || /(?:^|,)[ugo]*[oa]*[+=][rwx]*w/u.test(mode.replace(/^u[+=][rwx]+$/u, '')))
    return ask('It lets every user of the machine write there.');
  if (/s/u.test(mode) || /^[2-7][0-7]{3}$/u.test(mode)) return ask('It lets a program run with the rights of its owner.');
  return firstOf(files, command, place);
};

const changeOwner: Rule = (command, place) => {
  const recursive = command.argv.some((word) => /^-\w*R|^--rec/u.test(word));
  const { operands } = parseOptions(command.argv.slice(1));
  const hasReference = command.argv.some((word) => /^--ref/u.test(word));
  const [owner = '', ...files] = hasReference ? ['', ...operands] : operands;
  if (recursive && files.some((word) => isVital(word, command.directories, place)))
    return hardline('It changes the owner of the system, a system directory or a home directory.');
  return recursive || /^root\b|^0\b/u.test(owner) ? ask('It changes who owns files.') : firstOf(files, command, place);
};

const COPY: OptionSpec = { values: 'tSmgo', longValues: ['target-directory', 'suffix', 'mode', 'owner', 'group'] };

/** Copying a whole home directory takes its keys along. */
const copy: Rule = (command, place) => {
  const options = parseOptions(command.argv.slice(1), COPY);
  const written = firstOf(last(options), command, place);
  const sources = options.operands.slice(0, -1);
  const takesAll = hasOption(options, 'rRa', 'recursive') || commandName(command) === 'rsync';
  const holdsAll = (word: string): boolean => isVital(word, command.directories, place) || holdsSecrets(word, command.directories, place);
  if (takesAll && sources.some(holdsAll)) return [...written, ...ask('It copies a home or system directory with all that it holds.')];
  return written;
};

const link: Rule = (command, place) => {
  const options = parseOptions(command.argv.slice(1), COPY);
  const { operands } = options;
  const target = operands.length > 1 || options.values.has('t') ? last(options) : [];
  const sources = operands.length > 1 && !options.values.has('t') ? operands.slice(0, -1) : operands;
  const pointsOut = sources.some((word) => writing(word, command.directories, place).length > 0);
  return pointsOut ? ask('It makes a link that leads out of the workspace.') : firstOf(target, command, place);
};

const move: Rule = (command, place) =>
  firstOf([...parseOptions(command.argv.slice(1), COPY).operands, ...last(parseOptions(command.argv.slice(1), COPY))], command, place);

const archive: Rule = (command, place) => {
  const [first = '', ...rest] = command.argv.slice(1);
  const words = /^[a-zA-Z]+$/u.test(first) ? [`-${first}`, ...rest] : [first, ...rest];
  const options = parseOptions(words, {
    values: 'fCTXIgVbNKHL',
    longValues: ['file', 'directory', 'exclude', 'files-from', 'use-compress-program'],
  });
  if (
    words.some((word) => /^--(?:to-command|checkpoint-action|use-compress|rsh-command|info-script|new-volume-script)|^-\w*[IF]/u.test(word))
  )
    return ask('It runs a program through tar.');
  if (words.some((word) => /^--(?:transform|xform)/u.test(word)) && !hasOption(options, 't', 'list'))
    return ask('It renames what it packs or unpacks, perhaps to elsewhere.');
  const incremental = options.values.get('g') ?? options.values.get('listed-incremental');
  if (incremental !== undefined) return firstOf([incremental], command, place);
  const directory = options.values.get('C') ?? options.values.get('directory') ?? '.';
  const file = options.values.get('f') ?? options.values.get('file') ?? '-';
  const extracts = hasOption(options, 'x', 'extract');
  const absolute = words.some((word) => /^-\w*P|^--absolute/u.test(word));
  if (extracts && absolute) return ask('It unpacks files to wherever the archive says.');
  if (extracts) return firstOf([directory], command, place);
  const creates =
    hasOption(options, 'cruA', 'create') || [...options.flags].some((flag) => /^(?:append|update|(?:con)?catenate|delete)$/u.test(flag));
  const bases = resolveWord(directory, command.directories);
  const from = bases === undefined ? undefined : new Set(bases);
  const takesAll = options.operands.some((word) => isVital(word, from, place) || holdsSecrets(word, from, place));
  if (creates && takesAll) return ask('It packs a home or system directory with all that it holds.');
  return creates ? firstStream([file], command, place) : [];
};

const PATCH: OptionSpec = {
  values: 'pidoBVDFYgrz',
  longValues: ['input', 'strip', 'directory', 'output', 'reject-file', 'prefix', 'suffix'],
};

const guarded =
  (pattern: RegExp, why: string, rule: Rule): Rule =>
  (command, place) =>
    command.argv.some((word) => pattern.test(word)) ? ask(why) : rule(command, place);

const CURL: OptionSpec = {
  values: 'oHdFuAeXTmCbcDEKPQrtUwxYyz',
  longValues: [
    'output',
    'header',
    'data',
    'form',
    'user',
    'request',
    'upload-file',
    'cookie',
    'cookie-jar',
    'output-dir',
    'dump-header',
    'config',
    'max-time',
    'url',
    'trace',
    'trace-ascii',
    'stderr',
    'hsts',
    'alt-svc',
    'etag-save',
    'libcurl',
    'data-raw',
    'data-binary',
    'json',
    'proxy',
    'user-agent',
    'referer',
    'write-out',
    'connect-timeout',
    'retry',
    'unix-socket',
    'abstract-unix-socket',
  ],
};

const CURL_OUTPUTS = 'o output c cookie-jar D dump-header output-dir trace trace-ascii stderr hsts alt-svc etag-save libcurl'.split(' ');
const CURL_READS = 'd data data-binary data-ascii F form T upload-file json b cookie E cert key'.split(' ');

const transfer: Rule = (command, place) => {
  const options = parseOptions(command.argv.slice(1), CURL);
  const valuesOf = (names: readonly string[]): string[] => names.flatMap((name) => options.values.get(name) ?? []);
  const files = valuesOf(CURL_READS).map((word) => word.replace(/^[^@]*@/u, '').replace(/;.*$/u, ''));
  const secrets = files.flatMap((word) => reading(word, command.directories, place));
  if (valuesOf(['K', 'config']).length > 0) return ask('It takes its options from a file.');
  if (valuesOf(['unix-socket', 'abstract-unix-socket']).length > 0) return ask('It talks to a service of this machine through a socket.');
  const localUrl = options.operands.some((word) => /^(?:file|scp|sftp|dict|gopher|ldap|smb|telnet|tftp):/iu.test(word));
  const implicit = hasOption(options, 'OJ', 'remote-name') ? ['.'] : [];
  return [
    ...firstStream([...valuesOf(CURL_OUTPUTS), ...implicit], command, place),
    ...secrets,
    ...(localUrl ? ask('It reaches files or services by a URL that is no web page.') : []),
  ];
};

const fetchFile: Rule = (command, place) => {
  if (command.argv.some((word) => /^-[A-Za-z]*e$|^-e.|^--(?:execute|config|use-askpass)(?:=|$)/u.test(word)))
    return ask('It gives wget settings, through which it may run programs or write anywhere.');
  const options = parseOptions(command.argv.slice(1), {
    values: 'OoaPiUeTtwQBlADIRX',
    longValues: [
      'output-document',
      'directory-prefix',
      'post-file',
      'body-file',
      'header',
      'user-agent',
      'save-cookies',
      'hsts-file',
      'warc-file',
      'rejected-log',
    ],
  });
  const outputs = ['O', 'output-document', 'o', 'a', 'P', 'directory-prefix'].flatMap((name) => options.values.get(name) ?? []);
  const secrets = ['post-file', 'body-file', 'i'].flatMap((name) => reading(options.values.get(name) ?? '', command.directories, place));
  const besides = ['save-cookies', 'hsts-file', 'warc-file', 'rejected-log'].flatMap((name) => options.values.get(name) ?? []);
  const here = options.values.has('O') || options.values.has('P') ? [] : ['.'];
  return [...firstStream([...outputs, ...here, ...besides], command, place), ...secrets];
};

const unpack: Rule = (command, place) =>
  firstOf([parseOptions(command.argv.slice(1), { values: 'dxP' }).values.get('d') ?? '.'], command, place);
const listsOnly =
  (rule: Rule, listing: RegExp): Rule =>
  (command, place) =>
    command.argv.some((word) => listing.test(word)) ? [] : rule(command, place);

export const writeRules: Readonly<Record<string, Rule>> = {
  touch: writer({ values: 'drt', longValues: ['date', 'reference', 'time'] }, all),
  mkdir: writer({ values: 'm', longValues: ['mode'] }, all),
  rmdir: writer({}, all),
  truncate: writer({ values: 'sr', longValues: ['size', 'reference'] }, all),
  tee: streamer({}, all),
  sponge: writer({}, all),
  mkfifo: writer({ values: 'm' }, all),
  mknod: () => ask('It makes a device file, through which disks and memory are reached.'),
  fallocate: writer({ values: 'lo', longValues: ['length', 'offset'] }, all),
  gzip: writer({ values: 'S' }, all),
  gunzip: writer({ values: 'S' }, all),
  bzip2: writer({}, all),
  bunzip2: writer({}, all),
  xz: writer({ values: 'TFC' }, all),
  unxz: writer({ values: 'T' }, all),
  zstd: writer({ values: 'oT' }, all),
  dos2unix: writer({}, all),
  unix2dos: writer({}, all),
  chgrp: writer({}, (options) =>
    [...options.flags].some((flag) => flag.startsWith('ref')) ? options.operands : options.operands.slice(1),
  ),
  split: guarded(
    /^--filter/u,
    'It runs a program through split.',
    writer({ values: 'lbnCa' }, (options) => options.operands.slice(1, 2)),
  ),
  csplit: writer({ values: 'fbn' }, (options) => [options.values.get('f') ?? '.']),
  patch: writer(PATCH, (options) => [
    '.',
    ...options.operands.slice(0, 1),
    ...['d', 'directory', 'o', 'output', 'r', 'reject-file', 'B', 'prefix'].flatMap((name) => options.values.get(name) ?? []),
  ]),
  ed: writer({ values: 'p' }, all),
  ex: () => ask('It edits files by commands.'),
  chmod: changeMode,
  chown: changeOwner,
  cp: copy,
  rsync: copy,
  install: (command, place) => {
    const options = parseOptions(command.argv.slice(1), COPY);
    return hasOption(options, 'd', 'directory') ? firstOf(options.operands, command, place) : copy(command, place);
  },
  scp: copy,
  ln: link,
  link,
  mv: move,
  sed: streamEdit,
  gsed: streamEdit,
  tar: archive,
  bsdtar: archive,
  unzip: listsOnly(unpack, /^-[lvtpcZz]/u),
  curl: transfer,
  wget: fetchFile,
  cpio: () => ask('It unpacks or packs files by a list.'),
};
