import type { Risk } from '../../../agent/risk.ts';
import { linksBelow, realPath } from '../home-paths.ts';
import { classifyCommand } from './classify.ts';
import { memoryOf } from './memory.ts';
import { type Outline, outlineOf } from './outline.ts';
import { decidesPrograms } from './rules/generic.ts';
import { loadShellParser, type ParseShell } from './tree.ts';
import { readShell } from './walk.ts';

/** What a command could do, run in this directory of this session by a shell of its own. */
export type ShellJudge = (command: string, directory: string, workspace: string) => Promise<Risk>;

/** The state of a shell in which commands run one after another. */
export interface ShellSituation {
  readonly directory: string;
  readonly workspace: string;
  /** Directories beside the workspace that are the session's own (files that were sent to it). */
  readonly own?: readonly string[];
  /** What it was given before, beside the environment that every command has. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Port of whoever keeps such a shell. Never rejects for what a text says. */
export interface ShellReader {
  /** What is given to the shell counts as lasting: variables that decide which programs run are asked about. */
  judge(command: string, situation: ShellSituation): Promise<Risk>;
  /** Names of those variables, where the text says that it changes them: whoever let it run has let them change. */
  announced(command: string, situation: ShellSituation): Promise<ReadonlySet<string>>;
  outline(command: string): Promise<Outline>;
}

export interface ShellJudgeOptions {
  readonly home: string;
  readonly protectedPaths: readonly string[];
  /** The PATH that commands are run with. */
  readonly searchPath: string;
}

/** Writing is free in the session's workspace only. */
export function createShellJudge(options: ShellJudgeOptions): ShellJudge {
  const parser = createParser();
  return async (command, directory, workspace) => judgeIn(options, { command, directory, workspace }, await parser());
}

export function createShellReader(options: ShellJudgeOptions): ShellReader {
  const parser = createParser();
  return {
    judge: async (command, situation) => judgeIn(options, { command, ...situation }, await parser()),
    announced: async (command, { directory, variables }) => {
      const { assignments } = readShell(command, { directory, home: options.home, variables }, await parser());
      const lasting = assignments.filter(({ name, value, passing }) => passing !== true && decidesPrograms(name, value));
      return new Set(lasting.map(({ name }) => name));
    },
    outline: async (command) => outlineOf(command, await parser()),
  };
}

/** Loaded with the first command. */
function createParser(): () => Promise<ParseShell> {
  let parser: Promise<ParseShell> | undefined;
  return () => {
    parser ??= loadShellParser();
    return parser;
  };
}

interface Judged extends Omit<ShellSituation, 'variables'> {
  readonly command: string;
  readonly variables?: ShellSituation['variables'];
}

async function judgeIn({ home, protectedPaths, searchPath }: ShellJudgeOptions, judged: Judged, parse: ParseShell): Promise<Risk> {
  const { command, directory, workspace, own, variables } = judged;
  const writable = [...new Set([workspace, realPath(workspace)])];
  const given = variables === undefined ? {} : { variables };
  const place = {
    home,
    protectedPaths,
    directory,
    workspace,
    writable,
    realPath,
    links: linksBelow,
    ...(own === undefined ? {} : { own }),
    ...given,
  };
  const risk = classifyCommand(command, place, parse);
  const path = variables?.['PATH'] ?? searchPath;
  const memory =
    risk.level === 'ask' ? await memoryOf(command, { home, directory, workspace, searchPath: path, ...given }, parse) : undefined;
  return memory === undefined ? risk : { ...risk, memory };
}
