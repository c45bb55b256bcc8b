const tokens: readonly string[] = ['[SILENT]', 'SILENT', 'NO_REPLY', 'NO REPLY'];

/** An answer by which the model says that it has nothing to say. It is stored and not delivered. Only the whole answer counts. */
export function isSilence(text: string): boolean {
  const answer = text.trim();
  return answer.length <= 64 && tokens.includes(answer.replace(/\s+/g, ' ').toUpperCase());
}

/** Of an answer that still grows: as far as it has come it is nothing but the beginning of silence, and not to be shown yet. */
export function mayBecomeSilence(text: string): boolean {
  const beginning = text.trimStart().replace(/\s+/g, ' ').toUpperCase();
  return tokens.some((token) => `${token} `.startsWith(beginning));
}
