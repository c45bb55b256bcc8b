import path from 'node:path';

/** What child processes receive: an allowlist, because a blocklist is one forgotten name away from a leaked key. */

type Environment = Readonly<Record<string, string | undefined>>;

const ALLOWED_NAMES = new Set(['PATH', 'HOME', 'USER', 'LANG', 'TERM', 'TMPDIR', 'TMP', 'TEMP', 'SHELL', 'LOGNAME', 'TZ', 'VIRTUAL_ENV']);
const ALLOWED_PREFIXES = ['LC_', 'XDG_', 'CONDA_'];
const SECRET_WORDS = ['KEY', 'TOKEN', 'SECRET', 'PASSWORD', 'PASSWD', 'CREDENTIAL', 'AUTH', 'DSN', 'WEBHOOK'];

// Each of these makes some program run code or load a file before the command that was judged does anything (users-and-risks.md S11).
const STARTUP_NAMES = new Set(
  `BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND IFS CDPATH GLOBIGNORE ZDOTDIR INPUTRC FPATH
  NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_EXTRA_CA_CERTS ELECTRON_RUN_AS_NODE
  PERL5OPT PERL5LIB PERLLIB PERL5DB RUBYOPT RUBYLIB GEM_PATH GEM_HOME BUNDLE_GEMFILE LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS CLASSPATH MAVEN_OPTS GRADLE_OPTS SBT_OPTS
  DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS COR_PROFILER COR_PROFILER_PATH CORECLR_PROFILER CORECLR_PROFILER_PATH
  EDITOR VISUAL PAGER MANPAGER LESSOPEN LESSCLOSE BROWSER SSH_ASKPASS SUDO_ASKPASS
  MAKEFLAGS MAKEFILES GNUMAKEFLAGS RUSTC_WRAPPER RUSTC RUSTFLAGS CARGO_HOME GOFLAGS GOPROXY CGO_CFLAGS
  GCONV_PATH LOCPATH HOSTALIASES LOCALDOMAIN RESOLV_HOST_CONF NLSPATH TERMINFO TERMCAP OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES
  ERL_AFLAGS ERL_FLAGS ERL_ZFLAGS ELIXIR_ERL_OPTIONS R_PROFILE R_PROFILE_USER R_ENVIRON JULIA_LOAD_PATH TCLLIBPATH
  WGETRC CURL_HOME AWKPATH AWKLIBPATH VIMINIT EXINIT EMACSLOADPATH QT_PLUGIN_PATH GTK_MODULES GIO_EXTRA_MODULES`.split(/\s+/u),
);
const STARTUP_PREFIXES = [
  'LD_',
  'DYLD_',
  'BASH_FUNC_',
  'PYTHON',
  'GIT_',
  'npm_config_',
  'NPM_CONFIG_',
  'YARN_',
  'PIP_',
  'UV_',
  'BUNDLE_',
  'CORECLR_',
];

/** Variables through which somebody could run code inside a program that was judged harmless. */
export function isStartupVariable(name: string): boolean {
  return STARTUP_NAMES.has(name) || STARTUP_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  return SECRET_WORDS.some((word) => upper.includes(word));
}

function isAllowed(name: string): boolean {
  return !isSecretName(name) && (ALLOWED_NAMES.has(name) || ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix)));
}

/** `passthrough` are names that the owner has declared: they pass even when they look like a secret, start-up variables never do. */
export function childEnvironment(environment: Environment, passthrough: readonly string[]): Record<string, string> {
  const declared = new Set(passthrough);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || isStartupVariable(name)) continue;
    if (declared.has(name) || isAllowed(name)) result[name] = value;
  }
  result['PATH'] = absoluteEntries(environment['PATH']);
  return result;
}

/** A relative or empty entry would run programs out of whatever directory a command works in. */
function absoluteEntries(searchPath: string | undefined): string {
  const entries = (searchPath ?? '').split(path.delimiter).filter((entry) => path.isAbsolute(entry));
  return entries.length > 0 ? entries.join(path.delimiter) : '/usr/local/bin:/usr/bin:/bin';
}
