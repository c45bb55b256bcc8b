import { describe, expect, it } from 'vitest';
import { whatsappPlatform } from '../../../adapters/whatsapp/platform.ts';

const { schema } = whatsappPlatform;

describe("WhatsApp's configuration", () => {
  it('is off until it is switched on by name', () => {
    expect(whatsappPlatform.enabled(schema.parse({}))).toBe(false);
    expect(whatsappPlatform.enabled(schema.parse({ allowed_users: '49151234567' }))).toBe(false);
    for (const enabled of [true, 'true', 'yes', '1']) expect(whatsappPlatform.enabled(schema.parse({ enabled }))).toBe(true);
    expect(whatsappPlatform.enabled(schema.parse({ enabled: 'false' }))).toBe(false);
  });

  it('takes people and groups as they are written, and nothing that is neither', () => {
    expect(schema.parse({ allowed_users: '+49 151 234-5678, 9001@lid', group_allowed_chats: ['120363001', '1@g.us'] })).toMatchObject({
      allowed_users: ['491512345678', '9001@lid'],
      group_allowed_chats: ['120363001@g.us', '1@g.us'],
    });
    const refused = schema.safeParse({ allowed_users: ['Ann'] });
    expect(refused.error?.issues[0]).toMatchObject({ path: ['allowed_users'], message: expect.stringContaining('"Ann" is neither') });
    expect(schema.safeParse({ jitter_ms: [5, 1] }).success).toBe(false);
    expect(schema.safeParse({ mode: 'selfchat' }).success).toBe(false);
  });

  it('imports no client before somebody has agreed to it', async () => {
    const { create } = await whatsappPlatform.load();
    expect(create).toBeTypeOf('function');
  });
});

describe("WhatsApp's parts", () => {
  it('fit a message with its prefix, code closed and opened again', () => {
    const parts = whatsappPlatform.split(`${'word '.repeat(1500)}\n\n\`\`\`js\n${'line of code\n'.repeat(500)}\`\`\``);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(4000);
    expect(parts.at(-1)).toMatch(/^```js\n/);
  });
});
