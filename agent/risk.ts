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
}

export interface RiskMemory {
  /** The same only for the same program (by content), arguments, workspace and environment changes. */
  readonly key: string;
  /** Shown to the person: what exactly would be remembered. */
  readonly label: string;
}
