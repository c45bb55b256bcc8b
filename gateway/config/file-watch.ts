import { type BigIntStats, statSync } from 'node:fs';

export interface FileWatch {
  /** Names the files' present version where they should be read: they changed, or may have changed unnoticed. Else undefined. */
  changed(at: number): string | undefined;
}

/** A time stamp of a file may be this coarse: until it is older, a second edit could leave it the same, and the files are read again. */
const settleMs = 2_000;
/** Editors empty or remove a file before they write it. One that had content is believed to have none after this time. */
const hollowMs = 1_000;

/** Synchronous and without timers. The first look always counts as a change: what was read before it may be older. */
export function createFileWatch(files: readonly string[]): FileWatch {
  let taken = look(files);
  let isSettled = false;
  let hollowSince: number | undefined;
  return {
    changed(at) {
      const seen = look(files);
      if (isSettled && seen.version === taken.version) return undefined;
      const isHollow = seen.sizes.some((size, index) => size === 0n && taken.sizes[index] !== 0n);
      hollowSince = isHollow ? (hollowSince ?? at) : undefined;
      if (hollowSince !== undefined && at - hollowSince < hollowMs) return undefined;
      taken = seen;
      isSettled = seen.changedAt.every((time) => Math.abs(at - time) >= settleMs);
      return seen.version;
    },
  };
}

interface Seen {
  readonly version: string;
  readonly sizes: readonly bigint[];
  readonly changedAt: readonly number[];
}

function look(files: readonly string[]): Seen {
  const stats = files.map(statOf);
  return {
    version: stats.map((stat) => (stat === undefined ? '-' : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' '))).join(', '),
    sizes: stats.map((stat) => stat?.size ?? 0n),
    changedAt: stats.flatMap((stat) => (stat === undefined ? [] : [Number(stat.ctimeMs)])),
  };
}

/** A file that cannot even be looked at is for its reader to explain. */
function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
