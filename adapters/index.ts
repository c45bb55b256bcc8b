/** The registry of platforms: one line for each. */
import type { Platform } from './adapter.ts';
import { webPlatform } from './web/platform.ts';

export const platforms: readonly Platform[] = [webPlatform];
