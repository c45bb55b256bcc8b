import type { PermissionsControl } from '../permissions/control.ts';

/** Every verb of the `hermes` command. Help, parsing and suggestions are derived from this table; what a verb does is loaded when it is used. */
export interface Verb {
  /** "gateway run": the group and the name in it. */
  readonly words: readonly [group: string, name: string];
  readonly summary: string;
  /** The group alone means this one. */
  readonly isDefault?: true;
  /** What follows the words, in Commander's notation ("<code>", "[account]"), and what it is. */
  readonly args?: readonly (readonly [notation: string, description: string])[];
  /** Commander's notation ("-v, --verbose") and what it does. */
  readonly options: readonly (readonly [flags: string, description: string])[];
  load(): Promise<{ readonly act: Act }>;
}

/** Resolves with the exit code. What it throws is shown as one sentence. */
export type Act = (context: CliContext) => Promise<number>;

/** What stood on the command line. */
export interface Given {
  /** In the order of the table; Commander has seen to it that those that must be there are. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

export interface CliContext extends Given {
  readonly deps: CliDeps;
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
}

/** What the composition root hands to the command. */
export interface CliDeps {
  readonly version: string;
  home(env: Readonly<Record<string, string | undefined>>): string;
  /** Runs the daemon until it is told to stop; resolves with the exit code. */
  run(options: RunOptions): Promise<number>;
  /** Reads the configuration without starting anything. Throws ConfigError. */
  check(home: string): { readonly warnings: readonly string[] };
  /** What the files say about permissions. Throws ConfigError. */
  permissions(home: string): PermissionsControl;
  /** The app that a platform's own setup page creates from this text; undefined where the platform takes none. */
  manifest(platform: string, options: Readonly<Record<string, unknown>>): string | undefined;
  /** What went wrong may have been said by others: without the secrets of this home. Never throws. */
  redact(text: string): string;
}

export interface RunOptions {
  /** Log at level debug, whatever the configuration says. */
  readonly verbose: boolean;
}

export const exitCodes = { ok: 0, failed: 1, usage: 2, noDaemon: 3 } as const;

export const groups: Readonly<Record<string, string>> = {
  gateway: 'the daemon that people talk to',
  config: 'config.yaml and .env',
  audit: 'the record of what was done, for whom',
  pairing: 'who may talk to the agent',
  permissions: 'what the agent may do, for whom and where',
  slack: 'the Slack app',
  whatsapp: 'the WhatsApp account',
};

const accountArgument = [
  '<platform:account>',
  'the platform, and which of its accounts unless it is the main one (telegram, telegram:work)',
] as const;

export const verbs: readonly Verb[] = [
  {
    words: ['gateway', 'run'],
    summary: 'run the daemon in the foreground',
    options: [['-v, --verbose', 'log more (level debug)']],
    load: () => import('./gateway-run.ts'),
  },
  {
    words: ['gateway', 'status'],
    summary: 'tell what the running daemon is doing; exits with 3 when none runs',
    options: [['--json', 'print everything as JSON']],
    load: () => import('./gateway-status.ts'),
  },
  {
    words: ['gateway', 'restart'],
    summary: 'restart the running daemon; what it is working on goes on afterwards',
    options: [],
    load: () => import('./gateway-restart.ts'),
  },
  {
    words: ['gateway', 'link'],
    summary: 'print a new one-time sign-in link to the browser page',
    options: [],
    load: () => import('./gateway-link.ts'),
  },
  {
    words: ['config', 'check'],
    summary: 'check the configuration and tell everything that is wrong with it',
    options: [],
    load: () => import('./config-check.ts'),
  },
  {
    words: ['config', 'path'],
    summary: 'print where config.yaml is',
    options: [],
    load: () => import('./config-path.ts'),
  },
  {
    words: ['pairing', 'list'],
    summary: 'show who was let in, who waits, and the code for the first owner while there is none',
    options: [['--json', 'print everything as JSON']],
    load: () => import('./pairing-list.ts'),
  },
  {
    words: ['pairing', 'approve'],
    summary: 'let in whoever the bot gave this code to',
    args: [accountArgument, ['<code>', 'as the person read it from the chat; small letters, spaces and hyphens do not matter']],
    options: [['--role <role>', 'what they are to the agent: owner, admin or user (user)']],
    load: () => import('./pairing-approve.ts'),
  },
  {
    words: ['pairing', 'revoke'],
    summary: 'let somebody in no longer; what is theirs ends at once',
    args: [accountArgument, ['<id>', 'as "hermes pairing list" shows it']],
    options: [],
    load: () => import('./pairing-revoke.ts'),
  },
  {
    words: ['pairing', 'clear-pending'],
    summary: 'forget the requests that nobody has answered',
    args: [['[platform:account]', 'only of this platform, or of one of its accounts (telegram, telegram:work)']],
    options: [],
    load: () => import('./pairing-clear.ts'),
  },
  {
    words: ['permissions', 'list'],
    summary: 'show the rules about what the agent may do, in the order in which they count',
    options: [['--json', 'print everything as JSON']],
    load: () => import('./permissions-list.ts'),
  },
  {
    words: ['permissions', 'check'],
    summary: 'explain which rule decides about a call',
    args: [['<call>', "a tool with what it is given, in quotes: 'terminal(rm -rf build)', 'file.write(~/notes/a.md)'"]],
    options: [
      ['--as <platform:id>', 'for whom: telegram:123 (the owner, on the page)'],
      ['--chat <type:id>', 'where: group:-100123, channel:C1 (a direct chat)'],
      ['--account <name>', "of several accounts of the platform, which one's chat (main)"],
      ['--json', 'print everything as JSON'],
    ],
    load: () => import('./permissions-check.ts'),
  },
  {
    words: ['permissions', 'approvals'],
    summary: 'show what somebody has allowed for good ("Always")',
    options: [['--json', 'print everything as JSON']],
    load: () => import('./permissions-approvals.ts'),
  },
  {
    words: ['permissions', 'forget'],
    summary: 'take back what was allowed for good: it is asked about again',
    args: [['<id>', 'as "hermes permissions approvals" shows it, or all']],
    options: [],
    load: () => import('./permissions-forget.ts'),
  },
  {
    words: ['audit', 'show'],
    isDefault: true,
    summary: 'show who had what run, what decided it and what came of it',
    options: [
      ['--since <time>', 'only what is younger: 30m, 24h, 7d, or a day (2026-07-28)'],
      ['--user <id>', 'only what this person asked for or decided: telegram:123'],
      ['--tool <name>', 'only the calls of this tool: terminal'],
      ['-n, --limit <count>', 'at most so many, the newest (100)'],
      ['--json', 'print everything as JSON'],
    ],
    load: () => import('./audit-show.ts'),
  },
  {
    words: ['audit', 'verify'],
    summary: 'check that nothing in that record was changed, taken out or put in; exits with 1 if so',
    options: [],
    load: () => import('./audit-verify.ts'),
  },
  {
    words: ['slack', 'manifest'],
    summary: 'print the Slack app for "Create an app" > "From a manifest" on https://api.slack.com/apps',
    options: [
      ['--name <name>', 'what the bot is called (Hermes)'],
      ['--assistant', "with Slack's assistant: a pane of its own, in which each chat is a thread (paid plans)"],
      ['--url <address>', 'where Slack reaches the gateway (https://bot.example.org/slack/events), instead of Socket Mode'],
    ],
    load: () => import('./slack-manifest.ts'),
  },
  {
    words: ['whatsapp', 'link'],
    summary: "link the running gateway with a phone's WhatsApp, by scanning a code or typing one",
    options: [
      ['--phone <number>', 'instead of a code to scan, one to type into the phone with this number (4915123456789)'],
      ['--account <name>', 'of several accounts, which one (main)'],
      ['-y, --yes', 'agree to the risk to the number without being asked'],
    ],
    load: () => import('./whatsapp-link.ts'),
  },
];
