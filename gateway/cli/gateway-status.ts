import type { AccountStatus, Status } from '../status.ts';
import { askDaemon } from './ask-daemon.ts';
import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async ({ deps, options, print }) => {
  // The daemon of this home has just answered over a socket that only its owner can reach; a newer one may add keys.
  const status = (await askDaemon(deps, { method: 'GET', route: '/api/status' })) as Status;
  if (options['json'] === true) print(JSON.stringify(status, undefined, 2));
  else for (const line of describe(status, Date.now())) print(line);
  return exitCodes.ok;
};

/** The status for a person, a line each. */
function describe(status: Status, nowMs: number): string[] {
  const { work, model } = status;
  return [
    `Hermes gateway ${status.version}, process ${status.pid}, up ${duration(nowMs - status.startedAtMs)}`,
    `Home      ${status.home}`,
    `Database  ${status.database}`,
    `Model     ${model.name}${model.demo ? ' (the offline demo; set a key and a model for a real one)' : ''}`,
    ...status.accounts.map((account, index) => `${index === 0 ? 'Accounts' : ''}`.padEnd(10) + accountLine(account, nowMs)),
    `Work      ${work.turnsRunning} running, ${work.inboxPending} waiting, ${work.outboxPending} to send${unknown(work.outboxUnknown)}`,
    ...status.notes.map((note, index) => `${index === 0 ? 'Notes' : ''}`.padEnd(10) + note),
  ];
}

function accountLine(account: AccountStatus, nowMs: number): string {
  const name = account.account === 'main' ? account.platform : `${account.platform}:${account.account}`;
  const facts: string[] = [account.state];
  if (account.detail !== undefined) facts.push(account.detail);
  if (account.aliveAtMs !== undefined) facts.push(`alive ${duration(nowMs - account.aliveAtMs)} ago`);
  if (account.restarts > 0) facts.push(account.restarts === 1 ? '1 restart' : `${account.restarts} restarts`);
  return `${name}: ${facts.join(', ')}`;
}

function unknown(count: number): string {
  return count === 0 ? '' : `, ${count} with an unknown outcome`;
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
