export interface Risk {
  /** `hardline`: never, by anyone, in any mode. `ask`: a person must approve. */
  readonly level: 'safe' | 'ask' | 'hardline';
  /** One human sentence: what is risky about it. Empty when safe. */
  readonly why: string;
  /** The parsed simple commands, resolved paths or hosts that the call touches. */
  readonly subjects: readonly string[];
  /** Those of the subjects for whose sake a person is asked; once refused they stay refused for the rest of the turn. Absent: all. */
  readonly doubtful?: readonly string[];
  /** What an approval "always" would remember; absent when it must be asked about each time (interpreters, shells, wrappers). */
  readonly memory?: RiskMemory;
  /** What else decides what the same arguments do (where a shell stands, what it was given before): approvals hold for the same only. Absent: nothing. */
  readonly situation?: string;
  /** What permission rules are matched with. Absent: the subjects, as plain text. */
  readonly touches?: readonly Touch[];
}

/** One thing that a call does. */
export interface Touch {
  /** `search`: with everything below it. */
  readonly kind: 'command' | 'read' | 'write' | 'search' | 'text';
  /** The simple command in its words, or the absolute path with links followed. Holds `UNKNOWN` where it only shows when the call runs. */
  readonly name: string;
  /** Other names of the same: one is enough to be forbidden or asked about, and none is enough to be allowed. */
  readonly also?: readonly string[];
  /** Said by another touch already: it may be forbidden, and need not be allowed. */
  readonly implied?: true;
}

/** Stands in a touch for any text at all. No name has it by itself that is not asked about. */
export const UNKNOWN = '\ue000';

export interface RiskMemory {
  /** The same only for the same program (by content), arguments, workspace and environment changes. */
  readonly key: string;
  /** Shown to the person: what exactly would be remembered. */
  readonly label: string;
}
