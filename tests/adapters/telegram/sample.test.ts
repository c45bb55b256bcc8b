import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toTelegramHtml } from '../../../adapters/telegram/html.ts';
import { splitForTelegram } from '../../../adapters/telegram/platform.ts';
import { parseTelegramHtml } from '../../fakes/telegram-html.ts';

it('Telegram shows the common sample as it was committed', async () => {
  const sample = readFileSync(new URL('../sample.md', import.meta.url), 'utf8');
  const parts = splitForTelegram(sample).map(toTelegramHtml);
  await expect(`${parts.join('\n\n⸻\n\n')}\n`).toMatchFileSnapshot('snapshots/sample.html');
  // What people read of it, by a server that refuses what Telegram refuses.
  await expect(`${parts.map((part) => parseTelegramHtml(part).text).join('\n\n⸻\n\n')}\n`).toMatchFileSnapshot('snapshots/sample.txt');
});
