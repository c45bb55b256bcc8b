/** As people write it. */
export function platformName(platform: string): string {
  if (platform === 'whatsapp') return 'WhatsApp';
  if (platform === 'web') return 'This page';
  return platform.charAt(0).toUpperCase() + platform.slice(1);
}
