import { describe, expect, it } from 'vitest';
import { resolveCall } from '../../agent/arguments.ts';
import type { ToolContext } from '../../agent/tool.ts';
import { createTodo } from '../../tools/todo.ts';

function todo() {
  const kept = new Map<string, unknown>();
  const tool = createTodo({ read: (session) => kept.get(session), write: (session, items) => void kept.set(session, items) });
  const run = async (args: object, session = 's') => {
    const ctx = { session: { id: session, workspace: '/workspace' } } as ToolContext;
    return tool.run(tool.args.parse(args), ctx);
  };
  return { run, kept, tool };
}

const item = (id: string, status = 'pending', content = `do ${id}`) => ({ id, content, status });

describe('the list of what is to be done', () => {
  it('is empty at first, is replaced as a whole, and is read without arguments', async () => {
    const { run } = todo();
    expect((await run({})).content).toBe('The list is empty.');
    await run({ todos: [item('a', 'completed'), item('b', 'in_progress')] });
    expect((await run({})).content).toBe('[x] a: do a\n[>] b: do b\n\n1 of 2 completed');
    expect((await run({ todos: [item('c')] })).data).toEqual({ todos: [item('c')] });
  });

  it('takes changes by id, in place, and new items at its end', async () => {
    const { run } = todo();
    await run({ todos: [item('a'), item('b')] });
    const { data } = await run({ todos: [item('c'), item('a', 'cancelled', 'other')], merge: true });
    expect(data).toEqual({ todos: [item('a', 'cancelled', 'other'), item('b'), item('c')] });
  });

  it('belongs to one conversation', async () => {
    const { run } = todo();
    await run({ todos: [item('a')] }, 'one');
    expect((await run({}, 'two')).content).toBe('The list is empty.');
  });

  it('refuses two items of one id, and more than it holds, and changes nothing then', async () => {
    const { run } = todo();
    await run({ todos: [item('a')] });
    expect(await run({ todos: [item('b'), item('b')] })).toMatchObject({ failed: true, content: expect.stringContaining('"b"') });
    const many = Array.from({ length: 256 }, (_, index) => item(`n${index}`));
    expect(await run({ todos: many, merge: true })).toMatchObject({ failed: true, content: expect.stringContaining('257 items') });
    expect((await run({})).data).toEqual({ todos: [item('a')] });
  });

  it('starts anew where what was kept is not a list', async () => {
    const { run, kept } = todo();
    kept.set('s', { todos: 'x' });
    expect((await run({})).content).toBe('The list is empty.');
  });

  it('says what is wrong with an item', () => {
    const { tool } = todo();
    const call = { id: 'c', name: 'todo', arguments: JSON.stringify({ todos: [item('a', 'done')] }) };
    const resolved = resolveCall(call, [tool]);
    expect(resolved.ok ? '' : resolved.problem).toMatch(/todos.*0.*status/s);
  });
});
