import path from 'node:path';
import { isWithin } from './home-paths.ts';
import { couldBe } from './shell/pattern.ts';

/**
 * What a tool leaves alone unless a person says otherwise. Paths are absolute; rules are patterns of `couldBe` ("~" stands for the home directory), so
 * that the same lists serve real paths (file tools) and the half-known words of a command.
 */

const SECRETS_IN_HOME = `.ssh/id_* .ssh/identity .ssh/authorized_keys .gnupg/** .aws/** .azure/** .kube/** .docker/config.json .config/gcloud/** .config/gh/hosts.yml
  .netrc .pgpass .npmrc .pypirc .git-credentials .config/git/credentials .password-store/** .local/share/keyrings/** .vault-token
  .terraform.d/credentials.tfrc.json .cargo/credentials .cargo/credentials.toml .gem/credentials .config/rclone/** .config/op/**
  .config/google-chrome/** .config/chromium/** .mozilla/** .bitcoin/** .ethereum/** .electrum/** Library/Keychains/** .kaggle/kaggle.json
  .huggingface/token .cache/huggingface/token .s3cfg .boto .my.cnf .mylogin.cnf .subversion/auth/** .composer/auth.json .config/composer/auth.json
  .config/hub .config/doctl/** .fly/** .oci/** .databrickscfg .snowflake/** .codex/auth.json .claude/.credentials.json .claude.json
  .config/containers/auth.json .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .terraformrc .rclone.conf .sops/** .age/** .config/sops/**
  .config/age/** .putty/** .authinfo .authinfo.gpg .config/hcloud/** .config/ngrok/** .ngrok2/** .cloudflared/** .wrangler/config/** .config/stripe/**
  .bash_history .zsh_history .mysql_history .psql_history .python_history .local/share/fish/** .config/BraveSoftware/** .thunderbird/**`;

const SECRETS_OF_SYSTEM = `/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d/** /etc/ssh/ssh_host_* /etc/ssl/private/** /etc/krb5.keytab /var/backups/**
  /run/secrets/** /var/run/secrets/** /proc/kcore /dev/mem /dev/kmem /proc/*/environ /proc/*/mem /proc/*/root/** /proc/*/root /proc/*/cwd/**
  /proc/*/fd/** /proc/*/task/** /proc/*/map_files/** /proc/*/auxv`;

const STARTUP_IN_HOME = `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout .kshrc .mkshrc .cshrc
  .tcshrc .login .xprofile .xinitrc .xsession .xsessionrc .inputrc .pam_environment .config/fish/** .config/autostart/** .config/systemd/**
  .config/environment.d/** .local/share/systemd/** .local/share/applications/** Library/LaunchAgents/** .gitconfig .config/git/** .vimrc .vim/**
  .config/nvim/** .emacs .emacs.d/** .tmux.conf .pythonrc .irbrc .pryrc .perldb .gdbinit .lldbinit .curlrc .wgetrc .ssh/** .pip/** .config/pip/**
  .bashrc.d/** .bash_completion .bash_functions .profile.d/** .zsh/** .zshrc.d/** .oh-my-zsh/** .config/zsh/** .config/bash/** .config/nushell/** .config/xonsh/**
  .config/tmux/** .config/emacs/** .config/upstart/** .config/plasma-workspace/** .local/share/dbus-1/** .local/share/bash-completion/** .screenrc .direnvrc
  .config/direnv/** .yarnrc .yarnrc.yml .bunfig.toml .condarc .cargo/config .cargo/config.toml .cargo/env .gradle/** .m2/** .mavenrc .Rprofile .Renviron .juliarc.jl
  .julia/config/** .ipython/** .jupyter/** .psqlrc .sqliterc .config/git .hgrc .config/hg/** .config/user-tmpfiles.d/** .config/mise/** .asdfrc .claude/** .codex/**`;

const SYSTEM_PLACES = `/etc/** /boot/** /bin/** /sbin/** /lib/** /lib32/** /lib64/** /usr/** /dev/** /proc/** /sys/** /var/spool/** /System/** /Library/**
  /private/etc/** /private/var/db/** /private/var/root/**`;

const KEY_NAMES = /^id_(?:rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)$/u;
const PUBLIC_NAMES = /\.pub$|^known_hosts|^config$/u;
const HARMLESS_DEVICES = /^\/dev\/(?:null|zero|full|u?random|stdin|stdout|stderr|tty|fd\/.+|shm\/.+)$/u;

function words(list: string): string[] {
  return list.trim().split(/\s+/u);
}

export interface SensitivePlaces {
  readonly home: string;
  /** Our own configuration and state. */
  readonly protectedPaths: readonly string[];
  /** What stays usable even where it lies below a protected path: the session's workspace. */
  readonly workspace: string;
  /** Further directories that stay usable in the same way. */
  readonly own?: readonly string[];
}

