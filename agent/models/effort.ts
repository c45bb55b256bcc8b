/** How much a model should think: not every model hears of it, and not every one of every degree. */
import type { ModelRequest } from '../model.ts';
import { describe } from './errors.ts';

const refusals: readonly number[] = [400, 404, 422];
/** OpenAI, Azure, Groq and Mistral name the parameter; xAI writes it in one word, Ollama speaks of thinking. */
const wording = /reasoning[ _.]?effort|does not support (thinking|reasoning)/i;

function isRefused(error: unknown): boolean {
  const { status, words } = describe(error);
  return status !== undefined && refusals.includes(status) && wording.test(words);
}

type Send<T> = (request: ModelRequest) => Promise<T>;

/** Asks once more without the degree where the provider refuses it, and does not name that one again. */
export function createEffort(): <T>(request: ModelRequest, send: Send<T>) => Promise<T> {
  const refused = new Set<string>();
  return async (request, send) => {
    const { reasoning, ...without } = request;
    if (!reasoning || refused.has(reasoning)) return send(without);
    try {
      return await send(request);
    } catch (error) {
      if (!isRefused(error)) throw error;
      refused.add(reasoning);
      return send(without);
    }
  };
}
