import { commandName } from '../command.ts';
import { parseOptions } from '../options.ts';
import { git } from './git.ts';
import { ask, isVital, type Rule, reading, writing } from './rule.ts';

/** Programs whose effect lies elsewhere: in containers, clouds, registries, databases, at the other end of a connection. */

const CONTAINER_STOPS = /^(?:stop|restart|kill|down|rm|rmi|prune|pause|remove|destroy|swarm|load|import|commit|update)$/u;
const OBJECTS = /^(?:container|image|volume|network|system|builder|compose|stack|service|node|secret|config|buildx)$/u;

const containers: Rule = (command, place) => {
  const words = command.argv.slice(1);
  const { operands } = parseOptions(words, {
    values: 'Hfcpvewu',
    longValues: ['host', 'context', 'file', 'project-name', 'volume', 'env', 'workdir', 'user', 'name', 'mount', 'network'],
  });
  const [first = '', second = ''] = operands;
  const verb = OBJECTS.test(first) ? second : first;
  if (CONTAINER_STOPS.test(verb)) return ask('It stops, changes or deletes containers or what they hold.');
  if (verb === 'exec') return ask('It runs a command in a container.');
  if (verb === 'cp') return operands.slice(-1).flatMap((word) => (word.includes(':') ? [] : writing(word, command.directories, place)));
  if (/^(?:login|push)$/u.test(verb)) return ask(PUBLISHES);
  if (verb !== 'run' && verb !== 'create') return [];
  const mounts = words.flatMap((word, index) => mounted(word, words[index - 1] ?? ''));
  const wide = mounts.some((mount) => isVital(mount.split(':', 1)[0] ?? '', command.directories, place) || /docker\.sock/u.test(mount));
  const outside = mounts.flatMap((mount) =>
    mount.startsWith('/') && !/:ro\b/u.test(mount) ? writing(mount.split(':', 1)[0] ?? '', command.directories, place) : [],
  );
  const privileged = words.some((word, index) =>
    /^--(?:privileged|cap-add|pid=host|net(?:work)?=host|device|security-opt|userns=host|ipc=host|uts=host|volumes-from)/u.test(
      /^--(?:pid|net|network|userns|ipc|uts)$/u.test(word) ? `${word}=${words[index + 1] ?? ''}` : word,
    ),
  );
  return wide || privileged ? ask('It gives a container rights over this machine.') : outside.slice(0, 1);
};

/** `-v /a:/b`, `-itv /a:/b`, `--mount type=bind,source=/a,target=/b` */
function mounted(word: string, before: string): string[] {
  if (/^-[dit]*v$|^--volume$/u.test(before)) return [word];
  if (/^(?:-v|--volume=)./u.test(word)) return [word.replace(/^-v|^--volume=/u, '')];
  const mount = before === '--mount' ? word : /^--mount=(.*)$/u.exec(word)?.[1];
  const source = /(?:^|,)(?:source|src)=([^,]*)/u.exec(mount ?? '')?.[1];
  if (source === undefined) return [];
  return [`${source}:${/(?:^|,)(?:readonly|ro)\b/u.test(mount ?? '') ? 'ro' : ''}`];
}

const verbs =
  (pattern: RegExp, why: string): Rule =>
  (command) =>
    command.argv.slice(1).some((word) => pattern.test(word)) ? ask(why) : [];

const DESTROYS = 'It deletes or changes things in a remote system.';
const PUBLISHES = 'It publishes to the world.';

const nodePackages: Rule = (command) => {
  const words = command.argv.slice(1);
  const [verb = ''] = words.filter((word) => !word.startsWith('-'));
  if (/^(?:publish|unpublish|deprecate|owner|access|token|dist-tag|login|adduser)$/u.test(verb)) return ask(PUBLISHES);
  if (verb === 'set' || verb === 'c') return ask('It changes settings outside of the workspace.');
  if (verb === 'config' && /^(?:set|delete|edit)$/u.test(words[1] ?? '')) return ask('It changes settings outside of the workspace.');
  const global = words.some((word) => /^-\w*g$|^--global$|^--location=global$/u.test(word));
  return global && /^(?:i|install|add|uninstall|rm|remove|link|update|up)$/u.test(verb)
    ? ask('It changes the installed software of the machine.')
    : [];
};

const pythonPackages: Rule = (command) =>
  command.argv.includes('--break-system-packages') ? ask('It changes the installed software of the machine.') : [];

const connect: Rule = (command) => {
  const risky = command.argv.some((word) => /^-\w*[ecl]|^--(?:exec|sh-exec|listen|lua-exec)|EXEC:|SYSTEM:|SHELL:|-LISTEN:/iu.test(word));
  return risky ? ask('It opens a way into this machine or runs a program for a connection.') : [];
};

