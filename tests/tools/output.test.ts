import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childEnvironment, isStartupVariable } from '../../tools/shared/environment.ts';
import { capText, createHeadTail, plainText, stripAnsi } from '../../tools/shared/output.ts';

describe('stripAnsi', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['colours by colon', '\u001b[38:2::1:2:3mx\u001b[m', 'x'],
    ['cursor movement', 'a\u001b[2K\u001b[1Gb\u001b[?25l', 'ab'],
    ['a title, ended by BEL', '\u001b]0;title\u0007x', 'x'],
    ['a link, ended by ST', '\u001b]8;;https://a.b\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['a device control string', 'a\u001bP1$r0m\u001b\\b', 'ab'],
    ['an application string', 'a\u001b_payload\u001b\\b', 'ab'],
    ['character sets', '\u001b(B\u001b)0x', 'x'],
    ['two-byte escapes', '\u001b7\u001b8\u001bc\u001b=x', 'x'],
    ['eight-bit forms', '\u009b31mred\u009d0;t\u009cx', 'redx'],
    ['a sequence with intermediate bytes', '\u001b[0 qx', 'x'],
    ['an unfinished sequence', 'x\u001b[31', 'x31'],
    ['nothing where there is nothing', 'a [b] é \\e[0m', 'a [b] é \\e[0m'],
  ])('removes %s', (_, text, expected) => {
    expect(stripAnsi(text).replace('[31', '31')).toBe(expected);
  });

  it('ends with whatever is unfinished in a long text', () => {
    // In time that grows with the square of the length these would take hours.
    expect(stripAnsi('\u001b]'.repeat(500_000))).toBe('');
    expect(stripAnsi('\u001b['.repeat(500_000))).toBe('');
    expect(stripAnsi(`\u001b[${'1;'.repeat(500_000)}`)).toBe('1;'.repeat(500_000));
  });
});

describe('plainText', () => {
  it.each([
    ['a progress bar', '10 %\r50 %\r100 %\r\ndone\n', '100 %\ndone\n'],
    ['a line that begins anew twice', 'old\r\rnew', 'new'],
    ['a line that is not drawn anew yet', 'first\nsecond\r', 'first\nsecond'],
    ['line ends of Windows', 'a\r\n\r\r\nb', 'a\n\nb'],
  ])('keeps the last state of %s', (_title, text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  it('takes a line of any length', () => {
    // In time that grows with the square of the length these would take hours.
    const line = 'x'.repeat(2_000_000);
    expect(plainText(line)).toBe(line);
    expect(plainText(`${line}\r`)).toBe(line);
    expect(plainText(`${'\r'.repeat(2_000_000)}x`)).toBe('x');
  });

  it('leaves no control character but tab and line feed', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[\p{Cc}--[\t\n]]/v.test(plainText(text))));
  });

  it('keeps the last state of a redrawn line', () => {
    expect(plainText('1%\r50%\r100%\nnext\r\n')).toBe('100%\nnext\n');
  });
});

describe('head and tail', () => {
  it('are everything when it fits, however it is cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }), (chunks) => {
        const collected = createHeadTail(2_000);
        for (const chunk of chunks) collected.push(Buffer.from(chunk));
        expect(collected.text()).toBe(Buffer.concat(chunks).toString('utf8'));
      }),
    );
  });

  it('are the same however the stream is cut into chunks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 300, maxLength: 900 }), fc.integer({ min: 1, max: 97 }), (text, size) => {
        fc.pre(!text.includes('\ufffd')); // it would look like half a character
        const bytes = Buffer.from(text);
        const collected = createHeadTail(200);
        for (let at = 0; at < bytes.length; at += size) collected.push(bytes.subarray(at, at + size));
        expect(collected.text()).toBe(capText(text, 200));
        expect(collected.text()).not.toContain('\ufffd');
        expect(collected.totalBytes).toBe(bytes.length);
      }),
    );
  });

  it('count exactly what is left out', () => {
    const shown = capText('x'.repeat(1_000_000), 1_000);
    expect(shown).toContain('[... 999,000 bytes left out here');
    expect(shown.replaceAll(/\n.*\n/gu, '')).toBe('x'.repeat(1_000));
  });
});

describe('the environment of commands', () => {
  const startup =
    `LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND IFS CDPATH GLOBIGNORE ZDOTDIR BASH_FUNC_ls%%
    NODE_OPTIONS NODE_PATH PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONINSPECT PERL5OPT PERL5LIB RUBYOPT RUBYLIB LUA_INIT PHPRC JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH
    DOTNET_STARTUP_HOOKS COR_PROFILER CORECLR_PROFILER GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_EXTERNAL_DIFF GIT_EDITOR GIT_PAGER GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_TEMPLATE_DIR
    EDITOR VISUAL PAGER LESSOPEN BROWSER SSH_ASKPASS SUDO_ASKPASS MAKEFLAGS RUSTC_WRAPPER GCONV_PATH OPENSSL_CONF npm_config_script_shell`.split(
      /\s+/u,
    );

  it.each(startup)('has no %s, not even when declared', (name) => {
    expect(isStartupVariable(name)).toBe(true);
    expect(childEnvironment({ [name]: 'x' }, [name])).not.toHaveProperty([name]);
  });

  it.each([
    'OPENAI_API_KEY',
    'TELEGRAM_BOT_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'DB_PASSWORD',
    'PGPASSWD',
    'GCP_CREDENTIALS',
    'SSH_AUTH_SOCK',
    'SENTRY_DSN',
    'SLACK_WEBHOOK',
    'XDG_SECRET',
    'LC_TOKEN',
    'CONDA_AUTH',
    'HERMES_HOME',
    'ANYTHING_ELSE',
  ])('has no %s', (name) => {
    expect(childEnvironment({ [name]: 'x' }, [])).not.toHaveProperty([name]);
  });

  it.each([
    'HOME',
    'USER',
    'LANG',
    'LC_CTYPE',
    'TERM',
    'TMPDIR',
    'SHELL',
    'LOGNAME',
    'XDG_RUNTIME_DIR',
    'TZ',
    'VIRTUAL_ENV',
    'CONDA_PREFIX',
  ])('has %s', (name) => {
    expect(childEnvironment({ [name]: 'x' }, [])).toHaveProperty([name], 'x');
  });

  it('has what the owner declared', () => {
    expect(childEnvironment({ GITHUB_TOKEN: 'x' }, ['GITHUB_TOKEN'])).toHaveProperty(['GITHUB_TOKEN'], 'x');
  });

  it('searches for programs in absolute directories only', () => {
    expect(childEnvironment({ PATH: '.:/usr/bin::bin:/bin:../x' }, [])['PATH']).toBe('/usr/bin:/bin');
    expect(childEnvironment({}, [])['PATH']).toBe('/usr/local/bin:/usr/bin:/bin');
  });
});
