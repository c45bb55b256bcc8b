import type { AuditEntry, AuditFilter } from '../store/audit-rows.ts';
import { accountName } from '../target.ts';
import { type AuditSource, withAudit } from './audit-source.ts';
import { localTime, printable } from './printable.ts';
import { sinceMs } from './since.ts';
import { UsageError } from './usage-error.ts';
import { type Act, type CliContext, exitCodes } from './verbs.ts';

const mostOfPage = 1000;
/** What is longer is cut in lines for people; the JSON has all of it. */
const shownUnits = 500;

export const act: Act = async (context) => {
  const { options, print } = context;
  const asked = questionOf(context);
  const { entries, isRunning } = await withAudit(context, async (audit) => ({
    entries: await read(audit, asked),
    isRunning: audit.isRunning,
  }));
  if (options['json'] === true) print(JSON.stringify(entries, undefined, 2));
  else for (const line of lines(entries, isRunning)) print(line);
  return exitCodes.ok;
};

function lines(entries: readonly AuditEntry[], isRunning: boolean): readonly string[] {
  const rows = entries.length === 0 ? ['Nothing is recorded that was asked for.'] : entries.map(describe);
  return isRunning ? rows : ['No gateway runs: this is by its database.', ...rows];
}

function questionOf({ options: { since, user, tool, limit } }: CliContext): AuditFilter {
  const text = (given: unknown): string | undefined => (given === undefined ? undefined : String(given));
  const time = since === undefined ? {} : { sinceMs: sinceMs(String(since), Date.now()) };
  return { ...time, user: text(user), tool: text(tool), limit: limitOf(limit) };
}

/** The newest so many, oldest first. */
async function read(audit: AuditSource, { limit, ...filter }: AuditFilter): Promise<readonly AuditEntry[]> {
  const found: AuditEntry[] = [];
  let before: number | undefined;
  do {
    const page = await audit.read({ ...filter, before, limit: Math.min(mostOfPage, limit - found.length) });
    found.push(...page.entries);
    before = page.next;
  } while (before !== undefined && found.length < limit);
  return found.reverse();
}

function limitOf(given: unknown): number {
  if (given === undefined) return 100;
  if (/^[1-9]\d{0,6}$/.test(String(given))) return Number(given);
  throw new UsageError(`"${String(given)}" is no count of rows. Write --limit 500.`);
}

/** A line each: when, who, what happened, with what. */
function describe({ at, event, account, person, tool, facts }: AuditEntry): string {
  const who = account === '' ? person : `${accountName(account)}:${person}`;
  const said = [tool, String(facts['arguments'] ?? ''), ...detailsOf(event, facts)].filter((part) => part !== '');
  return `${localTime(at)}  ${printable(who)}  ${printable(event)}  ${said.map((part) => printable(cut(part))).join('  ')}`.trimEnd();
}

function detailsOf(event: string, facts: AuditEntry['facts']): string[] {
  const fact = (name: string): string => (facts[name] === undefined ? '' : String(facts[name]));
  const by = [fact('by'), fact('decider'), fact('choice')].filter((word) => word !== '').join(' ');
  switch (event) {
    case 'call.started':
      return [`[${by}]`];
    case 'call.refused':
    case 'call.invalid':
      return [`[${by}]`, fact('reason')];
    case 'call.finished':
      return [
        fact('status'),
        facts['exitCode'] === undefined ? '' : `exit code ${fact('exitCode')}`,
        facts['durationMs'] === undefined ? '' : `${fact('durationMs')} ms`,
      ];
    case 'ask.decided':
      return [fact('choice'), `${fact('about')} #${fact('number')} of ${fact('requester')}`];
    case 'command':
    case 'command.refused':
      return [`/${fact('command')}`, fact('reply')];
    case 'pairing.failed':
      return [fact('name'), `${fact('why')} code to ${fact('of')}`];
    case 'owner':
      return [fact('act'), fact('label')];
    default:
      return [fact('name'), fact('role'), `[${by}]`];
  }
}

function cut(text: string): string {
  return text.length <= shownUnits ? text : `${text.slice(0, shownUnits)}… (${text.length - shownUnits} more, see --json)`;
}
