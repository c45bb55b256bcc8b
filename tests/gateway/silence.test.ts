import { expect, test } from 'vitest';
import { isSilence, mayBecomeSilence } from '../../gateway/silence.ts';

test.each([
  '[SILENT]',
  'SILENT',
  'NO_REPLY',
  'NO REPLY',
  '[silent]',
  'No_Reply',
  '  [SILENT]\n',
  'no\n  reply',
  '\t no \u00a0 reply ',
  `${'\n'.repeat(80)}SILENT`,
])('%j is silence', (text) => {
  expect(isSilence(text)).toBe(true);
});

test.each([
  '',
  ' ',
  'I will be SILENT',
  '[SILENT] for now',
  'Done.\n\n[SILENT]',
  '[SILENT].',
  'NO_REPLY NO_REPLY',
  '`NO_REPLY`',
  '```\n[SILENT]\n```',
  '"NO REPLY"',
  '**SILENT**',
  'SILENTLY',
  'NO-REPLY',
  'NOREPLY',
  '[ SILENT ]',
  '[NO_REPLY]',
  `NO${' '.repeat(60)}REPLY`,
])('%j is an answer', (text) => {
  expect(isSilence(text)).toBe(false);
});

test.each(['', ' ', '[', '\n[Sil', 'SILENT', 'no', 'NO ', 'no\n  re', 'NO_REPL', '[SILENT]\n'])('%j may become silence', (text) => {
  expect(mayBecomeSilence(text)).toBe(true);
});

test.each(['I', '[x', 'Not', 'SILENTLY', 'NO-', 'NO_REPLY.', '[SILENT] for', 'Silence'])('%j becomes an answer', (text) => {
  expect(mayBecomeSilence(text)).toBe(false);
});
