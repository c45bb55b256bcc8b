/** What a request leaves out of the transcript that it is made from. As long as it stays the same, requests only grow at their end. */
export interface RequestCut {
  /** Messages at the transcript's beginning. */
  readonly messages: number;
  /** The provider takes no more tokens than these, whatever the model's window is said to be. */
  readonly windowTokens?: number;
  /** Images are their notes, because one was refused. */
  readonly images?: true;
  /** So many of the first images are their notes, because there are newer ones. */
  readonly earlyImages?: number;
  /** Of a turn that is too big by itself: results are cut to this length. */
  readonly resultLength?: number;
  /** Of such a turn: messages after its first. */
  readonly steps?: number;
}

export const nothingCut: RequestCut = { messages: 0 };

export function isSameCut(one: RequestCut, other: RequestCut): boolean {
  const fields = (cut: RequestCut) => [cut.messages, cut.windowTokens, cut.images, cut.earlyImages, cut.resultLength, cut.steps];
  return JSON.stringify(fields(one)) === JSON.stringify(fields(other));
}
