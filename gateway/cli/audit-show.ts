import type { AuditEntry, AuditPage } from '../store/audit.ts';
import { accountName } from '../target.ts';
import { askDaemon } from './ask-daemon.ts';
import { localTime, printable } from './printable.ts';
import { sinceMs } from './since.ts';
import { UsageError } from './usage-error.ts';
import { type Act, type CliContext, exitCodes } from './verbs.ts';

const mostOfPage = 1000;
/** What is longer is cut in lines for people; the JSON has all of it. */
const shownUnits = 500;

export const act: Act = async (context) => {
  const { options, print } = context;
  const entries = await read(context, limitOf(options['limit']));
  if (options['json'] === true) print(JSON.stringify(entries, undefined, 2));
  else for (const line of entries.length === 0 ? ['Nothing is recorded that was asked for.'] : entries.map(describe)) print(line);
  return exitCodes.ok;
};

/** The newest so many, oldest first. */
async function read({ deps, options }: CliContext, limit: number): Promise<readonly AuditEntry[]> {
  const { since, user, tool } = options;
  const filter = { ...(since === undefined ? {} : { sinceMs: sinceMs(String(since), Date.now()) }), user, tool };
  const found: AuditEntry[] = [];
  let before: number | undefined;
  do {
    const body = { ...filter, before, limit: Math.min(mostOfPage, limit - found.length) };
    // The daemon of this home answers over a socket that only its owner can reach.
    const page = (await askDaemon(deps, { method: 'POST', route: '/api/audit', body })) as AuditPage;
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
  const who = `${accountName(account)}:${person}`;
  const said = [tool, String(facts['arguments'] ?? ''), ...detailsOf(event, facts)].filter((part) => part !== '');
  return `${localTime(at)}  ${printable(who)}  ${event}  ${said.map((part) => printable(cut(part))).join('  ')}`.trimEnd();
}

function detailsOf(event: string, facts: AuditEntry['facts']): string[] {
  const fact = (name: string): string => (facts[name] === undefined ? '' : String(facts[name]));
  const by = [fact('by'), fact('decider'), fact('choice')].filter((word) => word !== '').join(' ');
  switch (event) {
    case 'call.started':
      return [`[${by}]`];
    case 'call.refused':
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
      return [`/${fact('command')}`, fact('reply')];
    default:
      return [fact('name'), fact('role'), `[${by}]`];
  }
}

function cut(text: string): string {
  return text.length <= shownUnits ? text : `${text.slice(0, shownUnits)}… (${text.length - shownUnits} more, see --json)`;
}
