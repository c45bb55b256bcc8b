/** Port: what runs beyond the turn that started it. Shaped like the one that the terminal declares. */
import type { Wake } from './wake.ts';

export interface Processes {
  /** Oldest first. */
  running(): readonly RunningProcess[];
  /** A person ends it. False: it does not run. */
  end(id: string): boolean;
  /** From now on sessions can be woken; those whose processes an earlier daemon took with it are. */
  begin(wake: Wake): void;
  /** Ends all. */
  close(): Promise<void>;
}

export interface RunningProcess {
  readonly id: string;
  readonly session: string;
  readonly command: string;
  readonly startedAtMs: number;
}

/** Port: where commands run. */
export interface TerminalPort {
  readonly processes: Processes;
  /** One sentence about what commands are kept from. */
  isolation(): string;
}

/** Of a daemon without a terminal. */
export const noProcesses: Processes = { running: () => [], end: () => false, begin: () => undefined, close: async () => undefined };

/** What belongs to somebody who is not let in any more. */
export function endProcessesOf(processes: Processes, session: string): void {
  for (const each of processes.running()) if (each.session === session) processes.end(each.id);
}
