import type { Usage } from '../../agent/events.ts';

export interface AnswerFacts {
  readonly model: string;
  readonly elapsedMs: number;
  readonly usage: Usage;
}

/** The last line under an answer, where the owner wants one. */
export function footerLine({ model, elapsedMs, usage }: AnswerFacts): string {
  const seconds = Math.round(elapsedMs / 1000);
  const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `\`${model.replaceAll('`', "'")}\` · ${time} · ${count(usage.inputTokens)} tokens in, ${count(usage.outputTokens)} out`;
}

function count(tokens: number): string {
  return tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(tokens < 100_000 ? 1 : 0)}k`;
}
