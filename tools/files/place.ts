import type { Risk } from '../../agent/risk.ts';
import type { SessionRef } from '../../agent/tool.ts';
import { absolutePath, isWithin, realPath } from '../shared/home-paths.ts';
import { whyNotRead, whyNotWrite } from '../shared/sensitive-paths.ts';

/** What the file tools may touch. */
export interface FilePlaces {
  readonly home: string;
  readonly protectedPaths: readonly string[];
}

/** Where a path given by the model leads: as named, and after following links. */
export interface Target {
  readonly named: string;
  readonly real: string;
}

export function locate(given: string, session: SessionRef, places: FilePlaces): Target {
  const named = absolutePath(given, session.workspace, places.home);
  return { named, real: realPath(named) };
}

/** A sentence that says why the file is not read, ever; nothing when it may be. */
export function readRefusal(target: Target, session: SessionRef, places: FilePlaces): string | undefined {
  const sensitive = { ...realPlaces(places), workspace: realPath(session.workspace) };
  const why = whyNotRead(target.named, { ...places, workspace: session.workspace }) ?? whyNotRead(target.real, sensitive);
  return why === undefined ? undefined : `${target.named} is not read. ${why}`;
}

/** A sentence that says why the file is not written, ever; nothing when a person might allow it. */
export function writeRefusal(target: Target, session: SessionRef, places: FilePlaces): string | undefined {
  const sensitive = { ...realPlaces(places), workspace: realPath(session.workspace) };
  const why = whyNotWrite(target.named, { ...places, workspace: session.workspace }) ?? whyNotWrite(target.real, sensitive);
  if (why !== undefined) return `${target.named} is not written. ${why}`;
  // What was judged by its name must not end elsewhere because somebody changed a link meanwhile.
  const leadsOut = isWithin(target.named, session.workspace) && !isWithin(target.real, sensitive.workspace);
  return leadsOut
    ? `${target.named} is not written: a link leads it out of the workspace. Name the file itself (${target.real}).`
    : undefined;
}

function realPlaces(places: FilePlaces): FilePlaces {
  return { home: realPath(places.home), protectedPaths: places.protectedPaths.map((place) => realPath(place)) };
}

export function readRisk(given: string, session: SessionRef, places: FilePlaces): Risk {
  const target = locate(given, session, places);
  const why = readRefusal(target, session, places);
  return why === undefined ? { level: 'safe', why: '', subjects: [target.real] } : { level: 'ask', why, subjects: [target.real] };
}

const HOOKS = /(?:^|\/)\.git\/(?:hooks\/|config$|info\/attributes$)/u;

export function writeRisk(given: string, session: SessionRef, places: FilePlaces): Risk {
  const target = locate(given, session, places);
  const why = writeRefusal(target, session, places) ?? writeDoubt(target, session);
  return why === undefined ? { level: 'safe', why: '', subjects: [target.real] } : { level: 'ask', why, subjects: [target.real] };
}

function writeDoubt(target: Target, session: SessionRef): string | undefined {
  if (!isWithin(target.real, realPath(session.workspace))) return `${target.real} lies outside of the workspace.`;
  return HOOKS.test(target.real) ? `${target.real} runs or configures programs when git is used.` : undefined;
}
