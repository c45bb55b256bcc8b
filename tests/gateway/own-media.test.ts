import { readdirSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Attachment } from '../../adapters/adapter.ts';
import { defineTool } from '../../agent/tool.ts';
import { createTools, toolSections } from '../../tools/index.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { startGateway } from './support/gateway.ts';
import { temporaryHome } from './support/home.ts';
import { lastResults, lastText, scriptedModel } from './support/model.ts';

const note: Attachment = { kind: 'file', handle: 'x', name: 'note.txt' };

/** The model does what it is told: "read <path>" is a call of read_file. */
async function gatewayWithFiles() {
  const home = temporaryHome();
  const tools = createTools({
    terminal: toolSections.terminal.schema.parse({ isolation: 'none' }),
    environment: { PATH: process.env['PATH'] },
    home: path.dirname(home),
    protectedPaths: [],
    privatePaths: ['media', 'workspaces'].map((name) => path.join(home, name)),
    marker: 'own-media',
  });
  const model = scriptedModel(({ messages }) => {
    const [result] = lastResults(messages);
    const wanted = /^read (.+)$/u.exec(lastText(messages))?.[1];
    if (result !== undefined) return result;
    return wanted === undefined ? 'ok' : { call: 'read_file', args: { path: wanted } };
  });
  const platform = createFakePlatform({ files: { x: () => Readable.from(['CANARY']) } });
  return { home, gateway: await startGateway({ home, model, platform, tools }) };
}

it('a file can be read in the session that it was sent to, at once and later, and in no other', async () => {
  const { home, gateway } = await gatewayWithFiles();
  gateway.say('ann', 'look', { attachments: [note] });
  await gateway.idle();
  const [name = ''] = readdirSync(path.join(home, 'media', '1'));
  const file = path.join(home, 'media', '1', name);
  gateway.say('ann', 'something else');
  await gateway.idle();
  gateway.say('ann', `read ${file}`);
  gateway.say('bob', `read ${file}`);
  await gateway.idle();
  expect(gateway.answers('ann').at(-1)).toMatch(/^ok: \[outside [^\n]*a file that was sent[^\n]*\n1\|CANARY/u);
  expect(gateway.answers('bob')).toEqual([expect.stringMatching(/^refused: /u)]);
  expect(gateway.answers('bob').join()).not.toMatch(/CANARY/u);
});

it('tools are told of the directory of their own turn before anything is in it', async () => {
  const seen: (readonly string[] | undefined)[] = [];
  const look = defineTool({
    name: 'look',
    toolset: 'file',
    description: 'looks',
    args: z.object({}),
    effect: 'read',
    preview: () => '',
    run: async (_, { session }) => {
      seen.push(session.media?.map((place) => path.basename(place)));
      return { content: '' };
    },
  });
  const model = scriptedModel(({ messages }) => (lastResults(messages).length > 0 ? 'ok' : { call: 'look' }));
  const gateway = await startGateway({ model, tools: [look], platform: createFakePlatform({ files: { x: () => Readable.from(['a']) } }) });
  for (const attachments of [[], [note], []]) {
    gateway.say('ann', 'go', { attachments });
    await gateway.idle();
  }
  expect(seen).toEqual([['1'], ['2'], ['3', '2']]);
});
