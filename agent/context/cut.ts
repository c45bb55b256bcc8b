/** What a request leaves out of the transcript that it is made from. As long as it stays the same, requests only grow at their end. */
export interface RequestCut {
  /** Messages at the transcript's beginning. */
  readonly messages: number;
  /** Images are their notes, since one was refused. */
  readonly images?: true;
  /** Of a turn that is too big by itself: results are cut to this length. */
  readonly resultLength?: number;
  /** Of such a turn: messages after its first. */
  readonly steps?: number;
}
