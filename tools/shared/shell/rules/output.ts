import { commandName, type Finding, type SimpleCommand } from '../command.ts';
import { type OptionSpec, parseOptions } from '../options.ts';
import { isStatic } from '../pattern.ts';
import type { ShellPlace } from './links.ts';
import { ask, type Rule, streaming, writing } from './rule.ts';
import { attach, MEMORY } from './system.ts';

/** Programs that mostly read, and write where one of their words says. */

function firstWritten(words: readonly string[], command: SimpleCommand, place: ShellPlace): Finding[] {
  return words.flatMap((word) => streaming(word, command.directories, place)).slice(0, 1);
}

/** `uniq in out` */
const intoSecond =
  (spec: OptionSpec): Rule =>
  (command, place) =>
    firstWritten(parseOptions(command.argv.slice(1), spec).operands.slice(1, 2), command, place);

const intoFirst =
  (spec: OptionSpec): Rule =>
  (command, place) =>
    firstWritten(parseOptions(command.argv.slice(1), spec).operands.slice(0, 1), command, place);

/** Values of these options, however they are joined: `-o x`, `-ox`, `--log x`, `--log=x`. */
const intoOptions =
  (names: readonly string[]): Rule =>
  (command, place) => {
    const words = command.argv.slice(1);
    const files = words.flatMap((word, index) => {
      const name = names.find(
        (candidate) => word === candidate || word.startsWith(candidate.startsWith('--') ? `${candidate}=` : candidate),
      );
      if (name === undefined) return [];
      return word === name ? (words[index + 1] ?? []) : word.slice(name.length).replace(/^=/u, '');
    });
    return firstWritten(files, command, place);
  };

/** The end of a word that begins so. */
const intoJoined =
  (pattern: RegExp): Rule =>
  (command, place) =>
    firstWritten(
      command.argv.slice(1).flatMap((word) => pattern.exec(word)?.[1] ?? []),
      command,
      place,
    );

const both =
  (...rules: readonly Rule[]): Rule =>
  (command, place) =>
    rules.flatMap((rule) => rule(command, place)).slice(0, 1);

const asking =
  (pattern: RegExp, why: string): Rule =>
  (command) =>
    command.argv.slice(1).some((word) => pattern.test(word)) ? ask(why) : [];

const sort: Rule = (command, place) => {
  const options = parseOptions(command.argv.slice(1), {
    values: 'oktST',
    longValues: ['output', 'key', 'field-separator', 'buffer-size', 'temporary-directory'],
  });
  if ([...options.flags].some((flag) => flag.startsWith('compress-prog'))) return ask('It runs a program through sort.');
  const named = [...options.values].flatMap(([name, value]) => (name === 'o' || 'output'.startsWith(name) ? [value] : []));
  return firstWritten(named, command, place);
};

/** `-TT` names the program that tests the archive. */
const pack: Rule = (command, place) =>
  command.argv.some((word) => /^-\w*TT|^--unzip/u.test(word))
    ? ask('It runs a program through zip.')
    : intoFirst({ values: 'xiPb' })(command, place);

const JOINED_OUTPUT =
  /^--(?:out|dest|export|reject|listed-incremental|index-(?:file|output)|volno|one-top|separate-git|save|write|report|log|trace|record|dump|target|prefix)[\w-]*=([\s\S]+)$/u;

/** Any program: a file named as its output. */
export const namedOutput: Rule = (command, place) => {
  if (/^(?:e?grep|fgrep|rg|ag|ps|find|ls|test|set|ssh|sort|curl|mount|column|bash|sh|zsh|lsof|od|readelf)$/u.test(commandName(command)))
    return [];
  const words = command.argv.slice(1);
  const named = words.flatMap((word, index) => {
    const joined = JOINED_OUTPUT.exec(word)?.[1];
    const short = /^-o((?:\/|\.\.\/|~).*)$/u.exec(word)?.[1];
    const next = /^(?:-o|-MF|--(?:output|output-file|outfile|out|out-dir|outdir|log-file|dest))$/u.test(word)
      ? words[index + 1]
      : undefined;
    return joined ?? short ?? next ?? [];
  });
  const leavingHere = named.filter((word) => isStatic(word) && /^(?:\/|\.\.(?:\/|$))/u.test(word));
  return firstWritten(leavingHere, command, place);
};

