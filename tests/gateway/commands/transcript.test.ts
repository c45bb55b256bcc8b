import { describe, expect, it, vi } from 'vitest';
import { userText } from '../../../agent/message.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { message } from '../support/inbound.ts';
import { echo, lastText, never, scriptedModel } from '../support/model.ts';
import { expectValid, transcriptOf } from '../support/transcript.ts';
import { conversation, patient, reply, requested, sessionOf, startLong, talk } from './support.ts';

/** Answers with the number of its request. */
function counting() {
  let count = 0;
  return scriptedModel(() => `answer ${++count}`);
}

describe('/retry', () => {
  it('takes the last answer back and answers the last message once more', async () => {
    const model = counting();
    const gateway = await startGateway({ model });
    await talk(gateway, 'one', 'two');
    expect(await reply(gateway, '/retry')).toBe('🔁 Once more.');
    await gateway.idle();
    expect(gateway.answers('ann').at(-1)).toBe('answer 3');
    expect(requested(model)).toEqual(['one', 'answer 1', 'two']);
    expect(conversation(gateway)).toEqual(['one', 'answer 1', 'two', 'answer 3']);
  });

  it('works again and again', async () => {
    const model = counting();
    const gateway = await startGateway({ model });
    await talk(gateway, 'one');
    for (const _ of ['first', 'second']) {
      await reply(gateway, '/retry');
      await gateway.idle();
    }
    expect(conversation(gateway)).toEqual(['one', 'answer 3']);
    expect(requested(model)).toEqual(['one']);
  });

  it('keeps what was said into the turn', async () => {
    const model = counting();
    const gateway = await startGateway({ model });
    await talk(gateway, 'one');
    const { id } = sessionOf(gateway);
    gateway.store.transcript.append(id, 1, { ...userText('and two'), interjected: true });
    gateway.store.transcript.append(id, 1, { role: 'assistant', text: 'both', calls: [], finish: 'stop' });
    await reply(gateway, '/retry');
    await gateway.idle();
    expect(conversation(gateway)).toEqual(['one', 'and two', 'answer 2']);
  });

  it('answers a message whose turn failed', async () => {
    let failed = false;
    const model = scriptedModel(() => {
      if (failed) return 'better';
      failed = true;
      return new Error('broken');
    });
    const gateway = await startGateway({ model });
    await talk(gateway, 'one');
    await reply(gateway, '/retry');
    await gateway.idle();
    expect(conversation(gateway)).toEqual(['one', 'better']);
  });

  it('says so where nothing was said, and asks no model', async () => {
    const model = counting();
    const gateway = await startGateway({ model });
    expect(await reply(gateway, '/retry')).toBe('There is nothing to answer once more.');
    await gateway.idle();
    expect(model.requests).toHaveLength(0);
  });

  it('goes on with a conversation that a reset policy would close by now', async () => {
    const clock = { now: Date.now() };
    const model = counting();
    const reset = { mode: 'idle', at_hour: 4, idle_minutes: 60, notify: true } as const;
    const gateway = await startGateway({ model, now: () => clock.now, rules: { reset } });
    await talk(gateway, 'one');
    clock.now += 2 * 3_600_000;
    await reply(gateway, '/retry');
    await gateway.idle();
    expect(requested(model)).toEqual(['one']);
    expect(gateway.answers('ann').at(-1)).toBe('answer 2');
  });

  it('survives a kill: the answer comes once, from the same conversation', async () => {
    const hanging = scriptedModel((_, signal) => (hanging.requests.length > 1 ? never(signal) : 'bad'));
    const first = await startGateway({ model: hanging });
    await talk(first, 'one');
    await reply(first, '/retry');
    await vi.waitFor(() => expect(hanging.requests).toHaveLength(2));
    const model = counting();
    const gateway = await startGateway({ home: first.kill(), model });
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['answer 1']);
    expect(conversation(gateway)).toEqual(['one', 'answer 1']);
  });
});

describe('/undo', () => {
  it('takes back the last exchange, and says what does not come back with it', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    await talk(gateway, 'one', 'two');
    expect(await reply(gateway, '/undo')).toBe(
      '↩️ I took back the last exchange, from "two" on. What I did meanwhile outside of this conversation stays done.',
    );
    await talk(gateway, 'three');
    expect(requested(model)).toEqual(['one', 'echo: one', 'three']);
  });

  it.each([
    ['2', 'the last 2 exchanges, from "two" on', ['one', 'echo: one']],
    ['9', 'the last 3 exchanges, from "one" on', []],
  ])('%s takes back as many', async (count, said, left) => {
    const gateway = await startGateway();
    await talk(gateway, 'one', 'two', 'three');
    expect(await reply(gateway, `/undo ${count}`)).toContain(said);
    expect(conversation(gateway)).toEqual(left);
  });

  it.each(['0', '-1', '1.5', 'all', '1e99', '1e1', '0x1', '1 2'])('%s takes nothing back and asks for a number', async (count) => {
    const gateway = await startGateway();
    await talk(gateway, 'one');
    expect(await reply(gateway, `/undo ${count}`)).toContain('Write /undo and a number.');
    expect(conversation(gateway)).toEqual(['one', 'echo: one']);
  });

  it('takes back what was said into a turn together with the turn', async () => {
    const gateway = await startGateway();
    await talk(gateway, 'one', 'two');
    gateway.store.transcript.append(sessionOf(gateway).id, 2, { ...userText('aside'), interjected: true });
    await reply(gateway, '/undo');
    expect(conversation(gateway)).toEqual(['one', 'echo: one']);
  });

  it('says so where there is nothing left', async () => {
    const gateway = await startGateway();
    await talk(gateway, 'one');
    await reply(gateway, '/undo');
    expect(await reply(gateway, '/undo')).toBe('There is nothing to take back.');
  });

  it('brings back what was left out once nothing else remains', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    await fill(gateway, 4);
    await reply(gateway, '/compress');
    await reply(gateway, '/undo 2');
    await talk(gateway, 'next');
    expect(requested(model)).toHaveLength(5);
  });
});

