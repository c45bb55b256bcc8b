import { afterEach, beforeEach, expect, test } from 'vitest';
import { hermes, temporaryHome } from './hermes.ts';

let place: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  place = temporaryHome();
});
afterEach(() => {
  place.remove();
});

const manifest = (...options: string[]) => hermes(['slack', 'manifest', ...options], { home: place.home });

test('hermes slack manifest prints what the setup page of Slack takes, and nothing else', async () => {
  const { code, out, err } = await manifest('--name', 'Otto', '--assistant');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({
    display_information: { name: 'Otto' },
    features: { assistant_view: {} },
    settings: { socket_mode_enabled: true },
  });
});

test('hermes slack manifest says what is wrong with an address that Slack would not call', async () => {
  const { code, out, err } = await manifest('--url', 'http://bot.example.org');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toBe('hermes: The address is one with https, as "https://bot.example.org/slack/events".\n');
});
