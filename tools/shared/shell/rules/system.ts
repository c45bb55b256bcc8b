import { commandName } from '../command.ts';
import { parseOptions } from '../options.ts';
import { ANY, isStatic, NUMBER } from '../pattern.ts';
import { ask, hardline, type Rule } from './rule.ts';

const SERVICES = 'It changes services of the machine.';
const POWER = 'It turns the machine off or restarts it.';

const power: Rule = (command) => (command.argv.length === 2 && command.argv[1] === '--help' ? [] : hardline(POWER));

const initialise: Rule = (command) =>
  command.argv.slice(1).some((word) => /^[0156sS]$/u.test(word)) ? hardline(POWER) : ask('It changes the run level of the machine.');

/** Messages to other programs of the machine: to the one that turns it off, too. */
const bus: Rule = (command) => {
  if (command.argv.some((word) => /(?:^|\.)(?:PowerOff|Reboot|Halt|KExec)(?:WithFlags)?$/u.test(word))) return hardline(POWER);
  const asks = command.argv.some((word) =>
    /^(?:call|emit|set-property|--dest=.*|org\.freedesktop\.(?:systemd1|login1|PolicyKit1|PackageKit)\S*)$/u.test(word),
  );
  return asks ? ask('It tells another program of the machine to do something.') : [];
};

const POWER_VERBS = /^(?:poweroff|reboot|halt|kexec|soft-reboot|rescue|emergency|exit)$/u;
const READ_VERBS = /^(?:status|show|cat|list-.*|is-.*|get-default|help|show-environment|--version|--help)$/u;

const services: Rule = (command) => {
  const { operands } = parseOptions(command.argv.slice(1), {
    values: 'tpnoHM',
    longValues: ['type', 'property', 'state', 'lines', 'output', 'host', 'machine'],
  });
  const [verb = 'status'] = operands;
  if (POWER_VERBS.test(verb)) return hardline(POWER);
  if (
    /^(?:isolate|start|restart)$/u.test(verb) &&
    operands.some((word) => /^(?:poweroff|reboot|halt|rescue|emergency|kexec|exit)(?:\.target)?$/u.test(word))
  )
    return hardline(POWER);
  return READ_VERBS.test(verb) ? [] : ask(SERVICES);
};

const service: Rule = (command) =>
  command.argv.slice(1).some((word) => /^status$|^--status-all$|^--help$/u.test(word)) ? [] : ask(SERVICES);

const launch: Rule = (command) => (/^(?:list|print|print-.*|version|help|blame)?$/u.test(command.argv[1] ?? '') ? [] : ask(SERVICES));

/** `kill [-SIGNAL] PID...`: after the signal a -1 means every process there is. */
const kill: Rule = (command) => {
  const words = command.argv.slice(1);
  if (words.some((word) => /^-[lL]|^--list|^--table/u.test(word))) return [];
  const hasSignal = /^-(?!1$)/u.test(words[0] ?? '') || words.length > 1;
  const targets = hasSignal ? words.slice(/^-[sn]$/u.test(words[0] ?? '') ? 2 : /^-/u.test(words[0] ?? '') ? 1 : 0) : words;
  if (targets.includes('-1') || (words.length === 1 && words[0] === '-1')) return hardline('It ends every process that it can reach.');
  if (targets.some((word) => word === '1' || /^-0*1$/u.test(word))) return ask('It signals the first process of the machine.');
  return targets.some((word) => word.includes(ANY) || word.startsWith(NUMBER)) ? ask('It ends processes that only show when it runs.') : [];
};

const OURSELVES = /hermes|gateway|cli\.py|mainthread/iu;
const OUR_NAMES = ['hermes', 'gateway', 'node', 'MainThread'];

/** `no.e`, `[m-o]`, `a|b`: a pattern finds what it does not name. */
function mayMeanUs(pattern: string): boolean {
  if (pattern.length > 100) return true;
  if (/^[\w-]+$/u.test(pattern)) return 'MainThread'.includes(pattern) && pattern !== '';
  try {
    return OUR_NAMES.some((name) => new RegExp(pattern, 'iu').test(name));
  } catch {
    return true; // none that we can read
  }
}

const killByName: Rule = (command) => {
  const words = command.argv.slice(1);
  const text = words.join(' ');
  if (OURSELVES.test(text) || words.some((word) => !word.startsWith('-') && isStatic(word) && mayMeanUs(word)))
    return ask('It could end this gateway itself.');
  if (
    words.some((word) => /^-(?:9|KILL|SIGKILL|r|u)$|^-[a-z]*f|^--(?:signal=(?:9|KILL|SIGKILL)|regexp|full|euid|uid)/u.test(word)) ||
    /(?:-s|--signal)\s+(?:9|KILL|SIGKILL)/u.test(text)
  ) {
    return ask('It ends processes by pattern or without warning.');
  }
  if (words.some((word) => ANYBODY.test(word))) return ask('It ends processes that it does not name.');
  return isStatic(text) ? [] : ask('It ends processes that only show when it runs.');
};

