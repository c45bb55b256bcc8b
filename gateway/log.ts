import { pino, stdTimeFunctions } from 'pino';
import { createSecretFilter, hidden } from './secrets.ts';

/** Structured log: one line an event. Message text never above debug. Satisfies the adapters' log as well. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface LogOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Values that are never written; called for each line, so that it may follow a changed configuration. */
  readonly secrets: () => readonly string[];
  /** For a person at a terminal instead of JSON lines. Default: standard output is a terminal. */
  readonly pretty?: boolean;
  /** Takes whole lines. Default: standard output. */
  readonly write?: (line: string) => void;
}

/** Secrets are taken out of the serialised line, the last step before it is written: nothing can pass around it. */
export function createLog({ level, secrets, pretty = process.stdout.isTTY === true, write = toStandardOutput() }: LogOptions): Log {
  const redact = createRedactor(secrets);
  const format = pretty ? forPeople : (line: string) => line;
  return pino(
    { level, base: null, timestamp: stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    {
      write: (line: string) => write(format(redact(line))),
    },
  );
}

/** A reader that goes away (`hermes gateway run | head`) must end the log and not the daemon. */
function toStandardOutput(): (line: string) => void {
  let open = true;
  process.stdout.on('error', () => {
    open = false;
  });
  return (line) => {
    if (open) process.stdout.write(line);
  };
}

/** A line break before a word is written as backslash and letter, which looks like one longer word. */
const wordStart = String.raw`(?:\b|(?<=\\[bfnrt]))`;

/** What secrets look like, for those that nobody told us. None of these can contain a quote, so a JSON line stays one. */
const patterns: readonly RegExp[] = [
  /(?<!\d)\d{6,}:[A-Za-z0-9_-]{30,}/g, // Telegram bot token
  word('(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}'), // OpenAI, Anthropic, OpenRouter
  word('(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}'), // Slack
  word('(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})'), // GitHub
  word(String.raw`(?:AIza[A-Za-z0-9_-]{30,}|AKIA[A-Z0-9]{16}\b)`), // Google, Amazon
  word(String.raw`[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`), // Discord bot token
  word(String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), // JSON web token
  /(?<=\b(?:Bearer|Basic)\s)[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<=:\/\/[^\s"/:@]{1,200}:)[^\s"/@]{3,200}(?=@)/g, // password in an address
];

function word(pattern: string): RegExp {
  return new RegExp(wordStart + pattern, 'g');
}

/** Takes known secrets and what looks like one out of a serialised line, which stays valid. */
function createRedactor(secrets: () => readonly string[]): (text: string) => string {
  const withoutKnown = createSecretFilter(secrets, 'json');
  return (line) => patterns.reduce((result, pattern) => result.replace(pattern, hidden), withoutKnown(line));
}

const colours: Readonly<Record<string, string>> = { debug: '\u001b[2m', warn: '\u001b[33m', error: '\u001b[31m', fatal: '\u001b[31m' };

/** "12:03:04 warn  the message  key=value": what a person wants to see of a JSON line. */
function forPeople(line: string): string {
  const { time, level, msg, ...facts } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const details = Object.entries(facts).map(([key, value]) => `${key}=${factText(value)}`);
  const colour = colours[String(level)] ?? '';
  return `${clock} ${colour}${String(level).padEnd(5)} ${msg ?? ''}${details.length > 0 ? `  ${details.join(' ')}` : ''}${colour === '' ? '' : '\u001b[0m'}\n`;
}

function factText(value: unknown): string {
  if (typeof value === 'string') return /^\S+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value === 'object' && value !== null && 'stack' in value) return `\n${String(value.stack)}`;
  return JSON.stringify(value);
}
