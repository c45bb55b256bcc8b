/** The daemon's parts, and how they know each other. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../agent/tool.ts';
import { createAccountLabels } from './account-label.ts';
import { type Accounts, createAccounts, type SwitchedOn } from './accounts.ts';
import { type Answers, createAnswers } from './asks/answers.ts';
import { type AskDesk, type AskEffects, createAskDesk } from './asks/asks.ts';
import { type Cards, createCards } from './asks/cards.ts';
import { createAudit } from './audit.ts';
import { createBotGuard } from './bots.ts';
import { createBusy } from './busy.ts';
import { createChildren } from './children.ts';
import type { DaemonPort } from './commands/command.ts';
import { createControl } from './control.ts';
import { createGuard } from './guarded-adapter.ts';
import type { createHttpServer } from './http/server.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { createLanes, type Lanes } from './lanes.ts';
import type { Log } from './log.ts';
import { createMedia, type Media } from './media.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { alertOwner, pagePlace } from './owner.ts';
import { createReception, type Reception } from './pairing/reception.ts';
import { type Bubbles, createBubbles } from './presenter/bubbles.ts';
import { endProcessesOf, noProcesses, type Processes, type TerminalPort } from './processes.ts';
import { createPromptSources, type PromptPorts } from './prompt/sources.ts';
import { createReceipts } from './receipts.ts';
import { createRestartDesk, type RestartDesk } from './restart.ts';
import type { WriteFile } from './result-files.ts';
import { createRedactor } from './secrets.ts';
import { createSessions, type KeyRules, type ResetRules, type Sessions } from './sessions.ts';
import type { Settings } from './settings.ts';
import { statusText } from './status-report.ts';
import type { Store } from './store/index.ts';
import type { Clock } from './time.ts';
import { type GatewayPorts, toolPorts } from './tool-ports.ts';
import { nextWork } from './turn.ts';
import type { TurnOptions } from './turn-options.ts';
import { createWake, type Wake } from './wake.ts';

export interface DaemonOptions {
  readonly version: string;
  readonly home: string;
  readonly store: Store;
  /** Asked once. */
  readonly tools: (ports: GatewayPorts) => readonly Tool[];
  readonly writeFile: WriteFile;
  /** Left out: nothing runs beyond its turn. */
  readonly terminal?: TerminalPort;
  /** Left out: prompts say nothing of what is in files. */
  readonly prompts?: PromptPorts;
  /** Read anew for each turn and each message. */
  readonly settings: () => Settings;
  readonly platforms: readonly SwitchedOn[];
  readonly rules: DaemonRules;
  readonly http: HttpOptions | undefined;
  /** Beside those of the store: what the owner should know. */
  readonly notes: readonly string[];
  readonly controlSocket: string;
  /** What whoever speaks there has to know. Left out: nobody outside of the daemon does. */
  readonly controlToken?: string | undefined;
  /** Somebody asked for it: the process is to call `Daemon.restart` and to start again. Absent: nobody can ask. */
  readonly restart?: () => void;
  /** Values that are never recorded. */
  readonly secrets: () => readonly string[];
  readonly log: Log;
  readonly now: Clock;
}

export interface DaemonRules {
  readonly keys: KeyRules;
  readonly reset: ResetRules;
  readonly drainMs: number;
}

export type HttpOptions = Pick<Parameters<typeof createHttpServer>[0], 'config' | 'pageDirectory'>;

export interface Parts {
  readonly tools: readonly Tool[];
  readonly accounts: Accounts;
  readonly inbox: Inbox;
  readonly lanes: Lanes;
  readonly outbox: Outbox;
  readonly media: Media;
  readonly desk: AskDesk;
  readonly cards: Cards;
  readonly bubbles: Bubbles;
  readonly answers: Answers;
  readonly restarts: RestartDesk;
  readonly reception: Reception;
  readonly processes: Processes;
  readonly wake: Wake;
}

export function assemble(options: DaemonOptions): Parts {
  const { store, log, now, rules, settings, writeFile } = options;
  const audit = createAudit(options);
  const root = mediaRoot(options.home);
  const base = { store, settings, audit, log, now };
  const accounts = createAccounts({
    ...base,
    receive: (events, keep) => inbox.receive(events, keep),
    alert: (account, sentence) => alertOwner(options, outbox, { account, sentence }),
    guard: createGuard({ redact: createRedactor(options.secrets, 'plain'), mediaRoot: root }),
  });
  const media = createMedia({ root, accounts, vision: () => settings().agent.models.get().vision, log });
  const outbox = createOutbox({ ...base, accounts, onGivenUp: ({ id, purpose }) => void (purpose === 'ask' && desk.lost(id)) });
  const processes = options.terminal?.processes ?? noProcesses;
  const sessions = sessionsOf(options, processes);
  const cards = createCards({ ...base, accounts });
  const bubbles = createBubbles({ ...base, accounts });
  const effects: AskEffects = {
    interrupt: (lane) => lanes.cut(lane, 'interrupt'),
    pairing: (...decision) => reception.decide(...decision),
  };
  const desk = createAskDesk({ ...base, outbox, cards, effects });
  const receipts = createReceipts(accounts, log);
  const children = createChildren();
  const { keys } = rules;
  const allTools = options.tools(toolPorts({ ...base, accounts, outbox, media }));
  const tools = allTools.filter(({ missing }) => missing === undefined);
  const seen = { bubbles, media, desk, receipts, children, prompts: createPromptSources(options) };
  const turns: TurnOptions = { ...base, ...seen, sessions, accounts, outbox, tools, writeFile, keys, notifyReset: rules.reset.notify };
  const lanes = createLanes((lane) => nextWork(turns, lane), log);
  const answers = createAnswers({ ...base, desk });
  const labels = createAccountLabels(options.platforms);
  const reception = createReception({ ...base, outbox, sessions, lanes, desk, labels, page: pagePlace(options) });
  const door = { ...base, outbox, lanes, answers, account: accounts.get };
  const busy = createBusy({ ...door, children });
  const restarts = createRestartDesk({ store, outbox, log });
  const status = (): string => statusText({ ...options, tools: allTools }, { accounts, lanes });
  const daemon = { version: options.version, status, label: labels.of, ...restartPort(options, restarts) };
  const control = createControl({ ...door, busy, ports: { store, sessions, lanes, answers, settings, daemon, processes } });
  const wake = createWake({ ...base, lanes, outbox, redact: createRedactor(options.secrets, 'plain') });
  const inbox = createInbox({ ...door, busy, receipts, door: reception.door, bots: createBotGuard(now), control, keys });
  return { tools: allTools, accounts, inbox, lanes, outbox, media, desk, cards, bubbles, answers, restarts, reception, processes, wake };
}

function sessionsOf({ store, home, rules, now }: DaemonOptions, processes: Processes): Sessions {
  return createSessions(store, {
    rules: rules.reset,
    workspaces: path.join(home, 'workspaces'),
    now,
    isAtWork: (id) => processes.running().some(({ session }) => session === id),
    ended: (id, reason) => void (reason === 'revoked' && endProcessesOf(processes, id)),
  });
}

/** Begins behind the transaction that the request is part of: one that is rolled back restarts nothing. */
function restartPort({ restart }: DaemonOptions, restarts: RestartDesk): Pick<DaemonPort, 'restart'> {
  if (restart === undefined) return {};
  return {
    restart: ({ target }) => {
      restarts.remember(target);
      setImmediate(() => {
        if (restarts.isAsked()) restart();
      });
    },
  };
}

function mediaRoot(home: string): string {
  const root = path.join(home, 'media');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return root;
}
