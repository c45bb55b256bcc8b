import { commandName } from './command.ts';

/**
 * GNU programs and git take any unambiguous beginning of a long option: `--to-c=sh` is `--to-command=sh`. The rules know whole names only, so that here the
 * beginnings are made whole. Listed are those that make a difference to a rule, and those that begin like one of them and mean something else.
 */
const LISTS: Readonly<Record<string, string>> = {
  cp: 'archive recursive target-directory backup suffix parents no-dereference symbolic-link preserve',
  mv: 'target-directory backup suffix',
  ln: 'target-directory symbolic suffix',
  install: 'target-directory directory mode owner group strip-program suffix',
  tar: `extract get create append update catenate concatenate delete diff list file files-from directory to-command checkpoint checkpoint-action
    use-compress-program rsh-command info-script new-volume-script transform xform absolute-names remove-files recursive-unlink exclude exclude-from
    listed-incremental index-file volno-file one-top-level`,
  sed: 'in-place expression file follow-symlinks',
  sort: 'output compress-program key field-separator buffer-size temporary-directory',
  split: 'filter',
  csplit: 'prefix',
  shuf: 'output',
  touch: 'date reference time',
  mkdir: 'mode',
  truncate: 'size reference',
  chmod: 'recursive reference',
  chown: 'recursive reference',
  chgrp: 'recursive reference',
  chattr: 'recursive',
  rm: 'recursive force no-preserve-root',
  shred: 'iterations size random-source remove',
  mktemp: 'tmpdir suffix dry-run',
  date: 'set',
  patch: 'directory output reject-file prefix suffix input strip',
  diff: 'recursive',
  grep: 'recursive dereference-recursive file regexp',
  env: 'unset chdir split-string ignore-environment null debug argv0 block-signal default-signal ignore-signal list-signal-handling',
  xargs:
    'max-args max-procs delimiter arg-file replace max-lines max-chars null no-run-if-empty verbose interactive exit open-tty eof process-slot-var',
  timeout: 'kill-after signal foreground preserve-status verbose',
  nice: 'adjustment',
  time: 'format output append verbose portability quiet',
  stdbuf: 'input output error',
  setsid: 'fork wait ctty',
  script: 'command append echo output-limit log-in log-out log-io log-timing logging-format flush force return quiet',
  flock: 'command timeout conflict-exit-code shared exclusive unlock nonblock close no-fork verbose',
  watch: 'interval beep color differences errexit chgexit no-title exec precise',
  strace: 'trace output string-limit follow-forks summary-only attach output-separately',
  wget: `output-document output-file directory-prefix post-file post-data body-file body-data header user-agent save-cookies hsts-file warc-file
    rejected-log execute config use-askpass append-output input-file`,
  curl: `output output-dir head header data data-raw data-binary data-ascii data-urlencode form form-string user user-agent request upload-file cookie cookie-jar
    dump-header config max-time url trace trace-ascii trace-time trace-config stderr hsts alt-svc etag-save libcurl json proxy referer write-out
    connect-to connect-timeout retry unix-socket abstract-unix-socket remote-name remote-name-all remote-header-name remote-time netrc netrc-file`,
  gpg: 'output',
  zip: 'unzip-command output-file',
  kill: 'signal list table',
  pkill: 'signal full inverse euid uid group pgroup parent session terminal pidfile',
  killall: 'signal regexp user',
  systemctl: 'host machine type property state lines output',
  journalctl: 'vacuum-size vacuum-time vacuum-files rotate flush',
  git: `upload-pack receive-pack exec extcmd open-files-in-pager template config config-env force force-with-lease force-if-includes mirror delete prune
    hard merge keep soft mixed discard-changes global system local file file-with-stdin edit edit-description unsafe-paths stdin worktree staged
    output output-directory directory separate-git-dir reset`,
};

const NAMES = new Map(Object.entries(LISTS).map(([program, names]) => [program, names.split(/\s+/u)]));

/** The same words with whole names. Words behind `--` are none of the program's options. */
export function withLongNames(argv: readonly string[]): readonly string[] {
  const names = NAMES.get(commandName({ argv }).replace(/^g(?=sed$|cp$|mv$|rm$|ln$|tar$)/u, ''));
  if (names === undefined) return argv;
  const end = argv.indexOf('--');
  return argv.map((word, index) => (index > 0 && (end < 0 || index < end) ? wholeName(word, names) : word));
}

function wholeName(word: string, names: readonly string[]): string {
  const [, given, value = ''] = /^--([a-z][a-z-]*)(=[\s\S]*)?$/u.exec(word) ?? [];
  if (given === undefined || names.includes(given)) return word;
  const whole = names.find((name) => name.startsWith(given)); // where there are several the program refuses, or knows only one of them
  return whole === undefined ? word : `--${whole}${value}`;
}
