/** Programs that run another command given in their own arguments, and where in them it begins. */

export interface Wrapper {
  /** Short options that take a value, in the same word or in the next. */
  readonly values: string;
  /** Short options without one. An option that is in neither asks: its value could be taken for the command. */
  readonly flags: string;
  /** Short options that take a value in the same word only. */
  readonly joined?: string;
  /** Long options that take their value in the next word when not joined by `=`. */
  readonly longValues: readonly string[];
  readonly longFlags: readonly string[];
  /** Arguments of its own before the command. */
  readonly operands: number;
  /** Why running anything through it needs a person. */
  readonly ask?: string;
}

function wrapper(values: string, flags: string, rest: Partial<Wrapper> = {}): Wrapper {
  return { values, flags, longValues: [], longFlags: [], operands: 0, ...rest };
}

const ROOT = 'It runs with the rights of another user.';
const CONTAINER = 'It runs in another environment, where other files may be at the same paths.';

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries({
    nice: wrapper('n', '0123456789', { longValues: ['adjustment'] }),
    ionice: wrapper('cn', 't', { longValues: ['class', 'classdata'], longFlags: ['ignore'] }),
    chrt: wrapper('TPD', 'bfiorRv', { operands: 1 }),
    taskset: wrapper('', 'ac', { operands: 1, longFlags: ['all-tasks', 'cpu-list'] }),
    nohup: wrapper('', ''),
    setsid: wrapper('', 'cfw', { longFlags: ['fork', 'wait', 'ctty'] }),
    time: wrapper('fo', 'pvaq', { longValues: ['format', 'output'], longFlags: ['verbose', 'append', 'portability', 'quiet'] }),
    command: wrapper('', 'p'),
    builtin: wrapper('', ''),
    exec: wrapper('a', 'cl'),
    noglob: wrapper('', ''),
    stdbuf: wrapper('ioe', '', { longValues: ['input', 'output', 'error'] }),
    unbuffer: wrapper('', 'p'),
    timeout: wrapper('ks', 'vfp', {
      longValues: ['kill-after', 'signal'],
      longFlags: ['foreground', 'preserve-status', 'verbose'],
      operands: 1,
    }),
    gtimeout: wrapper('ks', 'vfp', {
      longValues: ['kill-after', 'signal'],
      longFlags: ['foreground', 'preserve-status', 'verbose'],
      operands: 1,
    }),
    strace: wrapper('eopPsSaEIbOuX', 'fFqvtTrxyckdDiVhwCzZnY', {
      longValues: ['trace', 'output', 'string-limit'],
      longFlags: ['follow-forks', 'summary-only'],
    }),
    ltrace: wrapper('eoaApsnuxlFD', 'cfrtTSiCbV'),
    valgrind: wrapper('', 'qv'),
    setarch: wrapper('', 'vRFZLXBIST3', { operands: 1 }),
    linux32: wrapper('', 'vR'),
    linux64: wrapper('', 'vR'),
    caffeinate: wrapper('tw', 'disum'),
    rlwrap: wrapper('abcCDfgHlmMopPqsStwz', 'AEeinNrRUvW'),
    fakeroot: wrapper('lsibu', 'hv'),
    eatmydata: wrapper('', ''),
    'xvfb-run': wrapper('efnps', 'al', { longValues: ['server-args', 'server-num', 'error-file'], longFlags: ['auto-servernum'] }),
    'dbus-run-session': wrapper('', '', { longValues: ['config-file'] }),
    proxychains: wrapper('f', 'q'),
    proxychains4: wrapper('f', 'q'),
    torsocks: wrapper('uaPi', 'dq'),
    tini: wrapper('pe', 'sgvw'),
    'dumb-init': wrapper('r', 'cv'),
    prlimit: wrapper('', ''),
    sudo: wrapper('ugpCcrtTRDUh', 'nbEHkKPSisAlvVe', {
      longValues: ['user', 'group', 'host', 'prompt', 'chdir', 'chroot', 'role', 'type', 'close-from', 'command-timeout'],
      longFlags: [
        'non-interactive',
        'preserve-env',
        'login',
        'shell',
        'stdin',
        'askpass',
        'background',
        'set-home',
        'reset-timestamp',
        'validate',
        'list',
      ],
      ask: ROOT,
    }),
    doas: wrapper('uCa', 'nsL', { ask: ROOT }),
    pkexec: wrapper('', '', { longValues: ['user'], longFlags: ['keep-cwd', 'disable-internal-agent'], ask: ROOT }),
    gosu: wrapper('', '', { operands: 1, ask: ROOT }),
    'su-exec': wrapper('', '', { operands: 1, ask: ROOT }),
    setpriv: wrapper('', 'd', {
      longValues: ['reuid', 'regid', 'pdeathsig', 'groups', 'securebits'],
      longFlags: ['no-new-privs', 'clear-groups'],
      ask: ROOT,
    }),
    chroot: wrapper('', '', { operands: 1, ask: CONTAINER }),
    unshare: wrapper('wRSG', 'muinpUCTfrc', {
      longFlags: ['fork', 'mount-proc', 'map-root-user', 'pid', 'mount', 'user', 'net'],
      ask: CONTAINER,
    }),
    nsenter: wrapper('tSGrw', 'muinpUCTaeFZ', { longValues: ['target'], longFlags: ['all', 'mount', 'pid', 'net'], ask: CONTAINER }),
    bwrap: wrapper('', '', { ask: CONTAINER }),
    firejail: wrapper('', '', { ask: CONTAINER }),
    'systemd-run': wrapper('pEuMHt', 'GPSdqr', { ask: 'It runs outside of the session and outlives it.' }),
    coproc: wrapper('', '', { ask: 'It runs beside the session.' }),
  }),
);

export type Unwrapped =
  | { readonly kind: 'command'; readonly argv: readonly string[] }
  | { readonly kind: 'unknown-option'; readonly option: string }
  | { readonly kind: 'none' };

/** Skips the wrapper's own words. `argv` without the wrapper's name. */
export function skipOwnWords(words: readonly string[], spec: Wrapper): Unwrapped {
  let index = 0;
  while (index < words.length) {
    const word = words[index] ?? '';
    if (word === '--') {
      index += 1;
      break;
    }
    if (!/^-./u.test(word)) break;
    const taken = optionLength(word, spec);
    if (taken === undefined) return { kind: 'unknown-option', option: word };
    index += taken;
  }
  const argv = words.slice(index + spec.operands);
  return argv.length > 0 ? { kind: 'command', argv } : { kind: 'none' };
}

/** How many words the option takes; `undefined`: not known. */
function optionLength(word: string, spec: Wrapper): number | undefined {
  if (word.startsWith('--')) {
    if (word.includes('=')) return 1;
    const name = word.slice(2);
    if (spec.longValues.includes(name)) return 2;
    return spec.longFlags.includes(name) || name === 'help' || name === 'version' ? 1 : undefined;
  }
  for (const [at, letter] of [...word.slice(1)].entries()) {
    if (spec.values.includes(letter)) return at === word.length - 2 ? 2 : 1;
    if (spec.joined?.includes(letter) === true) return 1;
    if (!spec.flags.includes(letter)) return undefined;
  }
  return 1;
}
