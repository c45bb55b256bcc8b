import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Bench, patience } from './bench.ts';

const RUNS = 4;

/** Words that platforms and markdown read in their own ways, each made unique by its place. */
const flavours = fc.constantFrom('word', 'Wörter', '漢字', 'слово', 'مرحبا', '👩‍👩‍👧', 'snake_case_', 'x'.repeat(60));
const styles = fc.constantFrom(
  (word: string) => word,
  (word: string) => word,
  (word: string) => `**${word}**`,
  (word: string) => `*${word}*`,
  (word: string) => `~~${word}~~`,
  (word: string) => `\`${word}\``,
  (word: string) => `[${word}](https://example.org/?a=1&b=${'2'.repeat(40)})`,
  (word: string) => `${word} & < > "quoted" * _ ~ @everyone`,
);
const shapes = fc.constantFrom<(texts: readonly string[], bare: readonly string[]) => string>(
  (texts) => texts.join(' '),
  (texts) => `## ${texts.join(' ')}`,
  (texts) => texts.map((text) => `- ${text}`).join('\n'),
  (texts) => texts.map((text, index) => `${'   '.repeat(index % 3)}${index % 3 === 0 ? '1.' : '-'} ${text}`).join('\n'),
  (texts) => texts.map((text) => `> ${text}`).join('\n'),
  (_texts, bare) => `\`\`\`ts\n${bare.map((word) => `const a = "${word}" < 1 && b;`).join('\n')}\n\`\`\``,
  (_texts, bare) => `| a | b |\n|---|--:|\n${bare.map((word) => `| ${word} | 1 |`).join('\n')}`,
);
const block = fc.record({
  shape: shapes,
  words: fc.array(fc.record({ flavour: flavours, style: styles }), { minLength: 1, maxLength: 80, size: 'max' }),
  filler: fc.constantFrom('', '', 'y'.repeat(5000)),
});

interface Document {
  readonly markdown: string;
  readonly words: readonly string[];
}

const documents = fc.array(block, { minLength: 1, maxLength: 4, size: 'max' }).map((blocks): Document => {
  const all: string[] = [];
  const written = blocks.map(({ shape, words, filler }) => {
    const bare = words.map(({ flavour }, index) => `${flavour}${all.length + index}end`);
    all.push(...bare);
    const text = shape(
      words.map(({ style }, index) => style(bare[index] ?? '')),
      bare,
    );
    return filler === '' ? text : `${text}\n\n${filler}`;
  });
  return { markdown: written.join('\n\n'), words: all };
});

/** Longer than one message of any platform. */
function longDocument(): Document {
  const words = Array.from({ length: 2500 }, (_unused, index) => `word${index}end`);
  return { markdown: words.join(' '), words };
}

export function splitting(bench: Bench): void {
  it('splits a text into parts that the platform takes, as messages and as edits, and that hold every word', async () => {
    const { rig, contract } = bench;
    let sent = 0;
    const isWhole = async ({ markdown, words }: Document): Promise<void> => {
      const before = rig.visible().length;
      for (const part of contract.platform.split(markdown)) {
        sent += 1;
        const ref = await bench.send(part, `part ${sent}`);
        await rig.adapter.edit?.(ref, bench.text(part), patience());
      }
      const shown = rig.visible().slice(before).join('\n');
      expect(words.filter((word) => !shown.includes(word))).toEqual([]);
    };
    await isWhole(longDocument());
    expect(sent).toBeGreaterThan(1);
    await fc.assert(fc.asyncProperty(documents, isWhole), { numRuns: RUNS });
  });
}
