/** A canary in every place that holds a secret, and where one is looked for: as it is, in the forms in which it travels, and what a cut leaves of it. */
import { FAKE_DISCORD_TOKEN } from '../fakes/discord.ts';
import { APP_TOKEN, BOT_TOKEN } from '../fakes/slack.ts';
import { FAKE_TOKEN } from '../fakes/telegram.ts';

export const slots = {
  telegram: FAKE_TOKEN,
  /** Telegram does not know it. */
  telegramWork: '7000000002:BADbadBADbadBADbadBADbadBADbadBADba',
  telegramWebhook: 'webhook-canary-5d1f0c77be',
  discord: FAKE_DISCORD_TOKEN,
  slackBot: BOT_TOKEN,
  slackApp: APP_TOKEN,
  slackSigning: 'signing-canary-8c44e0a1f2',
  model: 'mk-canary-of/the+model&key-71aa',
  header: 'header-canary-3b9d"quoted"-02',
  spare: 'spare-canary-of-another-tool-9e',
  database: 'database-canary-pass-55c0',
  cloud: 'cloud-canary/of+the/environment-6d',
} as const;

/** Of `.env`. */
export const envFile = `TELEGRAM_BOT_TOKEN=${slots.telegram}
DISCORD_BOT_TOKEN=${slots.discord}
SLACK_BOT_TOKEN=${slots.slackBot}
SLACK_APP_TOKEN=${slots.slackApp}
SLACK_SIGNING_SECRET=${slots.slackSigning}
OPENAI_API_KEY=${slots.model}
BRAVE_API_KEY_2=${slots.spare}
DATABASE_URL=postgres://hermes:${slots.database}@db.example:5432/hermes
`;

/** Of the environment of the daemon. */
export const environment = { AWS_SECRET_ACCESS_KEY: slots.cloud };

export const everySecret: readonly string[] = Object.values(slots);

/** So that neither a shell nor a regular expression of the model changes them. */
export const spoken = everySecret.join(' | ');

function formsOf(secret: string): readonly string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
    Buffer.from(secret).toString('hex'),
    secret.slice(0, 16),
  ];
}

/** Which secrets are in a text; what is around each, for whoever has to find the leak. */
export function leaksIn(text: string, more: readonly string[] = []): readonly string[] {
  return [...everySecret, ...more].flatMap((secret) => {
    const form = formsOf(secret).find((each) => text.includes(each));
    if (form === undefined) return [];
    const at = text.indexOf(form);
    return [`${secret.slice(0, 24)}: …${text.slice(Math.max(0, at - 200), at + 80)}…`];
  });
}
