import type { Readable } from 'node:stream';

export interface ProcessSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** `open`: somebody will write to it. `terminal`: so, and the command has a terminal of 120 columns and 40 lines. Absent: nothing to read. */
  readonly input?: 'open' | 'terminal';
  /** The command has a descriptor 3; what it writes there reaches `reported`. Not with a terminal. */
  readonly reports?: boolean;
  /** Put before the command in place of the namespace that was found: a program that isolates it, pid namespace included. Without it nothing is started. */
  readonly isolation?: readonly string[];
}

export interface ProcessExit {
  /** As a shell tells it: 128 + n when ended by signal n. */
  readonly code: number;
}

export interface ProcessInput {
  write(text: string): void;
  /** Nothing more comes. */
  end(): void;
}

/** A process and its pipes, before anybody looks after what it starts. */
export interface Launched {
  readonly pid: number;
  readonly output: Readable;
  /** The output has been read to its end. This and `exited` are listened to from the first moment: a short command may end before anything else has been heard of it. */
  readonly closed: Promise<void>;
  readonly exited: Promise<number>;
  readonly input?: ProcessInput;
  /** What came over descriptor 3; undefined where there is none, or too much came. */
  reported?(): string | undefined;
  /** Gives up the pipes that somebody may still hold at the other end. */
  release(): void;
}
