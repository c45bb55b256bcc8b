/** What was read of a page or PDF. */
export interface Page {
  /** "" where it has none. */
  readonly title: string;
  /** Who wrote it and when, as far as it says so. */
  readonly byline: string;
  readonly markdown: string;
}
