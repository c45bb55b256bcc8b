/** The `hermes` command in this process, for a home: what it prints and how it ends. */
import { vi } from 'vitest';
import { runCli } from '../../../gateway/cli/run.ts';
import type { CliDeps } from '../../../gateway/cli/verbs.ts';
import type { Ended } from './hermes.ts';

const noPermissions: CliDeps['permissions'] = () => {
  throw new Error('this test has no rules');
};

export async function hermesHere(argv: readonly string[], home: string, deps: Partial<CliDeps> = {}): Promise<Ended> {
  const [out, err] = [process.stdout, process.stderr].map((stream) => {
    const written: string[] = [];
    const spy = vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    return { text: () => written.join(''), restore: () => spy.mockRestore() };
  });
  try {
    const rest = {
      run: async () => 1,
      check: () => ({ warnings: [] }),
      manifest: () => '',
      permissions: noPermissions,
      redact: (text: string) => text,
    };
    const code = await runCli(argv, { version: '0.0.0-test', home: () => home, ...rest, ...deps });
    return { code, out: out?.text() ?? '', err: err?.text() ?? '' };
  } finally {
    out?.restore();
    err?.restore();
  }
}
