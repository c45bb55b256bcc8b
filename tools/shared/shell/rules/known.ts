import { commandName, type Finding, type SimpleCommand } from '../command.ts';
import { isStatic } from '../pattern.ts';
import { isShell } from '../shells.ts';

/** Programs that change nothing by themselves, or whose writing has its own rule. They may run anywhere, and their words are no commands. */
const READERS = new Set(
  `ls ll dir vdir cat tac head tail less more nl grep egrep fgrep zgrep rg ag ack find fd fdfind locate wc stat file du df echo printf pwd cd pushd popd dirs tree
  diff cmp comm sdiff colordiff sort uniq cut paste join tr awk gawk mawk nawk sed gsed jq yq xq column fold fmt rev shuf seq yes expr bc dc factor numfmt test [ [[
  true false : sleep date cal id whoami who w last groups uname hostname uptime free vmstat iostat nproc lscpu lsblk lsusb lspci lsof env printenv set export unset
  declare local readonly typeset alias unalias shift return exit break continue read wait jobs fg bg history type which whereis whatis apropos man info help hash
  ps top htop pgrep pidof pstree md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base32 base64 xxd od hexdump strings readelf objdump nm ldd
  basename dirname realpath readlink mktemp tput stty tty clear getopt getopts let trap ulimit umask times eval source . command builtin exec
  ping dig nslookup host traceroute whois curl wget openssl iconv zcat bzcat xzcat zless gpg tar unzip zip rsync cp mv rm mkdir touch chmod chown ln tee rmdir
  git journalctl dmesg getent locale timedatectl systemctl docker kubectl kill pkill ssh scp watch xargs nohup time timeout nice`.split(
    /\s+/u,
  ),
);

export function isReader(name: string): boolean {
  return READERS.has(name);
}

/** Whether a word in the middle of others can hardly be anything but the name of a program. */
export function isStrong(name: string): boolean {
  return STRONG.test(name);
}

const STRONG =
  /^(?:rm|shred|dd|mkfs(?:\..+)?|wipefs|shutdown|reboot|halt|poweroff|sudo|doas|su|eval|truncate|chmod|chown|kill|killall|pkill)$/u;

/** A program that we do not know may run the command that it carries in its words: what is risky about that asks. */
export function carried(command: SimpleCommand, judge: (command: SimpleCommand) => readonly Finding[]): Finding[] {
  const words = command.argv.slice(1);
  if (words.some((word, index) => isShell(commandName({ argv: [word] })) && /^-\w*c$/u.test(words[index + 1] ?? ''))) {
    return [{ level: 'ask', why: 'It gives a shell commands as text.' }];
  }
  const start = words.findIndex((word) => STRONG.test(commandName({ argv: [word] })));
  const asOther = start >= 0 && words[start + 1] !== undefined && /^(?:sudo|doas|su)$/u.test(commandName({ argv: words.slice(start) }));
  if (asOther) return [{ level: 'ask', why: 'It runs with the rights of another user.' }];
  const asWords = start < 0 || words[start + 1] === undefined ? [] : judge({ ...command, argv: words.slice(start) });
  const asText = words
    .filter((word) => isStatic(word))
    .flatMap((word) => {
      const inner = word.trim().split(/\s+/u);
      return inner.length > 1 && STRONG.test(inner[0] ?? '') ? judge({ ...command, argv: inner }) : [];
    });
  return [...asWords, ...asText].slice(0, 1).map(({ why }) => ({ level: 'ask', why }));
}