/** 10,000 tokens an exchange. */
async function fill(gateway: Gateway, exchanges: number): Promise<void> {
  await reply(gateway, '/reasoning low'); // opens a conversation in which nothing was said
  const { id } = sessionOf(gateway);
  for (let index = 1; index <= exchanges; index += 1) {
    gateway.store.transcript.append(id, 0, userText(`question ${index}`));
    gateway.store.transcript.append(id, 0, { role: 'assistant', text: `${index}`.repeat(40_000), calls: [], finish: 'stop' });
  }
}

describe('/compress', () => {
  it('leaves the oldest exchanges out of requests, keeps what fits into a quarter of the window, and says so', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    await fill(gateway, 5);
    expect(await reply(gateway, '/compress')).toBe(
      '🗜️ I no longer read the oldest 3 exchanges (about 30,032 tokens). I keep the newest 2 (about 20,021 tokens).',
    );
    await talk(gateway, 'next');
    expect(requested(model).map((text) => text.slice(0, 10))).toEqual(['question 4', '4444444444', 'question 5', '5555555555', 'next']);
    expect(gateway.store.transcript.read(sessionOf(gateway).id)).toHaveLength(12);
  });

  it('keeps the last two exchanges however long they are', async () => {
    const gateway = await startGateway({ model: { ...scriptedModel(echo), windowTokens: 1000 } });
    await fill(gateway, 3);
    expect(await reply(gateway, '/compress')).toContain('the oldest 1 exchange (');
    expect(await reply(gateway, '/compress')).toContain('There is nothing to leave out: I read 2 exchanges');
  });

  it('leaves nothing out of a short conversation', async () => {
    const gateway = await startGateway();
    expect(await reply(gateway, '/compress')).toBe('There is nothing to leave out.');
    await talk(gateway, 'one');
    expect(await reply(gateway, '/compress')).toMatch(/^There is nothing to leave out: I read 1 exchange, about \d+ tokens\.$/);
    expect(sessionOf(gateway).settings).toEqual({});
  });
});

describe('/usage', () => {
  it('shows tokens, turns, messages and steps of the conversation and of its last turn', async () => {
    let step = 0;
    const model = scriptedModel(() => {
      step += 1;
      return [
        { type: 'text.delta', text: 'hi' },
        { type: 'usage', usage: { inputTokens: 1000 * step, outputTokens: 10 * step } },
        { type: 'done', finish: 'stop' },
      ];
    });
    const gateway = await startGateway({ model });
    expect(await reply(gateway, '/usage')).toBe('Nothing has been said in this conversation yet.');
    await talk(gateway, 'one', 'two');
    expect(await reply(gateway, '/usage')).toBe(
      ['This conversation: 3,000 tokens in, 30 out; 2 turns, 4 messages, 2 steps.', 'Its last turn: 2,000 tokens in, 20 out; 1 step.'].join(
        '\n',
      ),
    );
    await reply(gateway, '/new');
    await talk(gateway, 'three');
    expect(await reply(gateway, '/usage')).toContain('This conversation: 3,000 tokens in, 30 out; 1 turn, 2 messages, 1 step.');
  });
});

describe('a command that changes what was said', () => {
  it.each(['/retry', '/undo', '/compress', '/branch', '/resume 1'])('%s waits until the turn is done', async (text) => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model });
    await talk(gateway, 'one');
    await startLong(gateway, model);
    const before = sessionOf(gateway);
    const name = text.split(' ')[0];
    expect(await reply(gateway, text)).toBe(`${name} has to wait until I am done here. /stop ends what I am doing.`);
    expect(conversation(gateway)).toEqual(['one', 'echo: one', 'a long story']);
    expect(sessionOf(gateway)).toEqual(before);
    expect(model.requests).toHaveLength(2);
  });

  it('waits for what was said just before it, too', async () => {
    const model = scriptedModel(({ messages }) => `echo: ${lastText(messages)}`);
    const gateway = await startGateway({ model });
    await talk(gateway, 'one');
    gateway.receive([message('two'), message('/retry')]);
    await gateway.idle();
    expect(conversation(gateway)).toEqual(['one', 'echo: one', 'two', 'echo: two']);
    expectValid(transcriptOf(gateway.store, 'ann'));
  });
});
