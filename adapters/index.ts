/** The registry of platforms: a line for each. */
import { discordPlatform } from './discord/platform.ts';
import type { Platform } from './platform.ts';
import { slackPlatform } from './slack/platform.ts';
import { telegramPlatform } from './telegram/platform.ts';
import { webPlatform } from './web/platform.ts';
import { whatsappPlatform } from './whatsapp/platform.ts';

export const platforms: readonly Platform[] = [telegramPlatform, discordPlatform, slackPlatform, whatsappPlatform, webPlatform];

/** By name as well: the HTTP server takes its address from the page's configuration. */
export { webPlatform };
