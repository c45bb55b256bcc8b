/** Where our tokens, and what was said, may go. */

/** Slack itself over https, or the server that the configuration names in its place. */
export function isSlackAddress(address: string, root: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, origin } = new URL(address);
  if (origin === new URL(root).origin) return true;
  return protocol === 'https:' && (hostname === 'slack.com' || hostname.endsWith('.slack.com') || hostname === 'slack-files.com');
}