/** Without a directory of its own it makes a file where temporary files are, which is not the workspace. */
const temporary: Rule = (command, place) => {
  const options = parseOptions(command.argv.slice(1), { values: 'p', longValues: ['suffix'] });
  if (options.flags.has('u') || options.flags.has('help') || options.flags.has('version')) return [];
  const [template] = options.operands;
  const directory = options.values.get('p') ?? options.values.get('tmpdir');
  if (directory !== undefined) return firstWritten([`${directory}/${template ?? 'tmp'}`], command, place);
  const isNamed = template !== undefined && !options.flags.has('t') && !options.flags.has('tmpdir');
  return isNamed ? firstWritten([template], command, place) : ask('It makes a file outside of the workspace, where temporary files are.');
};

const KEYRING = 'It makes or changes keys.';

const makeKey: Rule = (command, place) => {
  const words = command.argv.slice(1);
  if (words.some((word) => /^-[lyBF]$|^-\w*l[fv]?$/u.test(word))) return [];
  return words.includes('-f') ? intoOptions(['-f'])(command, place) : ask(KEYRING);
};

const unpack7: Rule = (command, place) => {
  const [verb = ''] = command.argv.slice(1);
  const directory = command.argv.find((word) => /^-o./u.test(word))?.slice(2) ?? '.';
  const { operands } = parseOptions(command.argv.slice(2));
  return /^[xe]$/u.test(verb)
    ? firstWritten([directory], command, place)
    : /^[aud]$/u.test(verb)
      ? firstWritten(operands.slice(0, 1), command, place)
      : [];
};

/** Options that name a directory to work in or to install to. */
const WORKS_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  make: ['-C', '--directory'],
  gmake: ['-C', '--directory'],
  ninja: ['-C'],
  cmake: ['-B', '--build', '--install', '--prefix', '--install-prefix'],
  npm: ['--prefix', '-C', '--pack-destination'],
  pnpm: ['--dir', '-C', '--pack-destination'],
  yarn: ['--cwd'],
  pip: ['-t', '--target', '-d', '--dest', '--root', '--prefix'],
  pip3: ['-t', '--target', '-d', '--dest', '--root', '--prefix'],
  cargo: ['--target-dir', '--out-dir', '--root'],
  go: ['-C', '-o'],
  tsc: ['--outDir', '--outFile', '--declarationDir'],
  tcpdump: ['-w'],
  strace: ['-o', '--output'],
  ltrace: ['-o', '--output'],
  valgrind: ['--log-file'],
  perf: ['-o', '--output'],
  openssl: ['-out', '-keyout'],
  docker: ['--iidfile', '--cidfile'],
};

const INSTALLS = 'It changes the installed software of the machine.';
const installing: Rule = asking(/^(?:un)?install(?:-.*)?$/u, INSTALLS);
const intoOwn = (name: string): Rule => intoOptions(WORKS_ELSEWHERE[name] ?? []);

/** `python3 -m venv DIR`, `-m zipfile -e FILE DIR`; `-m timeit CODE`. */
const pythonModule: Rule = (command, place) => {
  const words = command.argv.slice(1);
  const joined = words.findIndex((word) => /^-[A-Za-z]*?m/u.test(word));
  if (joined < 0) return [];
  const glued = /^-[A-Za-z]*?m(.+)$/u.exec(words[joined] ?? '')?.[1];
  const at = glued === undefined ? joined : joined - 1;
  const module = glued ?? words[at + 1] ?? '';
  if (/^(?:timeit|pdb|code|trace)$/u.test(module)) return ask('It gives python code as an argument.');
  const { operands, flags, values } = parseOptions(words.slice(at + 2), { values: 'db', longValues: ['directory', 'bind'] });
  const served = values.get('d') ?? values.get('directory');
  if (module === 'http.server' && served !== undefined && firstWritten([served], command, place).length > 0)
    return ask('It shows what is outside of the workspace to the network.');
  if (module === 'json.tool') return firstWritten(operands.slice(1, 2), command, place);
  if (/^(?:compileall|py_compile|lib2to3)$/u.test(module)) return firstWritten(operands, command, place);
  if (/^(?:venv|virtualenv)$/u.test(module)) return firstWritten(operands, command, place);
  return /^(?:zipfile|tarfile)$/u.test(module)
    ? firstWritten(flags.has('c') ? operands.slice(0, 1) : operands.slice(-1), command, place)
    : [];
};

/** `inplace` of gawk rewrites its operands. */
const rewriting: Rule = (command, place) => {
  const words = command.argv.slice(1);
  const isInPlace = / (?:-i ?|--include[= ])inplace\b/u.test(` ${words.join(' ')}`);
  const files = parseOptions(words, { values: 'ivFfE', longValues: ['include'] }).operands.slice(1);
  return isInPlace ? firstWritten(files, command, place) : [];
};

const own = Object.fromEntries(Object.keys(WORKS_ELSEWHERE).map((name) => [name, intoOwn(name)]));

