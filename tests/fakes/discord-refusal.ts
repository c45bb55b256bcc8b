/** An error answer of Discord's API. https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
export class DiscordRefusal extends Error {
  override readonly name = 'DiscordRefusal';
  readonly status: number;
  readonly code: number;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(status: number, code: number, message: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.extra = extra;
  }
}

export const refuse = {
  unauthorized: () => new DiscordRefusal(401, 0, '401: Unauthorized'),
  notFound: () => new DiscordRefusal(404, 0, '404: Not Found'),
  unknownChannel: () => new DiscordRefusal(404, 10_003, 'Unknown Channel'),
  unknownMember: () => new DiscordRefusal(404, 10_007, 'Unknown Member'),
  unknownMessage: () => new DiscordRefusal(404, 10_008, 'Unknown Message'),
  unknownEmoji: () => new DiscordRefusal(400, 10_014, 'Unknown Emoji'),
  unknownInteraction: () => new DiscordRefusal(404, 10_062, 'Unknown interaction'),
  tooLarge: () => new DiscordRefusal(413, 40_005, 'Request entity too large'),
  answered: () => new DiscordRefusal(400, 40_060, 'Interaction has already been acknowledged.'),
  missingAccess: () => new DiscordRefusal(403, 50_001, 'Missing Access'),
  notOurs: () => new DiscordRefusal(403, 50_005, 'Cannot edit a message authored by another user'),
  empty: () => new DiscordRefusal(400, 50_006, 'Cannot send an empty message'),
  cannotWriteToUser: () => new DiscordRefusal(403, 50_007, 'Cannot send messages to this user'),
  noText: () => new DiscordRefusal(400, 50_008, 'Cannot send messages in a non-text channel'),
  missingPermissions: () => new DiscordRefusal(403, 50_013, 'Missing Permissions'),
  wrongChannelType: () => new DiscordRefusal(400, 50_024, 'Cannot execute action on this channel type'),
  invalidToken: () => new DiscordRefusal(401, 50_027, 'Invalid Webhook Token'),
  noVoice: () => new DiscordRefusal(403, 50_173, 'You cannot send voice messages in this channel'),
  threadExists: () => new DiscordRefusal(400, 160_004, 'A thread has already been created for this message'),
  form: (field: string, code: string, message: string) =>
    new DiscordRefusal(400, 50_035, 'Invalid Form Body', { errors: { [field]: { _errors: [{ code, message }] } } }),
} as const;
