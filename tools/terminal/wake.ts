/** Ports by which sessions hear of processes that outlive a turn, and people see them. */

/** Starts a turn that nobody wrote to. Implemented by the gateway. */
export interface Wake {
  /** Names whoever is at work in the session at this moment; handed back when they are woken for what they start now. Undefined: nobody is. */
  origin(session: string): string | undefined;
  /** On disk when it returns; the turn comes when the session has nothing else to do. The same key wakes once, however often it is said. May throw: try later. */
  wake(session: string, note: WakeNote, by: WakeCause): void;
  /** The session has heard of it otherwise. Nothing happens where it is too late. */
  withdraw(session: string, key: string): void;
}

export interface WakeNote {
  /** What happened, in our own words. */
  readonly text: string;
  /** What a program printed: material that others may have written. */
  readonly output?: string;
}

export interface WakeCause {
  readonly key: string;
  readonly origin: string | undefined;
}

export interface RunningProcess {
  readonly id: string;
  readonly session: string;
  readonly command: string;
  readonly startedAtMs: number;
}

/** For `/agents`, `/stop` and the daemon's own end. */
export interface ProcessList {
  /** Those that run, oldest first. */
  running(): readonly RunningProcess[];
  /** A person ends it. False: it does not run. */
  end(id: string): boolean;
  /** From now on sessions can be woken. Tells them what an earlier daemon has left. */
  begin(wake: Wake): void;
  /** Ends all; sessions are told at the next start. */
  close(): Promise<void>;
}
