import { createHash } from 'node:crypto';
import path from 'node:path';
import type { ToolCall } from '../agent/message.ts';
import type { ResultFiles } from '../agent/results.ts';
import type { SessionRow } from './store/sessions.ts';

/** Port: writes a whole file beneath directories that whoever has a shell there may have made links of; makes what is missing. */
export type WriteFile = (file: string, content: string) => Promise<void>;

/** In the session's own working directory, where its tools can read; hidden, so that listings and searches do not meet it. */
export function resultFilesOf(write: WriteFile, { workspace }: Pick<SessionRow, 'workspace'>): ResultFiles {
  return {
    keep: async (call, content) => {
      const file = path.join(workspace, '.hermes', 'results', `${nameOf(call)}.txt`);
      await write(file, content);
      return file;
    },
  };
}

/** The id is the model's own, of any form; the same call always has the same file. */
function nameOf({ id, name }: ToolCall): string {
  const tool = name.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 40);
  return `${tool}-${createHash('sha256').update(id).digest('hex').slice(0, 12)}`;
}
