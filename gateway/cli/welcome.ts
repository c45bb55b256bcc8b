export interface WelcomeFacts {
  readonly version: string;
  readonly home: string;
  /** One-time link to the browser page; undefined when the page is off. */
  readonly link: string | undefined;
  /** With which the owner shows on a chat platform who they are; undefined once there is an owner, and where no such platform is on. */
  readonly claimCode: string | undefined;
  readonly demo: boolean;
  /** What people call the platforms that are on. */
  readonly platforms: readonly string[];
}

/** What a person reads in the terminal when the daemon is up: where to chat, and what the demo is. */
export function welcome({ version, home, link, claimCode, demo, platforms }: WelcomeFacts): string {
  const lines = [`Hermes Gateway ${version} is running (home: ${home}; on: ${platforms.join(', ') || 'nothing yet'}).`];
  if (link !== undefined)
    lines.push('', 'Chat in your browser (this link signs in once; "npx hermes gateway link" prints another):', `  ${link}`);
  if (claimCode !== undefined) lines.push('', `To be its owner in a chat, too, write this code to the bot in a direct chat: ${claimCode}`);
  if (demo) lines.push('', ...demoLines(home));
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

/** The same after too many failed starts. */
export function safeWelcome(notes: readonly string[], link: string | undefined): string {
  const lines = [...notes, ...(link === undefined ? [] : [`The page, without chats (this link signs in once): ${link}`])];
  return `\n${lines.map((line) => `  ${line}`).join('\n')}\n\n`;
}

function demoLines(home: string): readonly string[] {
  return [
    'No model is configured, so the built-in offline demo answers. It understands a few plain commands: try "run ls -la".',
    `For a real model put OPENAI_API_KEY=... into ${home}/.env (OPENAI_BASE_URL for another provider); it holds from the next message.`,
  ];
}