const SQL_LOSS =
  /\bdrop\s+(?:table|database|schema|view|index|user|role)\b|\btruncate\s+(?:table\s+)?\w|\balter\s+table\b[^;]*\bdrop\b|\bdelete\s+from\s+[^;]*?(?:;|$|["'])/iu;
const DELETE_ALL = /\bdelete\s+from\s+(?:(?!\bwhere\b)[^;])*(?:;|$)/iu;

const sql: Rule = (command, place) => {
  const given = [command.argv.join(' '), command.feed.from === 'text' ? command.feed.text : ''].join(' ; ');
  if (commandName(command) === 'redis-cli' && /\b(?:shutdown|config\s+set|module\s+load|slaveof|replicaof|debug)\b/iu.test(given))
    return ask('It stops or changes a database server.');
  if (/\bflushall\b|\bflushdb\b|\bdropdatabase\b|\.drop\(/iu.test(given)) return ask('It deletes data from a database.');
  const loses = SQL_LOSS.test(given) && (!/\bdelete\s+from\b/iu.test(SQL_LOSS.exec(given)?.[0] ?? '') || DELETE_ALL.test(given));
  if (loses || DELETE_ALL.test(given)) return ask('It deletes data from a database.');
  if (/\\!|\.shell\b|\.system\b|\bcopy\b[^;]*\bprogram\b|\bxp_cmdshell\b/iu.test(given)) return ask('It runs commands through a database.');
  if (SQL_FILES.test(given)) return ask('It writes or loads files through a database.');
  const named = [...given.matchAll(/(['"])([^'"\n]+)\1|(?:\\ir?|\.read|\.import)\s+(\S+)/gu)].map((match) => match[2] ?? match[3] ?? '');
  const secrets = named.flatMap((word) => reading(word, command.directories, place));
  if (secrets.length > 0) return secrets.slice(0, 1);
  const [file] = parseOptions(command.argv.slice(1), { values: 'c', longValues: ['cmd', 'init', 'separator', 'nullvalue'] }).operands;
  // Even a query makes the file where there is none.
  const mayWrite = /^(?:sqlite3|duckdb)$/u.test(commandName(command)) && !command.argv.some((word) => /^--?readonly$/u.test(word));
  return mayWrite && file !== undefined ? writing(file, command.directories, place) : [];
};

// Dot-commands and statements of sqlite, psql and mysql that write or load files.
const SQL_FILES =
  /\.(?:output|once|backup|save|clone|log|load|open|archive|excel|cd|import)\b|\battach\b|\bvacuum\s+into\b|\b(?:writefile|edit|load_extension)\s*\(|\binto\s+(?:out|dump)file\b|\\(?:o|g|w|copy)\b|\bcopy\b[^;]*\bto\b\s*'/iu;

const SELF_VERBS = /^(?:stop|restart|update|uninstall|reset)$/u;

const ourselves: Rule = (command) => {
  const words = command.argv.slice(1);
  if (words.some((word) => SELF_VERBS.test(word))) return ask('It stops or changes this gateway itself.');
  if (words[0] === 'gateway' && (words[1] === undefined || words[1] === 'run' || words[1] === 'start'))
    return ask('It starts another gateway.');
  return words.some((word) => /^(?:config|setup|auth|login|pairing|approve|allow)$/u.test(word))
    ? ask('It changes the configuration of this gateway.')
    : [];
};

function each(names: string, rule: Rule): Record<string, Rule> {
  return Object.fromEntries(names.split(' ').map((name) => [name, rule]));
}

export const remoteRules: Readonly<Record<string, Rule>> = {
  git,
  ...each('docker podman nerdctl docker-compose podman-compose', containers),
  ...each(
    'kubectl oc',
    verbs(/^(?:delete|apply|create|replace|patch|edit|scale|drain|cordon|taint|exec|cp|rollout|set|run|expose)$/u, DESTROYS),
  ),
  helm: verbs(/^(?:install|upgrade|uninstall|delete|rollback)$/u, DESTROYS),
  ...each('terraform tofu pulumi', verbs(/^(?:apply|destroy|import|taint|up|state)$/u, DESTROYS)),
  aws: verbs(
    /^(?:rm|rb|delete.*|terminate.*|remove.*|put.*|create.*|update.*|mv|stop.*|deregister.*|detach.*|modify.*|revoke.*|disable.*)$/u,
    DESTROYS,
  ),
  ...each(
    'gcloud az doctl flyctl fly heroku vercel netlify',
    verbs(/^(?:delete|destroy|remove|rm|create|update|deploy|stop|set|apps:destroy|config:set|--prod)$/u, DESTROYS),
  ),
  ...each('gsutil rclone', verbs(/^(?:rm|rb|mv|delete|purge|sync|move|rmdirs?|cleanup)$/u, DESTROYS)),
  gh: verbs(/^(?:delete|merge|close|create|edit|archive|transfer|api|secret|release)$/u, DESTROYS),
  ...each('npm pnpm yarn bun', nodePackages),
  ...each('pip pip3 uv pipx', pythonPackages),
  ...each('cargo gem', verbs(/^(?:publish|yank|owner|login|push)$/u, PUBLISHES)),
  twine: verbs(/^upload$/u, PUBLISHES),
  ...each('nc ncat netcat socat', connect),
  ...each('psql mysql mariadb sqlite3 duckdb clickhouse-client sqlcmd mongosh mongo redis-cli cockroach usql', sql),
  hermes: ourselves,
  ...each('mail mailx sendmail mutt swaks', () => ask('It sends mail.')),
  ...each('sftp ftp lftp telnet rsh rlogin mosh', () => ask('It reaches another machine.')),
};

/** A copy from or to `host:path`. */
export const remoteCopy: Rule = (command) => {
  const name = commandName(command);
  if (name !== 'scp' && name !== 'rsync') return [];
  if (name === 'rsync' && command.argv.some((word) => /^-\w*e$|^--rsh|^--rsync-path/u.test(word)))
    return ask('It gives rsync a program to run.');
  return command.argv.slice(1).some((word) => /^[^/\s]+:/u.test(word)) ? ask('It reaches another machine.') : [];
};
