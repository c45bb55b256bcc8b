import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { commands } from '../../../gateway/commands/table.ts';
import { type Gateway, startGateway, until } from '../support/gateway.ts';
import { command, message } from '../support/inbound.ts';
import { lastText, type ScriptedModel, scriptedModel } from '../support/model.ts';
import { expectValid, transcriptOf } from '../support/transcript.ts';
import { patient } from './support.ts';

/** Commands that say something to the model. */
const saying = ['background', 'queue', 'retry', 'steer'];

const args = fc.oneof(
  fc.constantFrom('', '1', '2', '0', '-1', 'all', 'stop', 'stop t1', 't1', 'bg_', 'default', 'none', 'off', 'high', 'steer', 'one', '#1'),
  fc.constantFrom('__proto__', 'constructor', '/etc/hosts', '/stop', '%s', "'; drop table sessions; --", '[x](y)', 'two words', '1e9'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.integer({ min: 100, max: 3000 }).map((length) => 'x'.repeat(length)),
);

const wordly = fc.record({ name: fc.constantFrom(...commands.map(({ name }) => name)), args, native: fc.boolean() });

interface Given {
  readonly name: string;
  readonly args: string;
  readonly native: boolean;
}

/** What the model must not see of a command. */
const canaryOf = (chat: string): string => `canary-${chat}.`;

function give(gateway: Gateway, chat: string, { name, args: words, native }: Given): void {
  const said = { chat, from: { id: chat } };
  const marked = `${words} ${canaryOf(chat)}`;
  gateway.receive([native ? command(name, marked, said) : message(`/${name} ${marked}`, said)]);
  gateway.receive([native ? command(name, words, said) : message(`/${name} ${words}`, said)]);
}

/** Answered, settled, and nothing that a person did not say to the model reached it. */
async function expectHandled(gateway: Gateway, model: ScriptedModel, { chat, given }: { readonly chat: string; readonly given: Given }) {
  await until(
    () => gateway.store.inbox.commands().length === 0 && gateway.store.outbox.count().pending === 0,
    () => `/${given.name} is not settled`,
  );
  expect(gateway.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  if (saying.includes(given.name)) return;
  expect(gateway.answers(chat).length).toBeGreaterThanOrEqual(2);
  const seen = model.requests.filter(({ messages }) => lastText(messages).includes(canaryOf(chat)));
  expect([given, seen.length]).toEqual([given, 0]);
}

describe('every command, whatever its arguments', () => {
  it('while nothing is at work is answered, settled, and never reaches the model unless that is its purpose', async () => {
    const model = scriptedModel(({ messages }) => `echo: ${lastText(messages)}`);
    const gateway = await startGateway({ model });
    let chats = 0;
    await fc.assert(
      fc.asyncProperty(wordly, fc.boolean(), async (given, talked) => {
        const chat = `idle-${++chats}`;
        if (talked) gateway.say(chat, 'one');
        await gateway.idle();
        give(gateway, chat, given);
        await expectHandled(gateway, model, { chat, given });
        await gateway.idle();
        expectValid(transcriptOf(gateway.store, chat));
      }),
      { numRuns: 150 },
    );
  });

  it('while a turn is at work is answered at once, settled, and never reaches the model unless that is its purpose', async () => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model });
    let chats = 0;
    await fc.assert(
      fc.asyncProperty(wordly, async (given) => {
        const chat = `busy-${++chats}`;
        const before = model.requests.length;
        gateway.say(chat, 'a long story');
        await vi.waitFor(() => expect(model.requests.length).toBeGreaterThan(before));
        give(gateway, chat, given);
        await expectHandled(gateway, model, { chat, given });
        gateway.say(chat, '/stop');
        gateway.say(chat, '/stop');
        await gateway.idle();
        expectValid(transcriptOf(gateway.store, chat));
      }),
      { numRuns: 60 },
    );
  });

  it.each(commands)('$name is one of those that reach the model only if it is listed so', async ({ name }) => {
    const model = scriptedModel(({ messages }) => `echo: ${lastText(messages)}`);
    const gateway = await startGateway({ model });
    gateway.say('ann', 'one');
    await gateway.idle();
    gateway.say('ann', `/${name} two`);
    await gateway.idle();
    expect(model.requests.length).toBe(saying.includes(name) ? 2 : 1);
  });
});
