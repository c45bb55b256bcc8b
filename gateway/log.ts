import { pino, stdTimeFunctions } from 'pino';
import { createRedactor } from './secrets.ts';

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
  const redact = createRedactor(secrets, 'json');
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
