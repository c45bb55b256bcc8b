/** Group commit: what is asked for in one turn of the event loop is committed in one transaction, because each commit waits for the disk. */

interface Waiting {
  readonly work: () => void;
  resolve(): void;
  reject(error: unknown): void;
}

export function createGroupCommit(durable: (work: () => void) => void): (work: () => void) => Promise<void> {
  let group: Waiting[] = [];
  const commit = (): void => {
    const members = group;
    group = [];
    if (!tryAll(durable, members)) for (const member of members) tryOne(durable, member);
  };
  return (work) =>
    new Promise((resolve, reject) => {
      if (group.length === 0) setImmediate(commit);
      group.push({ work, resolve, reject });
    });
}

/** False, with nothing done, when one of them throws or the disk refuses. */
function tryAll(durable: (work: () => void) => void, members: readonly Waiting[]): boolean {
  try {
    durable(() => {
      for (const { work } of members) work();
    });
  } catch {
    return false; // each is tried alone, and its own error reaches its own caller
  }
  for (const { resolve } of members) resolve();
  return true;
}

function tryOne(durable: (work: () => void) => void, { work, resolve, reject }: Waiting): void {
  try {
    durable(work);
    resolve();
  } catch (error) {
    reject(error);
  }
}
