import { z } from 'zod';
import { defineTool, type Tool, type ToolOutput } from '../agent/tool.ts';

/** Port: where a session's list is kept. What is read is what was written. */
export interface TodoLists {
  read(session: string): unknown;
  write(session: string, items: readonly TodoItem[]): void;
}

const maxItems = 256;
const maxContent = 4000;

const item = z.object({
  id: z.string().trim().min(1).max(64),
  content: z.string().trim().min(1).max(maxContent),
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
});

export type TodoItem = z.output<typeof item>;

const args = z.object({
  todos: z
    .array(item)
    .max(maxItems)
    .optional()
    .describe('The whole list, or with merge the items that are new or changed. Left out: only read it.'),
  merge: z.boolean().default(false).describe('Change the items of these ids and add the others, instead of replacing the list.'),
});

type Args = z.output<typeof args>;

export function createTodo(lists: TodoLists): Tool {
  return defineTool({
    name: 'todo',
    toolset: 'todo',
    description:
      'Keep a list of the steps of a longer task; it stays with the conversation. Write it before work of three steps or more, keep exactly one item in_progress, and mark each completed at once.',
    args,
    effect: 'write',
    preview: ({ todos }) =>
      todos === undefined ? 'read' : `${todos.filter(({ status }) => status === 'completed').length}/${todos.length} done`,
    run: async (given, { session }) => run(given, lists, session.id),
  });
}

function run({ todos, merge }: Args, lists: TodoLists, session: string): ToolOutput {
  const known = z
    .array(item)
    .catch([])
    .parse(lists.read(session) ?? []);
  if (todos === undefined) return shown(known);
  const twice = todos.find(({ id }, index) => todos.findIndex((other) => other.id === id) !== index);
  if (twice !== undefined) return { content: `Nothing was changed: two items have the id "${twice.id}". Give each its own.`, failed: true };
  const list = merge ? merged(known, todos) : todos;
  if (list.length > maxItems)
    return { content: `Nothing was changed: ${list.length} items, and ${maxItems} is the most. Remove what is done.`, failed: true };
  lists.write(session, list);
  return shown(list);
}

/** In the place where an item stands; new ones at the end. */
function merged(known: readonly TodoItem[], changes: readonly TodoItem[]): readonly TodoItem[] {
  const byId = new Map([...known, ...changes].map((one) => [one.id, one]));
  return [...byId.values()];
}

const marks: Readonly<Record<TodoItem['status'], string>> = { pending: '[ ]', in_progress: '[>]', completed: '[x]', cancelled: '[-]' };

function shown(list: readonly TodoItem[]): ToolOutput {
  const done = list.filter(({ status }) => status === 'completed').length;
  const lines = list.map(({ id, content, status }) => `${marks[status]} ${id}: ${content}`);
  const content = list.length === 0 ? 'The list is empty.' : `${lines.join('\n')}\n\n${done} of ${list.length} completed`;
  return { content, data: { todos: list } };
}
