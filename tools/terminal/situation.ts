import { createHash } from 'node:crypto';
import type { Risk } from '../../agent/risk.ts';
import type { SessionRef } from '../../agent/tool.ts';
import type { Backend } from '../shared/backend/backend.ts';
import { absolutePath } from '../shared/home-paths.ts';
import type { ShellReader, ShellSituation } from '../shared/shell/judge.ts';
import { decidesPrograms } from '../shared/shell/rules/generic.ts';
import { givenVariables, type ShellState, type ShellStates } from './shell-state.ts';

/** Where and with what a command would run: what is judged, and what it is then run in, whatever happens between the two. */
export interface Situation extends ShellSituation {
  readonly state: ShellState;
  /** The directory that the session stood in is gone; this is the workspace. */
  readonly isLost: boolean;
  readonly announced: ReadonlySet<string>;
}

export interface SituationParts {
  readonly states: ShellStates;
  readonly backend: Backend;
  readonly shell: ShellReader;
}

interface Wanted {
  readonly command: string;
  readonly workdir?: string | undefined;
}

export async function situate({ states, backend, shell }: SituationParts, wanted: Wanted, session: SessionRef): Promise<Situation> {
  const { workspace } = session;
  const state = states.read(session);
  const stands = state.directory ?? workspace;
  const isLost = stands !== workspace && !(await backend.files.isDirectory(stands, session));
  const here = isLost ? workspace : stands;
  const directory = wanted.workdir === undefined ? here : absolutePath(wanted.workdir, workspace);
  const situation = { directory, workspace, own: session.media ?? [], variables: givenVariables(state) };
  return { ...situation, state, isLost, announced: await shell.announced(wanted.command, situation) };
}

/** What was given to the shell before is part of what is approved, and shown where it decides which programs run. */
export function inSituation(risk: Risk, { directory, workspace, variables }: ShellSituation): Risk {
  const given = Object.entries(variables).sort();
  if (directory === workspace && given.length === 0) return risk;
  const situation = createHash('sha256')
    .update(JSON.stringify([directory, given]))
    .digest('hex');
  const deciding = given.filter(([name, value]) => decidesPrograms(name, value)).map(([name]) => name);
  const why = risk.level === 'ask' && deciding.length > 0 ? `${risk.why} The shell was given ${deciding.join(', ')} before.` : risk.why;
  return { ...risk, why, situation };
}