const SECRET_RULES = { home: words(SECRETS_IN_HOME), system: words(SECRETS_OF_SYSTEM) };
const STARTUP_RULES = { home: words(STARTUP_IN_HOME), system: words(SYSTEM_PLACES) };

/** Where keys and credentials are, as absolute patterns. */
export function secretPatterns(home: string): readonly string[] {
  return [...SECRET_RULES.home.map((rule) => `${home}/${rule}`), ...SECRET_RULES.system];
}

function anyHomeRule(file: string, rules: readonly string[], home: string): boolean {
  return rules.some((rule) => couldBe(file, `${home}/${rule}`));
}

function anyRule(file: string, rules: readonly string[]): boolean {
  return rules.some((rule) => couldBe(file, rule));
}

/** Keys, credential stores, memory and environment of processes. */
export function isSecretPlace(file: string, home: string): boolean {
  const name = path.basename(file);
  const folder = path.dirname(file);
  if (PUBLIC_NAMES.test(name) && (path.basename(folder) === '.ssh' || folder === '/etc/ssh')) return false;
  return KEY_NAMES.test(name) || anyHomeRule(file, SECRET_RULES.home, home) || anyRule(file, SECRET_RULES.system);
}

// File names that give a secret away whatever directory they stand in.
const TELLING_NAMES = /^(?:environ|g?shadow|credentials)$/u;

/** The ends of a rule that are telling without its beginning: `.aws/**`, not `config.json`. */
function tellingEnds(rule: string): string[] {
  const parts = rule.split('/');
  const starts = parts.keys().filter((index) => parts[index]?.startsWith('.') || TELLING_NAMES.test(parts.slice(index).join('/')));
  return [...starts].map((start) => `/${parts.slice(start).join('/')}`);
}

const TELLING_ENDS = [...SECRET_RULES.home, ...SECRET_RULES.system].flatMap(tellingEnds);

/** Whether a path of which only the end is known (after a `/`) could mean a secret or our own configuration. */
export function couldEndInSecret(end: string, protectedPaths: readonly string[]): boolean {
  const file = path.normalize(`/${end}`);
  const own = protectedPaths.flatMap((place) => {
    const parts = place.split('/').filter((part) => part !== '');
    const starts = [...parts.keys()].filter((index) => index < parts.length - 1 || parts[index]?.includes('.')); // a mere `logs` tells nothing
    return starts.map((index) => `/${parts.slice(index).join('/')}`).flatMap((rule) => [rule, `${rule}/**`]);
  });
  return KEY_NAMES.test(path.basename(file)) || anyRule(file, own) || anyRule(file, TELLING_ENDS);
}

/** Our own configuration and state, and what is another conversation's. The nearest enclosing place decides, so that a workspace inside the state directory stays usable. */
export function isProtectedPlace(file: string, places: SensitivePlaces): boolean {
  const enclosing = places.protectedPaths.filter((place) => couldBe(file, place) || couldBe(file, `${place}/**`));
  const nearest = Math.max(0, ...enclosing.map((place) => place.length));
  const isOwn = [places.workspace, ...(places.own ?? [])].some((own) => isWithin(file, own) && own.length > nearest);
  return enclosing.length > 0 && !isOwn;
}

/** Files that run by themselves later, and the system's own. A workspace deep inside a system place (/usr/src/app) is the workspace's. */
export function isStartupPlace(file: string, places: SensitivePlaces): boolean {
  if (HARMLESS_DEVICES.test(file)) return false;
  const workspaceIsDeep = places.workspace.split('/').length > 3;
  const system = anyRule(file, STARTUP_RULES.system) && !(workspaceIsDeep && isWithin(file, places.workspace));
  return system || anyHomeRule(file, STARTUP_RULES.home, places.home);
}

const GIT_PROGRAMS = /(?:^|\/)\.git(?:\/?$|\/(?:.*\/)?(?:hooks(?:$|\/)|config(?:\.worktree)?$|info\/attributes$))/iu;

/** Hooks, and settings through which git runs programs. A file `.git` can name a repository elsewhere, with hooks of its own. */
export function runsWithGit(file: string): boolean {
  return GIT_PROGRAMS.test(file);
}

export function isHarmlessDevice(file: string): boolean {
  return HARMLESS_DEVICES.test(file);
}

/** One sentence, or nothing when reading is fine. */
export function whyNotRead(file: string, places: SensitivePlaces): string | undefined {
  if (isProtectedPlace(file, places)) return 'It belongs to the configuration or state of this gateway, or to another conversation.';
  if (isSecretPlace(file, places.home)) return 'It holds keys, credentials or the memory of a process.';
  return undefined;
}

/** One sentence, or nothing when no list forbids writing. Does not ask whether the place lies in the workspace. */
export function whyNotWrite(file: string, places: SensitivePlaces): string | undefined {
  const reading = whyNotRead(file, places);
  if (reading !== undefined) return reading;
  if (isStartupPlace(file, places)) return 'It is a start-up file or belongs to the system: what is written there runs by itself later.';
  return undefined;
}
