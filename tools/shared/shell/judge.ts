import type { Risk } from '../../../agent/risk.ts';
import { linksBelow, realPath } from '../home-paths.ts';
import { classifyCommand } from './classify.ts';
import { memoryOf } from './memory.ts';
import { loadShellParser, type ParseShell } from './tree.ts';

export type ShellJudge = (command: string, directory: string, workspace: string) => Promise<Risk>;

export interface ShellJudgeOptions {
  readonly home: string;
  readonly protectedPaths: readonly string[];
  /** The PATH that commands are run with. */
  readonly searchPath: string;
}

/** Loads the parser with the first command. Writing is free in the session's workspace only. */
export function createShellJudge({ home, protectedPaths, searchPath }: ShellJudgeOptions): ShellJudge {
  let parser: Promise<ParseShell> | undefined;
  return async (command, directory, workspace) => {
    parser ??= loadShellParser();
    const parse = await parser;
    const writable = [...new Set([workspace, realPath(workspace)])];
    const place = { home, protectedPaths, directory, workspace, writable, realPath, links: linksBelow };
    const risk = classifyCommand(command, place, parse);
    const memory = risk.level === 'ask' ? await memoryOf(command, { home, directory, workspace, searchPath }, parse) : undefined;
    return memory === undefined ? risk : { ...risk, memory };
  };
}
