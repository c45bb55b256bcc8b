import type { Risk } from '../../../agent/risk.ts';
import { realPath } from '../home-paths.ts';
import { classifyCommand } from './classify.ts';
import { loadShellParser, type ParseShell } from './tree.ts';

export type ShellJudge = (command: string, directory: string, workspace: string) => Promise<Risk>;

/** Loads the parser with the first command. Writing is free in the session's workspace only. */
export function createShellJudge(places: { readonly home: string; readonly protectedPaths: readonly string[] }): ShellJudge {
  let parser: Promise<ParseShell> | undefined;
  return async (command, directory, workspace) => {
    parser ??= loadShellParser();
    const parse = await parser;
    const writable = [...new Set([workspace, realPath(workspace)])];
    return classifyCommand(command, { ...places, directory, workspace, writable, realPath }, parse);
  };
}