/** A pattern that fits many names, and options that choose by something else than a name. */
const ANYBODY =
  /^[.*+?^$\s]*$|^.$|\.\*|^-[a-z]*(?:[vgst]|[FUGP](?![A-Z]))|^--(?:pidfile|inverse|uid|euid|group|pgroup|parent|session|terminal|user)/u;

/** The letter `e` without a dash shows the environment of every process. ps takes `-aux` for `aux` where there is no user x. */
const processes: Rule = (command) => {
  const words = command.argv.slice(1);
  const showsThem = words.some((word, index) => {
    if (/environ/iu.test(word)) return true;
    if (word.startsWith('-')) return /^-[A-Za-z]*E|^-(?=\w*u)(?=\w*x)\w*e/u.test(word);
    return /^[A-Za-z]*e[A-Za-z]*$/u.test(word) && !isValue(words[index - 1]);
  });
  return showsThem ? ask('It shows the environment of processes, with all keys in it.') : [];
};

/** Whether the option before takes the next word: a dash and a letter at the end, a long name, or a list of columns behind BSD letters. */
function isValue(option: string | undefined): boolean {
  return /^-\w*[oOpuUgGtCskqD]$|^--\w[\w-]*$|^[A-Za-z]*[oOkpqtU]$/u.test(option ?? '');
}

const manual: Rule = (command) =>
  command.argv.slice(1).some((word) => /^-[A-Za-z]*[PHC]|^--(?:pager|html|config)/u.test(word) || /^--(?:pa|h[^e]|conf)/u.test(word))
    ? ask('It runs a program through man.')
    : [];

const PACKAGE_READS =
  /^(?:list|search|show|info|policy|madison|depends|rdepends|help|--version|--help|-[QlLsS]?[silSho]*|provides|repoquery|outdated|deps|config|doctor|check-update|repolist|history|leaves|desc|home|cat|why|download|changelog)$/u;

const packages: Rule = (command) => {
  const { operands } = parseOptions(command.argv.slice(1), { values: 'oct' });
  const [verb] = operands;
  const name = commandName(command);
  if (name === 'dpkg' || name === 'rpm')
    return command.argv.some((word) => /^-(?:i|r|P|U|e|F|V?i?vh)|^--(?:install|remove|purge|upgrade|erase|unpack|configure)/u.test(word))
      ? ask('It changes the installed software of the machine.')
      : [];
  if (name === 'pacman')
    return command.argv.some((word) => /^-(?:S(?![sigl])|R|U|D)/u.test(word))
      ? ask('It changes the installed software of the machine.')
      : [];
  return verb === undefined || PACKAGE_READS.test(verb) ? [] : ask('It changes the installed software of the machine.');
};

const always =
  (why: string): Rule =>
  (command) =>
    command.argv.length === 2 && /^(?:--version|--help|-V)$/u.test(command.argv[1] ?? '') ? [] : ask(why);

const unlessListing =
  (listing: RegExp, why: string): Rule =>
  (command) =>
    command.argv.length < 2 || command.argv.slice(1).some((word) => listing.test(word)) ? [] : ask(why);

const verbs =
  (verb: RegExp, why: string): Rule =>
  (command) =>
    command.argv.slice(1).some((word) => verb.test(word)) ? ask(why) : [];

const ACCOUNTS = 'It changes accounts or their rights.';
const NETWORK = 'It changes the network or the firewall of the machine.';
const KERNEL = 'It changes the running kernel.';
const LATER = 'It makes something run later by itself.';

export const MEMORY = 'It looks into the memory of a running process, which may hold keys.';

/** `mkdir -p` behind a debugger is none of its options. */
export const attach: Rule = (command) => {
  const names = command.argv.some(
    (word, index) =>
      /^-p\d|^--(?:pid|attach|attach-pid)(?:=|$)/u.test(word) ||
      (word === '-p' && !/^[./\w-]*[A-Za-z]/u.test(command.argv[index + 1] ?? 'x')),
  );
  return names ? ask(MEMORY) : [];
};

function each(names: string, rule: Rule): Record<string, Rule> {
  return Object.fromEntries(names.split(' ').map((name) => [name, rule]));
}

