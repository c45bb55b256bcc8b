/** Finds the files that an answer delivers: lines `MEDIA:<path>`, outside code. Pure. */

export interface Deliverable {
  /** The answer without the media lines. */
  readonly text: string;
  readonly paths: readonly string[];
}

const mediaLine = /^\s*MEDIA:\s*(\S.*?)\s*$/;
const fence = /^\s*(`{3,}|~{3,})/;

export function findDeliverables(answer: string): Deliverable {
  if (!answer.includes('MEDIA:')) return { text: answer, paths: [] };
  const paths: string[] = [];
  const kept: string[] = [];
  let open: string | undefined;
  for (const line of answer.split('\n')) {
    const mark = fence.exec(line)?.[1];
    if (mark !== undefined) open = nextFence(open, mark);
    const found = open === undefined ? mediaLine.exec(line)?.[1] : undefined;
    if (found === undefined) kept.push(line);
    else paths.push(unquote(found));
  }
  return { text: kept.join('\n').trim(), paths };
}

function nextFence(open: string | undefined, mark: string): string | undefined {
  if (open === undefined) return mark;
  return mark.startsWith(open) ? undefined : open;
}

function unquote(path: string): string {
  const quoted = /^(["'`])(.*)\1$/.exec(path);
  return quoted?.[2] ?? path;
}
