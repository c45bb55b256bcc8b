/** Finds the files that an answer delivers: lines `MEDIA:<path>`, outside code. Pure. */

export interface Deliverable {
  /** The answer without the media lines. */
  readonly text: string;
  readonly paths: readonly string[];
}

const mediaLine = /^\s*MEDIA:([\s\S]*)$/;
/** The marks and what follows them; backticks behind backticks are code within a line. */
const fence = /^\s*(?:(`{3,})([^`]*)|(~{3,})(.*))$/;

export function findDeliverables(answer: string): Deliverable {
  const paths: string[] = [];
  const kept: string[] = [];
  let open: string | undefined;
  for (const line of answer.split('\n')) {
    open = fenceAfter(open, line);
    const found = open === undefined ? mediaLine.exec(line)?.[1]?.trim() : undefined;
    if (found === undefined || found === '') kept.push(line);
    else paths.push(unquote(found));
  }
  return paths.length === 0 ? { text: answer, paths } : { text: kept.join('\n').trim(), paths };
}

/** The fence that is open behind this line. It is closed by one of its kind, as long or longer, with nothing behind it. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const marks = fence.exec(line);
  if (marks === null) return open;
  const mark = marks[1] ?? marks[3] ?? '';
  if (open === undefined) return mark;
  const rest = marks[2] ?? marks[4] ?? '';
  return mark.startsWith(open) && rest.trim() === '' ? undefined : open;
}

function unquote(path: string): string {
  const quoted = /^(["'`])(.*)\1$/.exec(path);
  return quoted?.[2] ?? path;
}
