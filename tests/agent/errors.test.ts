import { APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import { ModelError, type ModelErrorKind } from '../../agent/model.ts';
import { classify } from '../../agent/models/errors.ts';
import { retryAfterMs } from '../../agent/models/retry-after.ts';

interface Row {
  readonly from: string;
  readonly status: number;
  readonly error: unknown;
  readonly kind: ModelErrorKind;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As the openai client makes them from an answer's status and body. */
function apiError({ status, error, headers }: Row): APIError {
  return APIError.generate(status, { error } as object, undefined, new Headers(headers));
}

const message = (text: string, rest: object = {}) => ({ message: text, ...rest });

const table: readonly Row[] = [
  {
    from: 'OpenAI, a rate',
    status: 429,
    error: message('Rate limit reached for gpt on requests per min (RPM): Limit 3. Please try again in 20s.', {
      code: 'rate_limit_exceeded',
      type: 'requests',
    }),
    kind: 'rate_limit',
  },
  {
    from: 'OpenAI, a quota',
    status: 429,
    error: message('You exceeded your current quota, please check your plan and billing details.', {
      code: 'insufficient_quota',
      type: 'insufficient_quota',
    }),
    kind: 'billing',
  },
  {
    from: 'OpenAI, a minute too small for the request',
    status: 429,
    error: message('Request too large for gpt-4 in organization org on tokens per min (TPM): Limit 30000, Requested 61010.', {
      code: 'rate_limit_exceeded',
      type: 'tokens',
    }),
    kind: 'context_overflow',
  },
  { from: 'OpenAI, slow down', status: 503, error: message('Slow down', { code: 'slow_down' }), kind: 'overloaded' },
  {
    from: 'OpenAI, a window',
    status: 400,
    error: message("This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.", {
      code: 'context_length_exceeded',
    }),
    kind: 'context_overflow',
  },
  {
    from: 'OpenAI, a key',
    status: 401,
    error: message('Incorrect API key provided: sk-x***y.', { code: 'invalid_api_key' }),
    kind: 'auth',
  },
  {
    from: 'OpenAI, a country',
    status: 403,
    error: message('Country, region, or territory not supported', { code: 'unsupported_country_region_territory' }),
    kind: 'auth',
  },
  {
    from: 'OpenAI, a model',
    status: 404,
    error: message('The model `gpt-x` does not exist or you do not have access to it.', { code: 'model_not_found' }),
    kind: 'not_found',
  },
  {
    from: 'OpenAI, an image',
    status: 400,
    error: message('Invalid image data: could not parse.', { code: 'invalid_image_format' }),
    kind: 'image',
  },
  {
    from: 'OpenAI, an invalid prompt',
    status: 400,
    error: message('Your prompt was flagged as potentially violating our usage policy.', { code: 'invalid_prompt' }),
    kind: 'content_policy',
  },
  {
    from: 'OpenAI, structure',
    status: 400,
    error: message("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."),
    kind: 'bad_request',
  },
  {
    from: 'Azure, its filter',
    status: 400,
    error: message("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", {
      code: 'content_filter',
    }),
    kind: 'content_policy',
  },
  {
    from: 'Azure, a deployment',
    status: 404,
    error: message('The API deployment for this resource does not exist.', { code: 'DeploymentNotFound' }),
    kind: 'not_found',
  },
  {
    from: 'Anthropic, a window',
    status: 400,
    error: message('prompt is too long: 210000 tokens > 200000 maximum', { type: 'invalid_request_error' }),
    kind: 'context_overflow',
  },
  {
    from: 'Anthropic, window and answer',
    status: 400,
    error: message('input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'),
    kind: 'context_overflow',
  },
  { from: 'Anthropic, overloaded', status: 529, error: message('Overloaded', { type: 'overloaded_error' }), kind: 'overloaded' },
  {
    from: 'Anthropic, credit',
    status: 400,
    error: message('Your credit balance is too low to access the Anthropic API.'),
    kind: 'billing',
  },
  {
    from: 'Anthropic, pixels',
    status: 400,
    error: message('messages.0.content.1.image.source.base64: image dimensions exceed max allowed size: 8000 pixels'),
    kind: 'image',
  },
  { from: 'Anthropic, a broken image', status: 400, error: message('Could not process image'), kind: 'image' },
  {
    from: 'Gemini, a window',
    status: 400,
    error: message('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', {
      status: 'INVALID_ARGUMENT',
    }),
    kind: 'context_overflow',
  },
  {
    from: 'Gemini, a minute',
    status: 429,
    error: [
      {
        error: message('You exceeded your current quota, please check your plan and billing details. Please retry in 37.2s.', {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
        }),
      },
    ],
    kind: 'rate_limit',
  },
  {
    from: 'Gemini, overloaded',
    status: 503,
    error: message('The model is overloaded. Please try again later.', { status: 'UNAVAILABLE' }),
    kind: 'overloaded',
  },
  { from: 'Gemini, an image', status: 400, error: message('Unable to process input image. Please retry or report.'), kind: 'image' },
  {
    from: 'Gemini, a key',
    status: 400,
    error: message('API key not valid. Please pass a valid API key.', { status: 'INVALID_ARGUMENT' }),
    kind: 'auth',
  },
  {
    from: 'llama.cpp, a window',
    status: 400,
    error: message('the request exceeds the available context size, try increasing it', { type: 'exceed_context_size_error' }),
    kind: 'context_overflow',
  },
  {
    from: 'vLLM, a window',
    status: 400,
    error: message("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."),
    kind: 'context_overflow',
  },
  {
    from: 'xAI, a window',
    status: 400,
    error: message("This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
    kind: 'context_overflow',
  },
  {
    from: 'Groq, a window',
    status: 413,
    error: message('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' }),
    kind: 'context_overflow',
  },
  { from: 'Bedrock, a window', status: 400, error: message('Input is too long for requested model.'), kind: 'context_overflow' },
  {
    from: 'Mistral, a window',
    status: 400,
    error: message('Prompt contains 40000 tokens, too large for model with 32768 maximum context length'),
    kind: 'context_overflow',
  },
  {
    from: 'Kimi, a window',
    status: 400,
    error: message('Invalid request: Your request exceeded model token limit: 131072'),
    kind: 'context_overflow',
  },
  { from: 'DeepSeek, a balance', status: 402, error: message('Insufficient Balance', { code: 'invalid_request_error' }), kind: 'billing' },
  {
    from: 'DeepSeek, an image',
    status: 400,
    error: message('Failed to deserialize the JSON body: unknown variant `image_url`, expected `text`'),
    kind: 'image',
  },
  {
    from: 'OpenRouter, credits',
    status: 402,
    error: message('This request requires more credits, or fewer max_tokens.', { code: 402 }),
    kind: 'billing',
  },
  {
    from: 'OpenRouter, no seeing endpoint',
    status: 404,
    error: message('No endpoints found that support image input', { code: 404 }),
    kind: 'image',
  },
  { from: 'OpenRouter, moderation', status: 403, error: message('Input flagged by moderation', { code: 403 }), kind: 'content_policy' },
  { from: 'OpenRouter, a model', status: 400, error: message('foo/bar is not a valid model ID', { code: 400 }), kind: 'not_found' },
  { from: 'Ollama, a model', status: 404, error: message('model "llama9" not found, try pulling it first'), kind: 'not_found' },
  { from: 'a proxy, a body', status: 413, error: undefined, kind: 'context_overflow' },
  { from: 'a proxy, bad gateway', status: 502, error: undefined, kind: 'server' },
  { from: 'a proxy, gateway timeout', status: 504, error: undefined, kind: 'server' },
  { from: 'a proxy, request timeout', status: 408, error: undefined, kind: 'timeout' },
  { from: 'anyone, forbidden', status: 403, error: undefined, kind: 'auth' },
  { from: 'anyone, not found', status: 404, error: undefined, kind: 'not_found' },
  { from: 'anyone, conflict', status: 409, error: undefined, kind: 'server' },
  { from: 'anyone, unprocessable', status: 422, error: message('field required'), kind: 'bad_request' },
  { from: 'anyone, internal', status: 500, error: message('Internal error encountered.'), kind: 'server' },
  { from: 'anyone, unavailable', status: 503, error: undefined, kind: 'overloaded' },
];

const context = { model: 'gpt-x', bodyBegun: false };

describe('an answer of a provider', () => {
  it.each(table)('$from ($status) is $kind', (row) => {
    expect(classify(apiError(row), context).kind).toBe(row.kind);
  });

  it.each(table)('$from ($status) becomes one sentence without the provider’s words', (row) => {
    const error = classify(apiError(row), context);
    expect(error.message).toMatch(/^[A-Z].*\.$/);
    expect(error.message).not.toMatch(/sk-|org|\n/);
    expect(error.cause).toBeInstanceOf(APIError);
  });

  it.each([
    { error: message('Rate limit exceeded', { code: 429 }), kind: 'rate_limit' },
    { error: message('Provider returned error', { code: 502 }), kind: 'server' },
    { error: message('Overloaded', { type: 'overloaded_error' }), kind: 'overloaded' },
    { error: message('Internal server error', { code: 'server_error' }), kind: 'server' },
  ])('inside a stream ($error.message) is $kind', ({ error, kind }) => {
    expect(classify(new APIError(undefined, error, undefined, new Headers()), { model: 'm', bodyBegun: true }).kind).toBe(kind);
  });
});

describe('a failure of the network', () => {
  const coded = (text: string, code: string) => Object.assign(new Error(text), { code });
  const fetchFailed = (code: string) => Object.assign(new TypeError('fetch failed'), { cause: coded('x', code) });

  it.each([
    { error: new TypeError('terminated'), bodyBegun: true, kind: 'cut' },
    { error: Object.assign(new TypeError('terminated'), { cause: coded('x', 'UND_ERR_BODY_TIMEOUT') }), bodyBegun: true, kind: 'timeout' },
    { error: fetchFailed('ECONNREFUSED'), bodyBegun: false, kind: 'connection' },
    { error: fetchFailed('ECONNRESET'), bodyBegun: false, kind: 'connection' },
    { error: fetchFailed('ECONNRESET'), bodyBegun: true, kind: 'cut' },
    { error: fetchFailed('UND_ERR_SOCKET'), bodyBegun: false, kind: 'connection' },
    { error: fetchFailed('UND_ERR_HEADERS_TIMEOUT'), bodyBegun: false, kind: 'timeout' },
    { error: fetchFailed('UND_ERR_CONNECT_TIMEOUT'), bodyBegun: false, kind: 'timeout' },
    { error: fetchFailed('ENOTFOUND'), bodyBegun: false, kind: 'connection' },
    { error: fetchFailed('DEPTH_ZERO_SELF_SIGNED_CERT'), bodyBegun: false, kind: 'connection' },
    { error: new SyntaxError('malformed server-sent event JSON'), bodyBegun: true, kind: 'cut' },
  ])('$error.message ($error.cause.code, begun: $bodyBegun) is $kind', ({ error, bodyBegun, kind }) => {
    expect(classify(error, { model: 'm', bodyBegun }).kind).toBe(kind);
  });

  it('says what is wrong with the address', () => {
    expect(classify(fetchFailed('ECONNREFUSED'), context).message).toMatch(/nothing answers at its address.*model.base_url/);
    expect(classify(fetchFailed('SELF_SIGNED_CERT_IN_CHAIN'), context).message).toMatch(/certificate/);
  });
});

describe('a wait that the provider asks for', () => {
  it.each([
    { headers: { 'retry-after': '7' }, words: '', ms: 7_000 },
    { headers: { 'retry-after': '0.5' }, words: '', ms: 500 },
    { headers: { 'retry-after-ms': '1500', 'retry-after': '9' }, words: '', ms: 1_500 },
    { headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, words: '', ms: 30_000 },
    { headers: { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, words: '', ms: 0 },
    { headers: {}, words: 'Please try again in 1m3.5s. Visit', ms: 63_500 },
    { headers: {}, words: 'Please try again in 20ms.', ms: 20 },
    { headers: {}, words: '"retryDelay": "37s"', ms: 37_000 },
    { headers: {}, words: 'Please retry in 2 seconds.', ms: 2_000 },
    { headers: {}, words: 'try again later', ms: undefined },
    { headers: { 'retry-after': 'soon' }, words: '', ms: undefined },
  ])('$headers "$words" is $ms ms', ({ headers, words, ms }) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>), words, Date.parse('2026-01-01T00:00:00Z'))).toBe(ms);
  });

  it('is kept on the error', () => {
    const error = classify(
      apiError({ from: '', status: 429, error: message('x'), kind: 'rate_limit', headers: { 'retry-after': '3' } }),
      context,
    );
    expect(error).toMatchObject({ kind: 'rate_limit', retryAfterMs: 3_000 });
    expect(classify(error, context)).toBe(error);
    expect(error).toBeInstanceOf(ModelError);
  });
});
