import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../../gateway/commands/parse.ts';
import { commandNames, commands, findCommand, helpText, menu } from '../../../gateway/commands/table.ts';
import { command, message } from '../support/inbound.ts';

/** The command's name, `unknown`, or undefined for text. */
function parsed(text: string): string | undefined {
  const result = parseCommand(message(text));
  return result?.type === 'command' ? result.command.name : result?.type;
}

describe('text that begins with a slash', () => {
  it.each([
    ['/new', 'new'],
    ['/NEW', 'new'],
    ['/reset', 'new'],
    ['/new@bot', 'unknown'],
    ['/new@My_Bot and go', 'unknown'],
    ['/stop', 'stop'],
    ['/stop please', 'stop'],
    ['/stop\nplease', 'stop'],
    ['/start', 'help'],
    ['/status ', 'status'],
    ['/hlep', 'unknown'],
    ['/etc', 'unknown'],
    ['/etc/hosts', undefined],
    ['/etc/hosts is broken', undefined],
    ['/new/', undefined],
    ['/new.', undefined],
    ['/', undefined],
    ['/ new', undefined],
    ['//new', undefined],
    ['/1', undefined],
    [' /new', undefined],
    ['please /new', undefined],
    ['/new@', undefined],
    [`/${'x'.repeat(33)}`, undefined],
    ['', undefined],
  ])('%j is %s', (text, expected) => {
    expect(parsed(text)).toBe(expected);
  });

  it('an unknown one is answered with the nearest that there is', () => {
    const reply = (text: string) => {
      const result = parseCommand(message(text));
      return result?.type === 'unknown' ? result.reply : undefined;
    };
    expect(reply('/hlep')).toBe('I do not know /hlep. Did you mean /help? /help shows what there is.');
    expect(reply('/stpo')).toContain('/stop?');
    expect(reply('/xylophone')).toBe('I do not know /xylophone. /help shows what there is.');
  });

  it('for another bot is told to be that, and does nothing', () => {
    expect(parseCommand(message('/restart@other_bot now'))).toEqual({
      type: 'unknown',
      reply: '/restart@other_bot is a command for @other_bot. Write /restart if you mean me.',
    });
  });

  it('begins a chat with the same words, whatever a link to it carried', () => {
    expect(parseCommand(message('/start ref_42'))).toMatchObject({ command: { name: 'help' }, args: '' });
    expect(parseCommand(command('Start', 'ref_42'))).toMatchObject({ command: { name: 'help' }, args: '' });
    expect(parseCommand(message('/help undo'))).toMatchObject({ command: { name: 'help' }, args: 'undo' });
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        parseCommand(message(`/${text}`));
      }),
    );
  });
});

describe('a native command', () => {
  it('is looked up by its name alone, whatever its arguments', () => {
    const result = parseCommand(command('stop', '/new'));
    expect(result?.type === 'command' && result.command.name).toBe('stop');
  });

  it('that is unknown is a command still and no text for the model', () => {
    expect(parseCommand(command('/etc/hosts'))?.type).toBe('unknown');
  });
});

describe('the table of commands', () => {
  it('has each name once, and each finds its command', () => {
    const names = commandNames();
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(findCommand(name)).toBeDefined();
    expect(findCommand('__proto__')).toBeUndefined();
  });

  it('makes the platforms’ menu and the help', () => {
    expect(menu.map((entry) => entry.name)).toEqual(commands.map((entry) => entry.name));
    const help = helpText();
    for (const { name } of commands) expect(help).toContain(`/${name}`);
  });
});