const rules: Record<string, Rule> = {
  ...own,
  sort,
  zip: pack,
  rg: asking(/^--(?:pre|hostname-bin)(?:=|$)/u, 'It runs a program through rg.'),
  ...Object.fromEntries(['ag', 'ack', 'bat'].map((name) => [name, asking(/^--pager/u, `It runs a program through ${name}.`)])),
  fzf: asking(/^--(?:preview|bind|listen)/u, 'It runs a program through fzf.'),
  date: asking(/^-\w*s$|^--set/u, 'It changes settings of the machine.'),
  hwclock: asking(/^-[swa]$|^--(?:set|hctosys|systohc|adjust)/u, 'It changes settings of the machine.'),
  less: intoOptions(['-o', '-O', '--log-file', '--LOG-FILE']),
  zstd: intoOptions(['-o', '--output-dir-flat', '--output-dir-mirror']),
  yq: (command, place) => {
    const { flags, operands } = parseOptions(command.argv.slice(1), { values: 'poIP' });
    return flags.has('i') || flags.has('inplace') ? firstWritten(operands.slice(1), command, place) : [];
  },
  shuf: intoOptions(['-o', '--output']),
  uniq: intoSecond({ values: 'fsw', longValues: ['skip-fields', 'skip-chars', 'check-chars'] }),
  xxd: intoSecond({ values: 'cglnos' }),
  objcopy: intoSecond({ values: 'IOBFjRKNLGW' }),
  rsync: intoOptions(['--backup-dir', '--partial-dir', '--temp-dir', '-T']),
  history: (command, place) => {
    const { flags, operands } = parseOptions(command.argv.slice(1), { values: 'd' });
    // Without a file of its own it is the person's history.
    const files = operands.length > 0 ? operands : [`${place.home}/.bash_history`];
    // It puts a new file in the place of the old one, also of a device.
    return flags.has('a') || flags.has('w') ? files.flatMap((file) => writing(file, command.directories, place)).slice(0, 1) : [];
  },
  script: both(
    intoFirst({ values: 'cEIOBTmo', longValues: ['command', 'log-in', 'log-out', 'log-io', 'log-timing'] }),
    intoOptions(['-I', '-O', '-B', '-T', '--log-in', '--log-out', '--log-io', '--log-timing']),
  ),
  time: (command, place) => {
    const { values } = parseOptions(command.argv.slice(1), { values: 'fo', longValues: ['format', 'output'] });
    return firstWritten([values.get('o') ?? values.get('output') ?? ''], command, place);
  },
  ...Object.fromEntries(['gdb', 'lldb', 'perf'].map((name) => [name, attach])),
  gcore: () => ask(MEMORY),
  ltrace: both(attach, intoOwn('ltrace')),
  strace: both(attach, asking(/^(?:-o)?[|!]/u, 'It runs a program through strace.'), intoOwn('strace')),
  logsave: intoFirst({}),
  flock: intoFirst({ values: 'wEc' }),
  ar: intoSecond({}),
  strip: intoFirst({ values: 'KNRoF' }),
  mktemp: temporary,
  'ssh-keygen': makeKey,
  'ssh-add': (command) => (command.argv.some((word) => /^-[lL]$/u.test(word)) ? [] : ask(KEYRING)),
  'ssh-copy-id': () => ask('It reaches another machine.'),
  gpg: asking(
    /^--(?:(?:quick-|full-)?gen(?:erate)?-|import|delete|edit-key|sign-key|lsign|recv|refresh|send|export-secret|quick-|trust|passwd|change)/u,
    KEYRING,
  ),
  ...Object.fromEntries(['7z', '7za', '7zr', '7zz'].map((name) => [name, unpack7])),
  make: both(installing, intoOwn('make')),
  gmake: both(installing, intoOwn('gmake')),
  ninja: both(installing, intoOwn('ninja')),
  cmake: both(asking(/^--install$/u, INSTALLS), asking(/^-[EP]$/u, 'It makes cmake run commands.'), intoOwn('cmake')),
  cargo: both(asking(/^(?:un)?install$/u, INSTALLS), intoOwn('cargo')),
  gem: asking(/^(?:un)?install$/u, INSTALLS),
  pipx: asking(/^(?:un)?install|^upgrade|^inject$/u, INSTALLS),
  go: both(asking(/^install$/u, INSTALLS), intoOwn('go')),
  gawk: both(rewriting, intoJoined(/^(?:-[dop]|--(?:dump-variables|pretty-print|profile)=)(.+)$/u)),
  awk: rewriting,
  dc: asking(/!/u, 'It gives dc a command to run.'),
  ...Object.fromEntries(['python', 'python3'].map((name) => [name, pythonModule])),
};

export const outputRules: Readonly<Record<string, Rule>> = rules;
