import { UsageError } from './usage-error.ts';

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** "30m", "24h", "7d", "2w" before now; a day (its beginning, local time) or a point in time. ms since the epoch. Throws UsageError. */
export function sinceMs(text: string, nowMs: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined) return Math.max(0, nowMs - Number(count) * (unitsMs[unit] ?? 0));
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00`) : /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  if (at >= 0) return at;
  throw new UsageError(
    `"${text}" is no time. Write how long ago (30m, 24h, 7d, 2w), a day (2026-07-28) or a point in time (2026-07-28T14:00).`,
  );
}
