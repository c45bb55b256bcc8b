import { createHistory, type History } from './history.ts';
import { createMessenger, type Messenger, type MessengerOptions } from './messenger.ts';
import type { TodoStore } from './store/todos.ts';

/** What the daemon does for tools; shaped like the ports that they declare. */
export interface GatewayPorts {
  readonly history: History;
  readonly todos: TodoStore;
  readonly messenger: Messenger;
}

export function toolPorts(options: MessengerOptions): GatewayPorts {
  return { history: createHistory(options), todos: options.store.todos, messenger: createMessenger(options) };
}
