/** As people write it. */
export function platformName(platform: string): string {
  if (platform === 'whatsapp') return 'WhatsApp';
  if (platform === 'web') return 'This page';
  return platform.charAt(0).toUpperCase() + platform.slice(1);
}

/** The name of an account is told only where it has one. */
export function accountTitle(platform: string, account: string): string {
  return account === 'main' ? platformName(platform) : `${platformName(platform)} (${account})`;
}
