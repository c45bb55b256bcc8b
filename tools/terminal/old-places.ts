import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

const KEEP_MS = 30 * 86_400_000;
const FIRST_LOOK_MS = 120_000;

/** Removes what sessions have left here that nobody has used for a month: their /tmp, and where their shells stood. Never rejects. */
export async function removeOldPlaces(directory: string, now: number): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const place = path.join(directory, name);
    const used = await Promise.all([place, path.join(place, 'tmp')].map((each) => stat(each).catch(() => undefined)));
    const isOld = used.every((facts) => facts === undefined || now - facts.mtimeMs > KEEP_MS);
    if (isOld && name !== PROCESSES) await rm(place, { recursive: true, force: true }).catch(() => undefined); // what cannot be removed stays
  }
}

/** Of `directory`, too, and looked after by themselves. */
export const PROCESSES = 'processes';

/** Not on the way to readiness, and holding nobody up. */
export function removeOldPlacesLater(directory: string, now: () => number): void {
  setTimeout(() => void removeOldPlaces(directory, now()), FIRST_LOOK_MS).unref();
}
