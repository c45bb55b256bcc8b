import { describe, expect, it } from 'vitest';
import { userText } from '../../agent/message.ts';
import type { ModelEvent, ToolSpec } from '../../agent/model.ts';
import { createDemoModel } from '../../agent/models/demo.ts';
import { createClarify } from '../../tools/clarify.ts';
import { call, runToEnd, testTool } from './support.ts';

const spec = (name: string): ToolSpec => ({ name, description: '', parameters: {} });
const allTools = ['terminal', 'read_file', 'search_files', 'write_file', 'clarify'].map(spec);

async function ask(text: string, tools: readonly ToolSpec[] = allTools) {
  const events: ModelEvent[] = [];
  const request = { system: '', messages: [userText(text)], tools };
  for await (const event of createDemoModel().stream(request, new AbortController().signal)) events.push(event);
  const calls = events.flatMap((event) =>
    event.type === 'call' ? [{ name: event.call.name, args: JSON.parse(event.call.arguments) }] : [],
  );
  return { text: events.map((event) => (event.type === 'text.delta' ? event.text : '')).join(''), calls, events };
}

describe('the demo model', () => {
  it('says that it is a demo, how to set a real model, and what it understands', async () => {
    const { text, calls } = await ask('Good morning');
    expect(calls).toEqual([]);
    expect(text).toMatch(/demo model, not an AI/);
    expect(text).toMatch(/OPENAI_API_KEY=\.\.\.` into `~\/\.hermes\/\.env`/);
    expect(text).toMatch(/config\.yaml/);
    expect(text).toMatch(/`run COMMAND`/);
  });

  it.each([
    { said: 'run ls -la', name: 'terminal', args: { command: 'ls -la' } },
    { said: 'Run `git status`', name: 'terminal', args: { command: 'git status' } },
    { said: '`run ls -la`', name: 'terminal', args: { command: 'ls -la' } },
    { said: 'run cat <<E\nhello\nE', name: 'terminal', args: { command: 'cat <<E\nhello\nE' } },
    { said: 'run echo "a b"', name: 'terminal', args: { command: 'echo "a b"' } },
    { said: 'read notes.txt', name: 'read_file', args: { path: 'notes.txt' } },
    { said: 'search for TODO', name: 'search_files', args: { pattern: 'TODO' } },
    { said: 'write a/b.txt: hello: world', name: 'write_file', args: { path: 'a/b.txt', content: 'hello: world\n' } },
    { said: 'remove build', name: 'terminal', args: { command: 'rm -r -- build' } },
    { said: "Delete `it's old; reboot`", name: 'terminal', args: { command: String.raw`rm -r -- 'it'\''s old; reboot'` } },
    { said: '[Ann] run date', name: 'terminal', args: { command: 'date' } },
    { said: '[note: a new day began]\n[in reply to you: "see [1]\nand more"]\nrun date', name: 'terminal', args: { command: 'date' } },
  ])('understands "$said"', async ({ said, name, args }) => {
    expect((await ask(said)).calls).toEqual([{ name, args }]);
  });

  it('asks the person a question with three choices that the tool takes, and says what was answered', async () => {
    const { calls } = await ask('Ask me something!');
    expect(calls).toEqual([{ name: 'clarify', args: { question: expect.any(String), choices: ['Red', 'Green', 'Blue'] } }]);
    const asks = {
      approve: async () => ({ approved: false, reason: '' }),
      question: async () => ({ answered: true as const, text: 'Blue' }),
    };
    const transcript = [userText('ask me something')];
    const { outcome } = await runToEnd({ model: createDemoModel(), tools: [createClarify()], transcript, asks });
    expect(outcome).toMatchObject({ status: 'completed', text: 'You answered: Blue' });
  });

  it('leaves it at that when nobody answers its question', async () => {
    const transcript = [userText('ask me something')];
    const { outcome } = await runToEnd({ model: createDemoModel(), tools: [createClarify()], transcript });
    expect(outcome.text).toBe('You gave no answer, so I leave it at that.');
  });

  it('says in its help where it asks for approval, and that it asks questions', async () => {
    const { text } = await ask('help');
    expect(text).toMatch(/`remove FILE` .*allowed/);
    expect(text).toMatch(/`ask me something` .*question/);
  });

  it('calls only what it is offered', async () => {
    const { calls, text } = await ask('run ls', [spec('read_file')]);
    expect(calls).toEqual([]);
    expect(text).toMatch(/terminal.*not enabled/);
    expect((await ask('help', [spec('read_file')])).text).not.toMatch(/run COMMAND/);
  });

  it('streams in several chunks and gives the same answer each time', async () => {
    const [first, second] = [await ask('help'), await ask('help')];
    expect(first.events.length).toBeGreaterThan(3);
    expect(first.events).toEqual(second.events);
  });

  it('shows in a code block what the tool printed, whatever is in it', async () => {
    const terminal = testTool({ name: 'terminal', run: async () => ({ content: 'a\n```\nb\n' }) });
    const { outcome } = await runToEnd({ model: createDemoModel(), tools: [terminal], transcript: [userText('run x')] });
    expect(outcome).toMatchObject({ status: 'completed', text: '````\na\n```\nb\n````' });
  });

  it('shows of a refusal the sentence that is for people', async () => {
    const terminal = testTool({ name: 'terminal', risk: { level: 'ask', why: 'It deletes.', subjects: ['rm'] } });
    const policy = { decide: () => ({ verdict: 'deny' as const, reason: 'Refused: ann.b said no. Do not look for another way.' }) };
    const { outcome } = await runToEnd({ model: createDemoModel(), tools: [terminal], policy, transcript: [userText('run x')] });
    expect(outcome.text).toBe('Refused: ann.b said no.');
  });

  it('answers a new question after results of an earlier one', async () => {
    const transcript = [
      userText('run x'),
      { role: 'assistant' as const, text: '', calls: [call('a', 'terminal')], finish: 'calls' as const },
      { role: 'tool' as const, callId: 'a', name: 'terminal', status: 'ok' as const, content: 'old' },
      { role: 'assistant' as const, text: 'old', calls: [], finish: 'stop' as const },
      userText('hello'),
    ];
    const { outcome } = await runToEnd({ model: createDemoModel(), transcript });
    expect(outcome.text).toMatch(/You said: “hello”/);
  });

  it('can be stopped between two chunks', async () => {
    const controller = new AbortController();
    const stream = createDemoModel({ chunkDelayMs: 5 }).stream({ system: '', messages: [userText('hi')], tools: [] }, controller.signal);
    const read = async () => {
      for await (const _ of stream) controller.abort(new Error('stopped'));
    };
    await expect(read()).rejects.toThrow('stopped');
  });
});
