import type { ModelErrorKind } from '../model.ts';

/** What a provider says about a failure, as far as it can be told from its words. */
export interface Spoken {
  readonly status?: number;
  readonly code: string;
  readonly words: string;
}

interface Rule {
  readonly kind: ModelErrorKind;
  readonly pattern: RegExp;
  /** Looked for in `code` instead of in the words. */
  readonly in?: 'code';
  /** Only where the status is one of these (or unknown). */
  readonly statuses?: readonly number[];
}

const clientErrors = [400, 404, 413, 415, 422, 500];

/**
 * The first match wins. Words come before statuses, because providers agree on words more than on statuses: the same overflow is a 400
 * at one, a 413 or a 500 at another, and a quota that never comes back is a 429 like one that is back in a second.
 */
const rules: readonly Rule[] = [
  { kind: 'billing', in: 'code', pattern: /insufficient_quota|billing|insufficient_balance|credits?_exhausted/i },
  // Gemini says "exceeded your current quota" for its limits per minute too; then it also says when to come back
  { kind: 'rate_limit', pattern: /retryDelay|(re)?try (again )?in \d/i, statuses: [429] },
  {
    kind: 'billing',
    pattern:
      /exceeded your current quota|credit balance is too low|insufficient (balance|credits?|funds|quota)|spend(ing)? limit|billing (hard )?limit|more credits/i,
  },
  // A request larger than what a minute may hold never succeeds by waiting
  { kind: 'context_overflow', pattern: /request too large[\s\S]*tokens per min/i },
  { kind: 'context_overflow', in: 'code', pattern: /context_length_exceeded|exceed_context_size|context_window_exceeded/i },
  {
    kind: 'image',
    pattern:
      /(image|image_url|multimodal|vision)[^.]{0,80}(not supported|unsupported|not support|invalid|exceed|too (large|big|many)|could not|corrupt|cannot)|(could not|cannot|unable to|failed to|does not|do not|doesn't|not|invalid|unsupported|unknown variant|support)[^.]{0,40}(image|multimodal|vision)/i,
    statuses: clientErrors,
  },
  { kind: 'image', in: 'code', pattern: /invalid_image|image_parse_error|image_too_large|unsupported_image|image_content_policy/i },
  {
    kind: 'context_overflow',
    pattern: new RegExp(
      [
        'maximum context length', // OpenAI, Azure, DeepSeek, vLLM, OpenRouter, Mistral
        'prompt is too long', // Anthropic, Fireworks
        'input length and .?max_tokens.? exceed', // Anthropic
        'input token count .*exceeds the maximum', // Gemini
        'exceeds? the available context size', // llama.cpp
        'maximum prompt length is', // xAI
        'reduce the length of the messages', // Groq
        'input is too long for requested model', // Bedrock
        'too many tokens', // Cohere
        'greater than the context length', // LM Studio
        'exceed(s|ed)? (the |its |your )?(model'.concat("'?s? )?(context|token limit|input token)"), // Kimi and others
        'context (window|length) (is )?exceed', // MiniMax and others
        'inputs. tokens \\+ .max_new_tokens. must be', // Together, TGI
        'prompt token count of .* exceeds the limit', // GitHub
        'prompt exceeds max length', // z.ai
        'too large for model with', // Mistral
      ].join('|'),
      'i',
    ),
  },
  { kind: 'content_policy', in: 'code', pattern: /content_policy|content_filter|moderation|safety_block|data_inspection_failed/i },
  {
    kind: 'content_policy',
    pattern:
      /flagged (as|by|for)|content management policy|content (policy|exists? risk)|moderation|usage policies|safety (system|filter)/i,
    statuses: [400, 403, 422, 451],
  },
  { kind: 'not_found', in: 'code', pattern: /model_not_found|not_found_error|deployment_?not_?found/i },
  {
    kind: 'not_found',
    pattern: /model[^.]{0,80}(not found|does not exist|not exist|is not a valid model|not available)|(unknown|invalid|no such) model/i,
    statuses: [400, 404, 422],
  },
  { kind: 'auth', in: 'code', pattern: /invalid_api_key|authentication_error|permission_error/i },
  {
    kind: 'auth',
    pattern: /(incorrect|invalid|missing|no) api[ _-]?key|api[ _-]?key (is )?(not valid|invalid|expired)/i,
    statuses: [400, 401, 403],
  },
  { kind: 'overloaded', in: 'code', pattern: /overloaded|slow_down|server_busy|unavailable|engine_overloaded/i },
  {
    kind: 'overloaded',
    pattern: /overloaded|server is busy|no (instances|capacity)|at capacity|try again later due to high/i,
    statuses: [429, 500, 503, 529],
  },
  { kind: 'rate_limit', in: 'code', pattern: /rate_limit|resource_exhausted|too_many_requests/i },
  { kind: 'timeout', in: 'code', pattern: /^timeout|request_timeout/i },
];

function matches(rule: Rule, { status, code, words }: Spoken): boolean {
  if (rule.statuses !== undefined && status !== undefined && !rule.statuses.includes(status)) return false;
  return rule.pattern.test(rule.in === 'code' ? code : words);
}

export function kindOfWords(spoken: Spoken): ModelErrorKind | undefined {
  return rules.find((rule) => matches(rule, spoken))?.kind;
}
