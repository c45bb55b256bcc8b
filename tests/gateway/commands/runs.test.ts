import { describe, expect, it, vi } from 'vitest';
import { backgroundLane, backgroundOf, newBackgroundId } from '../../../gateway/background.ts';
import { createFakePlatform } from '../../fakes/platform.ts';
import { card, riskyTool } from '../asks/support.ts';
import { type Gateway, startGateway, until } from '../support/gateway.ts';
import { click, message } from '../support/inbound.ts';
import { echo, lastResults, type Script, scriptedModel } from '../support/model.ts';
import { annsPlatform, conversation, keyOf, patient, reply, requested, startLong, talk } from './support.ts';

const id = /bg_\d{6}_[0-9a-f]{4}/;

/** Starts a background run and returns its id. */
async function begin(gateway: Gateway, prompt: string): Promise<string> {
  const [found = ''] = id.exec(await reply(gateway, `/background ${prompt}`)) ?? [];
  return found;
}

describe('the lane of a background run', () => {
  it('names the run and its chat, and is never a chat’s own', () => {
    const run = { id: newBackgroundId(Date.UTC(2026, 0, 1, 3, 4, 5)), chat: 'agent:main:fake:group:-7:u.42' };
    expect(run.id).toMatch(/^bg_030405_[0-9a-f]{4}$/);
    expect(backgroundOf(backgroundLane(run))).toEqual(run);
    expect(backgroundOf(run.chat)).toBeUndefined();
    expect(backgroundOf('background:bg_1:x')).toBeUndefined();
  });
});

describe('/background', () => {
  it.each(['background', 'bg', 'btw'])(
    'as /%s works in a conversation of its own and posts the result with a line that names it',
    async (name) => {
      const model = scriptedModel(echo);
      const gateway = await startGateway({ model });
      await talk(gateway, 'one');
      const [run = ''] = id.exec(await reply(gateway, `/${name} count\nthe *sheep*`)) ?? [];
      await gateway.idle();
      expect(gateway.answers('ann').at(-1)).toBe(`✅ ${run} : count the \\*sheep\\*\n\necho: count\nthe *sheep*`);
      expect(requested(model)).toEqual(['count\nthe *sheep*']);
      expect(conversation(gateway)).toEqual(['one', 'echo: one']);
      expect(gateway.store.sessions.open(backgroundLane({ id: run, chat: keyOf() }))).toBeUndefined();
    },
  );

  it('goes on beside the conversation, whose messages never become part of it', async () => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model });
    await begin(gateway, 'a long story');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    expect(await reply(gateway, 'one')).toBe('echo: one');
    expect(requested(model)).toEqual(['one']);
  });

  it('asks what to do when it is not told', async () => {
    const gateway = await startGateway();
    expect(await reply(gateway, '/background')).toContain('Write /background and the task.');
    expect(gateway.store.inbox.countOpen()).toBe(0);
  });

  it('says when it failed', async () => {
    const gateway = await startGateway({ model: scriptedModel(() => new Error('broken')) });
    const run = await begin(gateway, 'try');
    await gateway.idle();
    expect(gateway.answers('ann').at(-1)).toMatch(new RegExp(`^❌ ${run} : try\n\n⚠️ `));
  });

  it('takes model, effort and personality of the conversation', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    await talk(gateway, '/reasoning high', '/personality pirate', '/bg go');
    expect(model.requests.at(-1)?.reasoning).toBe('high');
    expect(model.requests.at(-1)?.system).toContain('sea captain');
  });

  it('asks for approval in the chat that it was started from', async () => {
    const { tool, ran } = riskyTool();
    const script: Script = ({ messages }) => lastResults(messages)[0] ?? { call: 'remove', args: { path: 'build' } };
    const gateway = await startGateway({ platform: annsPlatform(), model: scriptedModel(script), tools: [tool] });
    await talk(gateway, '/yolo'); // of the conversation, not of the run
    const run = await begin(gateway, 'clean up');
    const asked = await card(gateway.platform, 'ann');
    expect(ran).toEqual([]);
    gateway.receive([click(asked, 'once')]);
    await gateway.idle();
    expect(ran).toEqual(['build']);
    expect(gateway.answers('ann').at(-1)).toBe(`✅ ${run} : clean up\n\nok: removed build`);
  });

  it('goes on after a kill, and posts its result once', async () => {
    const platform = createFakePlatform();
    const model = scriptedModel(patient);
    const first = await startGateway({ platform, model });
    const run = await begin(first, 'a long story');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    const gateway = await startGateway({ platform, home: first.kill() });
    await gateway.idle();
    await gateway.stop();
    const again = await startGateway({ platform, home: gateway.home });
    await again.idle();
    const posted = platform.texts('ann').filter((text) => text.startsWith('✅'));
    expect(posted).toEqual([`✅ ${run} : a long story\n\necho: a long story`]);
  });

  it('that was given up says which one it is', async () => {
    const model = scriptedModel(patient);
    const first = await startGateway({ model });
    const run = await begin(first, 'a long story');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    const second = await startGateway({ home: first.kill(), model });
    await vi.waitFor(() => expect(model.requests).toHaveLength(2));
    const gateway = await startGateway({ home: second.kill(), model });
    expect((await gateway.answered('ann', 1))[0]).toMatch(new RegExp(`^❌ ${run} : a long story\n\n⚠️ I gave up`));
  });

  it('posts into the thread that it was started in', async () => {
    const gateway = await startGateway({ platform: createFakePlatform({ config: { group_allowed_chats: ['g'] } }) });
    gateway.receive([message('/bg go', { chat: 'g', chatType: 'group', thread: '7' })]);
    await gateway.idle();
    const threads = gateway.platform.shown.filter(({ message: { type } }) => type === 'text').map(({ chat }) => chat.thread);
    expect(threads).toEqual(['7', '7']);
  });
});

