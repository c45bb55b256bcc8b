import { Command, CommanderError } from 'commander';
import { exitCodes, type Given, groups, type Verb, verbs } from './verbs.ts';

export interface CommandLine {
  readonly version: string;
  /** Called with the verb that was given. */
  readonly act: (verb: Verb, given: Given) => Promise<number>;
}

/** Parses and acts. Help and version are answered here; resolves with the exit code. Rejects only with what `act` rejects with. */
export async function execute(argv: readonly string[], { version, act }: CommandLine): Promise<number> {
  let code: number = exitCodes.ok;
  const program = new Command('hermes').description('Talk to an AI agent from Telegram or a browser.').exitOverride();
  program.version(version, '-V, --version', 'print the version').helpOption('-h, --help', 'tell how a verb is used');
  program
    .helpCommand(false)
    .showHelpAfterError('Try: hermes --help')
    .addHelpText('after', () => `\n${overview()}`);
  program.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'hermes: ')) });
  for (const [verb, command] of addVerbs(program)) {
    command.action(async () => {
      code = await act(verb, { args: command.args, options: command.opts() });
    });
  }
  if (argv.length === 0) program.outputHelp();
  else if (!(await parsed(program, argv))) return exitCodes.usage;
  return code;
}

function addVerbs(program: Command): (readonly [Verb, Command])[] {
  const parents = new Map<string, Command>();
  for (const [name, summary] of Object.entries(groups)) parents.set(name, program.command(name).description(summary).helpCommand(false));
  return verbs.flatMap((verb) => {
    const [group, name] = verb.words;
    const command = parents
      .get(group)
      ?.command(name, { isDefault: verb.isDefault === true })
      .description(verb.summary);
    if (command === undefined) return [];
    for (const [notation, description] of verb.args ?? []) command.argument(notation, description);
    for (const [flags, description] of verb.options) command.option(flags, description);
    return [[verb, command] as const];
  });
}

/** As people type it. */
function typed({ words: [group, name], isDefault, args }: Verb): string {
  return [group, ...(isDefault === true ? [] : [name]), ...(args ?? []).map(([notation]) => notation)].join(' ');
}

/** All verbs at once: nobody should have to ask for the help of each group. */
function overview(): string {
  const names = verbs.map(typed);
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const lines = verbs.map((verb, index) => `  ${(names[index] ?? '').padEnd(width)}${verb.summary}`);
  return ['Verbs:', ...lines, '', 'The home directory is ~/.hermes, or what HERMES_HOME says.'].join('\n');
}

/** False when the command line was wrong; commander has said how. */
async function parsed(program: Command, argv: readonly string[]): Promise<boolean> {
  try {
    await program.parseAsync(argv, { from: 'user' });
    return true;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0;
    throw error;
  }
}
