import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classifyCommand } from '../../../tools/shared/shell/classify.ts';
import { loadShellParser, type ParseShell } from '../../../tools/shared/shell/tree.ts';
import { shellCommand } from './grammar.ts';
import { innocent } from './innocent.ts';
import { lookAlikes } from './look-alikes.ts';
import { createScratchRoot, type ScratchRoot, scratch, whyNoScratchRoot } from './scratch-root.ts';

/**
 * What the classifier calls safe, judged by what it does. The long form: SHELL_FUZZ_ROUNDS=3000 (some fifteen commands run in a round), with SHELL_FUZZ_SEED to
 * repeat one.
 */

const rounds = Number(process.env['SHELL_FUZZ_ROUNDS'] ?? 30);
const seed = process.env['SHELL_FUZZ_SEED'];
const MOST_MS = rounds * 2_000 + 60_000;

const why = whyNoScratchRoot();
if (why !== undefined) console.warn(`Commands are not judged by their effects: ${why}.`);

describe.skipIf(why !== undefined)('a command that is called safe', () => {
  let root: ScratchRoot;
  let parse: ParseShell;
  beforeAll(async () => {
    root = createScratchRoot();
    parse = await loadShellParser();
  });
  afterAll(() => root.close());

  const isSafe = (text: string): boolean => {
    const { home, workspace } = scratch;
    const place = {
      directory: workspace,
      home,
      workspace,
      protectedPaths: [`${home}/.hermes`],
      writable: [workspace],
      realPath: root.realPath,
      links: root.links,
    };
    return classifyCommand(text, place, parse).level === 'safe';
  };

  it('would be found out if it changed a file, its mode, or made or removed one outside of the workspace, or read a secret', () => {
    const changing = [
      'touch ../new.txt',
      'echo x >> ../notes.txt',
      'chmod 600 /etc/hosts',
      'rm /srv/data.txt',
      'ln -s x /tmp/link',
      'rm -r ~/.hermes',
      'mkdir /new',
    ];
    for (const command of changing) {
      root.run(['true', command]);
      expect(root.changes(), command).not.toEqual([]);
      expect(isSafe(command)).toBe(false);
    }
    for (const reading of ['cat ~/.netrc', 'cp ~/.ssh/id_rsa x', 'F=$(echo cr.sr/ | rev); cat ~/.hermes/*']) {
      root.run(['true', reading]);
      expect(root.leaks(), reading).toHaveLength(1);
      expect(isSafe(reading)).toBe(false);
    }
    root.run(['touch new.txt; rm a.txt; echo x > sub/c.txt; chmod 777 .']);
    expect(root.changes()).toEqual([]);
  });

  it(
    'changes nothing outside of the workspace and reads no secret, whatever it is made of',
    () => {
      let ran = 0;
      fc.assert(
        fc.property(fc.array(shellCommand, { minLength: 1, maxLength: 60, size: 'max' }), (commands) => {
          const safe = commands.filter(isSafe);
          ran += safe.length;
          root.run(safe);
          expect(root.leaks()).toEqual([]);
          expect(root.changes(), safe.join('\n-----\n')).toEqual([]);
        }),
        { numRuns: rounds, ...(seed !== undefined && { seed: Number(seed) }) },
      );
      if (rounds > 30) console.log(`${ran} safe commands ran in ${rounds} rounds`);
      expect(ran).toBeGreaterThan(rounds * 5);
    },
    MOST_MS,
  );

  it('of the corpus changes nothing there either, but for the caches of package managers and the like', () => {
    const quick = [...innocent, ...lookAlikes].filter((text) => isSafe(text) && !WAITING.test(text) && !CACHING.test(text));
    expect(quick.length).toBeGreaterThan(250);
    root.run(quick);
    expect(root.leaks()).toEqual([]);
    expect(root.changes()).toEqual([]);
  }, 120_000);
});

const WAITING = /\b(?:sleep|top|tail -f|yes|curl|wget|ping|dig|man|less)\b/u;
const CACHING =
  /\b(?:npm|npx|pnpm|yarn|pip|uv|python3?|pytest|gpg|cargo|go|mvn|gradlew|node|tsc|docker|kubectl|java|brew|apt|make|gcc|ruby|perl)\b/u;
