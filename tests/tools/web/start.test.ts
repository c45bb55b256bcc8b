import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { imports, parseSource } from '../../architecture/source.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Packages that are loaded with a file, by whatever way. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const loaded = imports(parseSource(file, readFileSync(path.join(root, file), 'utf8'))).filter(({ lazy }) => !lazy);
  return loaded.flatMap(({ specifier }) =>
    specifier.startsWith('.') ? packagesOf(path.join(path.dirname(file), specifier), seen) : [specifier],
  );
}

it('the libraries that read pages and PDFs are loaded when the first one is read, and not with the tools', () => {
  const heavy = ['@mozilla/readability', 'linkedom', 'turndown', 'unpdf'];
  expect(packagesOf('tools/web/html.ts')).toEqual(expect.arrayContaining(heavy.slice(0, 3))); // else nothing would be found below, either
  const loaded = packagesOf('tools/index.ts');
  expect(loaded).toContain('zod');
  expect(loaded.filter((name) => heavy.includes(name))).toEqual([]);
});
