import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeOldPlaces } from '../../../tools/terminal/old-places.ts';

it('what no session has used for a month is removed, and records of processes stay', async () => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'places-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const old = new Date(Date.now() - 31 * 86_400_000);
  for (const name of ['unused', 'used', 'busy', 'processes']) mkdirSync(path.join(root, name, 'tmp'), { recursive: true });
  for (const place of ['unused/tmp', 'unused', 'used/tmp', 'busy', 'processes/tmp', 'processes'])
    utimesSync(path.join(root, place), old, old);
  await removeOldPlaces(root, Date.now());
  expect(readdirSync(root).sort()).toEqual(['busy', 'processes', 'used']);
  await removeOldPlaces(path.join(root, 'nowhere'), Date.now());
});
