import type { PeopleList } from '../status.ts';
import { accountName } from '../target.ts';
import { askDaemon } from './ask-daemon.ts';
import { localTime, printable } from './printable.ts';
import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async ({ deps, options, print }) => {
  // The daemon of this home has just answered over a socket that only its owner can reach; a newer one may add keys.
  const list = (await askDaemon(deps, { method: 'GET', route: '/api/people' })) as PeopleList;
  if (options['json'] === true) print(JSON.stringify(list, undefined, 2));
  else for (const line of describe(list)) print(line);
  return exitCodes.ok;
};

function describe({ people, requests, claimCode }: PeopleList): string[] {
  const known = people.map((each) => `  ${who(each)}  ${rolesOf(each)}, since ${localTime(each.approvedAtMs)}`);
  const waiting = requests.map((each) => `  ${who(each)}  until ${localTime(each.expiresAtMs)}`);
  return [
    ...(known.length === 0 ? ['Nobody was let in by pairing yet.'] : ['Let in:', ...known]),
    ...(waiting.length === 0 ? ['Nobody waits.'] : ['Waiting for your word:', ...waiting, approving]),
    ...(claimCode === undefined ? [] : [`There is no owner yet. Whoever writes this code to the bot in a direct chat is: ${claimCode}`]),
  ];
}

const approving = 'Let one in with: hermes pairing approve <platform> <the code that the person has>';

function who({ account, person, name }: { readonly account: string; readonly person: string; readonly name: string }): string {
  const id = `${accountName(account)}  ${printable(person)}`;
  return name === '' ? id : `${id}  (${printable(name)})`;
}

function rolesOf({ role, groupRole }: PeopleList['people'][number]): string {
  return role === groupRole ? role : `${role}, in groups ${groupRole}`;
}