describe('/agents', () => {
  it('shows what is at work in this chat and for it, since when, and how to stop it', async () => {
    const clock = { now: Date.now() };
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model, now: () => clock.now });
    expect(await reply(gateway, '/agents')).toBe('Nothing is at work.');
    await startLong(gateway, model);
    const run = await begin(gateway, 'a long song');
    gateway.say('bob', 'a long walk');
    await vi.waitFor(() => expect(model.requests).toHaveLength(3));
    clock.now += 125_000;
    expect(await reply(gateway, '/tasks')).toBe(
      ['At work:', '- this conversation: 2 min (/stop)', `- ${run}, a long song: 2 min (/stop ${run})`].join('\n'),
    );
  });

  it('shows the owner’s page what is at work everywhere, and lets it stop that', async () => {
    const fake = createFakePlatform();
    const platform = { ...fake, platform: { ...fake.platform, name: 'web' } };
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model, platform });
    const from = (chat: string, text: string) => {
      const { chat: place, ...said } = message(text, { chat, from: { id: chat, name: chat } });
      gateway.receive([{ ...said, chat: { ...place, platform: 'web' } }]);
    };
    from('bob', 'a long walk');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    from('main', '/agents');
    const [shown = ''] = await gateway.answered('main', 1);
    expect(shown).toBe('At work:\n- t1, Fake, bob: 0 s (/stop t1)');
    from('main', '/agents stop t1');
    expect((await gateway.answered('main', 2))[1]).toBe('🛑 Stopped t1.');
    await gateway.idle();
  });
});

describe('stopping a run', () => {
  it.each(['/stop', '/agents stop'])('%s and its id ends that one and nothing else', async (stop) => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model });
    await startLong(gateway, model);
    const run = await begin(gateway, 'a long song');
    await vi.waitFor(() => expect(model.requests).toHaveLength(2));
    expect(await reply(gateway, `${stop} ${run}`)).toBe(`🛑 Stopped ${run}.`);
    await until(
      () => gateway.store.turns.runningLanes().length === 1,
      () => 'both still run',
    );
    expect(gateway.store.turns.runningLanes()).toEqual([keyOf()]);
    expect(gateway.store.sessions.open(backgroundLane({ id: run, chat: keyOf() }))).toBeUndefined();
  });

  it('/stop alone ends the conversation’s turn, and names what goes on in the background', async () => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model });
    const run = await begin(gateway, 'a long song');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    expect(await reply(gateway, '/stop please')).toMatch(
      new RegExp(`^Nothing is running here\\.\nIn the background:\n- ${run}, a long song`),
    );
    expect(gateway.store.turns.runningLanes()).toHaveLength(1);
  });

  it('reaches no run of another chat', async () => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model });
    const run = await begin(gateway, 'a long song');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    for (const text of [`/stop ${run}`, '/stop t1', `/agents stop ${run}`]) {
      expect(await reply(gateway, text, { chat: 'bob', from: { id: 'bob' } })).toMatch(
        /^There is no run ".+" here\.\nNothing is at work\.$/,
      );
    }
    expect(gateway.store.turns.runningLanes()).toHaveLength(1);
  });

  it('keeps what was said until then, under its name', async () => {
    const base = scriptedModel(echo);
    const model = {
      ...base,
      async *stream(request: Parameters<typeof base.stream>[0], signal: AbortSignal) {
        yield { type: 'text.delta', text: 'La la' } as const;
        said = true;
        await patient(request, signal);
        yield* base.stream(request, signal);
      },
    };
    let said = false;
    const gateway = await startGateway({ model });
    const run = await begin(gateway, 'a long song');
    await vi.waitFor(() => expect(said).toBe(true));
    await reply(gateway, `/stop ${run}`);
    await gateway.idle();
    expect(gateway.answers('ann').at(-1)).toBe(`❌ ${run} : a long song\n\nLa la\n\n✂️ _(stopped)_`);
  });
});
