/** The plain commands of the demo model: one row each, its help is made from them. */

export interface DemoCommand {
  readonly usage: string;
  readonly does: string;
  readonly tool: string;
  readonly pattern: RegExp;
  args(match: readonly string[]): Readonly<Record<string, unknown>>;
}

export const demoCommands: readonly DemoCommand[] = [
  {
    usage: 'run COMMAND',
    does: 'runs it in this chat’s workspace, for example `run ls -la`',
    tool: 'terminal',
    pattern: /^(?:run|\$)\s+([\s\S]+)$/i,
    args: ([, command = '']) => ({ command: unquoted(command) }),
  },
  {
    usage: 'read FILE',
    does: 'shows a file',
    tool: 'read_file',
    pattern: /^(?:read|cat|show)\s+(.+)$/i,
    args: ([, path = '']) => ({ path: unquoted(path) }),
  },
  {
    usage: 'search WORDS',
    does: 'looks for them in the files of the workspace',
    tool: 'search_files',
    pattern: /^(?:search|find|grep)\s+(?:for\s+)?(.+)$/i,
    args: ([, pattern = '']) => ({ pattern: unquoted(pattern) }),
  },
  {
    usage: 'write FILE: TEXT',
    does: 'writes a file',
    tool: 'write_file',
    pattern: /^write\s+([^:\n]+):\s*([\s\S]*)$/i,
    args: ([, path = '', content = '']) => ({ path: unquoted(path), content: content.endsWith('\n') ? content : `${content}\n` }),
  },
  {
    usage: 'remove FILE',
    does: 'deletes a file or directory, once you have allowed it; so does `run rm -r FILE`',
    tool: 'terminal',
    pattern: /^(?:remove|delete)\s+(.+)$/i,
    args: ([, path = '']) => ({ command: `rm -r -- ${shellWord(unquoted(path))}` }),
  },
  {
    usage: 'ask me something',
    does: 'asks you a question; choose an answer or write one',
    tool: 'clarify',
    pattern: /^ask me(?:\s+something)?[.!?]?$/i,
    args: () => ({ question: 'Which colour do you like best?', choices: ['Red', 'Green', 'Blue'] }),
  },
];

/** One word for a shell, whatever is in it. */
function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** People put commands into backquotes or quotes, as the help shows them. */
function unquoted(text: string): string {
  const trimmed = text.trim();
  const quoted = /^(`+|"|')([\s\S]*)\1$/.exec(trimmed)?.[2];
  return quoted === undefined || quoted === '' ? trimmed : quoted;
}

export interface FoundCommand {
  readonly command: DemoCommand;
  readonly args: Readonly<Record<string, unknown>>;
}

export function findCommand(text: string): FoundCommand | undefined {
  for (const command of demoCommands) {
    const match = command.pattern.exec(unquoted(text));
    if (match !== null) return { command, args: command.args(match) };
  }
  return undefined;
}
