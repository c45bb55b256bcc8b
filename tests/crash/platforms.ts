import type { StartCrashPlatform } from './platform.ts';
import { startTelegram } from './telegram.ts';

/** By the name that the command line knows them by. */
export const crashPlatforms: Readonly<Record<string, StartCrashPlatform>> = { telegram: startTelegram };
