import path from 'node:path';
import type { Risk, Touch } from '../../agent/risk.ts';
import type { SessionRef } from '../../agent/tool.ts';
import type { FileAccess, Located } from '../shared/file-access.ts';
import { absolutePath, isWithin, realPath } from '../shared/home-paths.ts';
import { runsWithGit, type SensitivePlaces, whyNotRead, whyNotWrite } from '../shared/sensitive-paths.ts';

/**
 * What the file tools may touch: everything that the user of this machine may read, but for secrets, our own state and what belongs to other conversations;
 * to write without asking, the session's workspace only.
 */
export interface FilePlaces {
  readonly home: string;
  readonly protectedPaths: readonly string[];
  readonly files: FileAccess;
}

/** Where a path given by the model leads: as named, and after following links. */
export interface Target extends Located {
  readonly named: string;
}

export async function locate(given: string, session: SessionRef, places: FilePlaces): Promise<Target> {
  const named = absolutePath(given, session.workspace, places.home);
  return { named, ...(await places.files.locate(named, session)) };
}

/** A sentence that says why the file is not read, ever, by anyone; nothing when it may be. */
export function readRefusal(target: Target, session: SessionRef, places: FilePlaces): string | undefined {
  const why = byEitherName(whyNotRead, target, readPlaces(target, session, places));
  return why === undefined ? undefined : `${target.named} is not read. ${why}`;
}

/** For the many files that a search finds below a target; paths without links. */
export function createReadJudge(target: Target, session: SessionRef, places: FilePlaces): (file: string) => boolean {
  const named = readPlaces(target, session, places);
  const real = realPlaces(named);
  return (file) => whyNotRead(file, named) === undefined && whyNotRead(file, real) === undefined;
}

function readPlaces(target: Target, { workspace, media = [] }: SessionRef, places: FilePlaces): Required<SensitivePlaces> {
  return { ...places, workspace, own: [...media, ...ownOf(target)] };
}

/** A sentence that says why `run` does not write the file, whoever has allowed it; nothing when a person might. */
export function writeRefusal(target: Target, session: SessionRef, places: FilePlaces): string | undefined {
  return writeDenial(target, session, places) ?? ledAway(target, session);
}

function writeDenial(target: Target, session: SessionRef, places: FilePlaces): string | undefined {
  const why = byEitherName(whyNotWrite, target, { ...places, workspace: session.workspace, own: ownOf(target) });
  return why === undefined ? undefined : `${target.named} is not written. ${why}`;
}

/** What was approved is the place that was named: it must not be another one because somebody changes a link meanwhile. */
function ledAway(target: Target, session: SessionRef): string | undefined {
  return !isOwn(target, session) && target.placed !== target.real
    ? `${target.named} is not written: a link leads to ${target.real}, which is outside of the workspace. Name that file itself.`
    : undefined;
}

function ownOf({ own }: Target): string[] {
  return own === undefined ? [] : [own];
}

/** In the workspace, or in what the session alone has beside it. */
function isOwn(target: Target, session: SessionRef): boolean {
  return [session.workspace, ...ownOf(target)].some((place) => isWithin(target.real, realPath(place)));
}

type Judge = (file: string, places: SensitivePlaces) => string | undefined;

function byEitherName(judge: Judge, target: Target, places: Required<SensitivePlaces>): string | undefined {
  return judge(target.named, places) ?? judge(target.real, realPlaces(places));
}

function realPlaces({ home, protectedPaths, workspace, own }: Required<SensitivePlaces>): Required<SensitivePlaces> {
  const real = (file: string): string => realPath(file);
  return { home: real(home), protectedPaths: protectedPaths.map(real), workspace: real(workspace), own: own.map(real) };
}

/** What others wrote stays marked as that, also in its pages. */
export function outsideOf({ real }: Target, { workspace, media = [] }: SessionRef): { readonly outside?: string } {
  if (media.some((directory) => isWithin(real, realPath(directory)))) return { outside: 'a file that was sent' };
  return isWithin(real, path.join(realPath(workspace), '.hermes', 'results')) ? { outside: 'a result that was kept' } : {};
}

export async function readRisk(given: string, session: SessionRef, places: FilePlaces): Promise<Risk> {
  const target = await locate(given, session, places);
  return riskOf(target, { kind: 'read', hardline: readRefusal(target, session, places) });
}

export async function searchRisk(given: string, session: SessionRef, places: FilePlaces): Promise<Risk> {
  const target = await locate(given, session, places);
  return riskOf(target, { kind: 'search', hardline: readRefusal(target, session, places) });
}

/** A place that is only reached by a link is none to ask about: `run` writes nothing then and says which file to name. */
export async function writeRisk(given: string, session: SessionRef, places: FilePlaces): Promise<Risk> {
  const target = await locate(given, session, places);
  const hardline = writeDenial(target, session, places);
  const isLedAway = ledAway(target, session) !== undefined;
  return riskOf(target, { kind: 'write', hardline, ask: isLedAway ? undefined : writeDoubt(target, session) });
}

/** Of several files at once: as risky as the riskiest, for the sake of those that are. */
export async function writeRisks(given: readonly string[], session: SessionRef, places: FilePlaces): Promise<Risk> {
  const risks = await Promise.all(given.map((each) => writeRisk(each, session, places)));
  const level = (['hardline', 'ask', 'safe'] as const).find((one) => risks.some((risk) => risk.level === one)) ?? 'safe';
  const decisive = risks.filter((risk) => risk.level === level);
  const doubtful = risks.flatMap((risk) => risk.doubtful ?? []);
  return {
    level,
    why: [...new Set(decisive.map(({ why }) => why))].join(' '),
    subjects: risks.flatMap(({ subjects }) => subjects),
    touches: risks.flatMap(({ touches = [] }) => touches),
    ...(doubtful.length > 0 ? { doubtful } : {}),
  };
}

interface Judged {
  readonly kind: Touch['kind'];
  readonly hardline: string | undefined;
  readonly ask?: string | undefined;
}

function riskOf({ named, real }: Target, { kind, hardline, ask }: Judged): Risk {
  const subjects = [real];
  const touched = { subjects, touches: [{ kind, name: real, also: [named] }] };
  if (hardline !== undefined) return { level: 'hardline', why: hardline, ...touched, doubtful: subjects };
  if (ask !== undefined) return { level: 'ask', why: ask, ...touched, doubtful: subjects };
  return { level: 'safe', why: '', ...touched };
}

function writeDoubt(target: Target, session: SessionRef): string | undefined {
  const { real } = target;
  if (!isOwn(target, session)) return `${real} lies outside of the workspace.`;
  return runsWithGit(real) ? `${real} runs or configures programs when git is used.` : undefined;
}