export const systemRules: Readonly<Record<string, Rule>> = {
  ...each('shutdown reboot halt poweroff kexec openrc-shutdown runit-init', power),
  rtcwake: (command) =>
    / (?:-m ?|--mode[= ])off\b/u.test(command.argv.join(' ')) ? hardline(POWER) : ask('It sends the machine to sleep.'),
  ...each('dbus-send busctl gdbus qdbus', bus),
  ...each('init telinit', initialise),
  ...each('systemctl loginctl', services),
  ...each('service rc-service', service),
  launchctl: launch,
  ...each(
    'sv initctl rcctl monit apachectl apache2ctl pg_ctl pg_ctlcluster rabbitmqctl consul nomad',
    verbs(/^(?:stop|start|restart|reload|down|exit|kill|leave|disable|enable|graceful.*|force-.*|shutdown|reset)$/u, SERVICES),
  ),
  ...each('update-rc.d rc-update chkconfig svc', unlessListing(/^(?:--list|show|-s)$/u, SERVICES)),
  nginx: verbs(/^-s/u, SERVICES),
  ...each('mongod mysqladmin', verbs(/^(?:--shutdown|shutdown|drop|kill|flush-.*|password)$/u, SERVICES)),
  ...each('dropdb dropuser', always('It deletes data from a database.')),
  tmux: verbs(/^kill-/u, 'It ends processes that it does not name.'),
  screen: verbs(/^(?:quit|kill)$/u, 'It ends processes that it does not name.'),
  kill,
  ps: processes,
  man: manual,
  ...each('pkill killall skill', killByName),
  fuser: (command) =>
    command.argv.some((word) => /^-[a-z]*[kK]|^--kill$/u.test(word)) ? ask('It ends processes that it does not name.') : [],
  xkill: always('It ends processes that it does not name.'),
  killall5: always('It ends every process that it can reach.'),
  ...each('apt apt-get aptitude dnf yum zypper apk brew snap flatpak port emerge pacman dpkg rpm', packages),
  ...each(
    'useradd usermod userdel adduser deluser groupadd groupmod groupdel passwd chpasswd chsh chfn vipw visudo gpasswd newgrp',
    always(ACCOUNTS),
  ),
  ...each('iptables ip6tables nft ufw firewall-cmd ipset', unlessListing(/^(?:-L|--list.*|-S|list|status|--state|--get-.*)$/u, NETWORK)),
  ip: (command) => (command.argv.some((word) => /^(?:add|del|delete|set|flush|replace|change|exec)$/u.test(word)) ? ask(NETWORK) : []),
  ...each('ifconfig route', (command) =>
    command.argv.some((word) => /^(?:up|down|add|del|delete|netmask|flush)$/u.test(word)) ? ask(NETWORK) : [],
  ),
  sysctl: (command) => (command.argv.some((word) => /^-w|^--write|=|^-p|^--system/u.test(word)) ? ask(KERNEL) : []),
  ...each('modprobe insmod rmmod depmod', unlessListing(/^(?:-n|--dry-run|--show-depends|-c)$/u, KERNEL)),
  ...each('mount', (command) =>
    command.argv.slice(1).every((word) => /^-[lVh]$|^-t$/u.test(word)) ? [] : ask('It changes what is mounted where.'),
  ),
  losetup: unlessListing(/^(?:-a|--all|--list|-l)$/u, 'It changes what is mounted where.'),
  swapon: unlessListing(/^(?:--show|-s)$/u, 'It changes what is mounted where.'),
  ...each('umount swapoff pivot_root', always('It changes what is mounted where.')),
  supervisorctl: unlessListing(/^(?:status|tail|avail|pid|version|help)$/u, SERVICES),
  pm2: unlessListing(/^(?:list|ls|l|status|jlist|prettylist|logs?|show|describe|info|monit|--version|-v|--help|-h|help)$/u, SERVICES),
  journalctl: (command) =>
    command.argv.some((word) => /^--(?:vac|rot|fl|rel|smart|setup-k|up)/u.test(word)) ? ask('It changes the logs of the machine.') : [],
  crontab: (command) => (command.argv.includes('-l') || (command.argv.length < 2 && command.feed.from === 'nothing') ? [] : ask(LATER)),
  ...each('at batch', (command) =>
    command.argv.includes('-l') || (command.argv.length < 2 && command.feed.from === 'nothing') ? [] : ask(LATER),
  ),
  ...each('chattr setfacl setcap', always('It changes rights on files.')),
  ...each(
    'update-alternatives ldconfig alternatives',
    unlessListing(/^(?:--list|--display|--query|-p)$/u, 'It changes the installed software of the machine.'),
  ),
  ...each(
    'timedatectl hostnamectl localectl networkctl nmcli',
    unlessListing(/^(?:status|show|list.*|--version|device|general|dev|con|connection)$/u, 'It changes settings of the machine.'),
  ),
  ...each('tailscale wg wg-quick openvpn', unlessListing(/^(?:status|show|ip|netcheck|--version)$/u, NETWORK)),
  disown: always('It lets something outlive the session.'),
};
