import { startDiscord } from './discord.ts';
import type { StartCrashPlatform } from './platform.ts';
import { startSlack } from './slack.ts';
import { startTelegram } from './telegram.ts';
import { startWhatsApp } from './whatsapp.ts';

/** By the name that the command line knows them by. */
export const crashPlatforms: Readonly<Record<string, StartCrashPlatform>> = {
  telegram: startTelegram,
  discord: startDiscord,
  slack: startSlack,
  whatsapp: startWhatsApp,
};
