import { expect, test } from 'vitest';
import { HostError } from '../../base/errors.js';
import { contextFullOf, isContextFull, readContextFull } from './context-full.js';

const message = (text: string, more: object = {}) => ({ error: { message: text, ...more } });

test.each<[api: string, status: number, body: unknown, expected: object]>([
  [
    'Anthropic',
    400,
    message('prompt is too long: 213462 tokens > 200000 maximum', { type: 'invalid_request_error' }),
    { limit: 200_000, tokens: 213_462 },
  ],
  [
    'Anthropic, with the answer counted',
    400,
    message('input length and `max_tokens` exceed context limit: 170636 + 34048 > 200000, decrease input length'),
    { limit: 200_000 },
  ],
  ['Anthropic, by its size', 413, message('Request exceeds the maximum size', { type: 'request_too_large' }), {}],
  ['a proxy', 413, '<html>Request Entity Too Large</html>', {}],
  [
    'OpenAI',
    400,
    message(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 128417 tokens. Please reduce the length of the messages.",
      { code: 'context_length_exceeded' },
    ),
    { limit: 128_000, tokens: 128_417 },
  ],
  [
    'OpenAI, without numbers',
    400,
    message('Your input exceeds the context window of this model. Please adjust your input and try again.', {
      code: 'context_length_exceeded',
    }),
    {},
  ],
  ['OpenAI, by its code alone', 400, { error: { code: 'context_length_exceeded', message: 'No' } }, {}],
  [
    'vLLM',
    400,
    {
      object: 'error',
      message:
        "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens",
      code: 400,
    },
    { limit: 262_144 },
  ],
  [
    'SGLang',
    400,
    { message: "The input (400013 tokens) is longer than the model's context length (262144 tokens)." },
    { limit: 262_144, tokens: 400_013 },
  ],
  [
    'llama.cpp',
    400,
    message('the request exceeds the available context size. try increasing the context size', {
      type: 'exceed_context_size_error',
      n_prompt_tokens: 14_429,
      n_ctx: 8_192,
    }),
    { limit: 8_192, tokens: 14_429 },
  ],
  [
    'llama.cpp, before it had a code for it',
    500,
    message('the request exceeds the available context size. try increasing the context size'),
    {},
  ],
  [
    'LM Studio',
    400,
    {
      error:
        'Trying to keep the first 6021 tokens when context the overflows. The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 6021>= n_ctx: 4096)',
    },
    { limit: 4_096 },
  ],
  ['Ollama', 400, { error: 'prompt too long; exceeded max context length by 512 tokens' }, {}],
  [
    'OpenRouter',
    400,
    message(
      "This endpoint's maximum context length is 1,048,576 tokens. However, you requested about 1,293,741 tokens",
    ),
    { limit: 1_048_576, tokens: 1_293_741 },
  ],
  [
    'a provider behind OpenRouter',
    400,
    message('Provider returned error', {
      metadata: { raw: '{"error":"Input length 131393 exceeds the maximum allowed input length of 131040 tokens."}' },
    }),
    { limit: 131_040, tokens: 131_393 },
  ],
  [
    'Gemini',
    400,
    message('The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'),
    { limit: 1_048_575, tokens: 1_196_265 },
  ],
  [
    'Mistral',
    400,
    {
      message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    },
    { limit: 32_768, tokens: 40_000 },
  ],
  [
    'xAI',
    400,
    { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    { limit: 131_072, tokens: 537_812 },
  ],
  [
    'Kimi',
    400,
    message('Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)'),
    { limit: 262_144, tokens: 291_351 },
  ],
  ['Groq', 400, message('Please reduce the length of the messages or completion.'), {}],
  ['DashScope', 400, message('Range of input length should be [1, 129024]'), { limit: 129_024 }],
  ['Bedrock', 400, { message: 'Input is too long for requested model.' }, {}],
  ['MiniMax', 400, message('invalid params, context window exceeds limit (2013)'), {}],
  ['an API without JSON', 422, 'Error: prompt is too long', {}],
])('a conversation that is too long for %s is recognized', (_, status, body, expected) => {
  expect(readContextFull(status, body)).toEqual(expected);
});

test.each<[what: string, status: number, body: unknown]>([
  ['a limit of requests', 429, message('Request too large: tokens per minute (TPM): Limit 6000, Requested 7000')],
  ['a limit of tokens a minute', 400, message('Too many tokens, please wait before you exceed your limit')],
  ['a limit of the answer', 400, message('max_tokens: 64000 > 32000, which is the maximum allowed number of output')],
  ['a description', 400, message('tools.0.description: String should have at most 1024 characters')],
  ['an unknown field', 400, message('context_window: Extra inputs are not permitted')],
  ['a broken image', 400, message('messages.0.content.1.image: Could not process image')],
  ['an overload', 529, message('Overloaded')],
  ['a failure of the server', 500, message('Internal server error')],
  ['nothing', 400, undefined],
  ['odd shapes', 400, { error: [{ message: 7 }], message: { a: 1 }, detail: [1] }],
])('%s is another refusal', (_, status, body) => {
  expect(readContextFull(status, body)).toBeUndefined();
});

test('a number that no window has is not believed', () => {
  const read = ['0', '12', '1000000000000', '8192'].map((limit) =>
    readContextFull(400, message(`maximum context length is ${limit} tokens`)),
  );
  expect(read).toEqual([{}, {}, {}, { limit: 8_192 }]);
});

test('only the refusal of a model is one', () => {
  const detail = { kind: 'http', status: 400, contextFull: { limit: 9_000 } } as const;
  expect(contextFullOf(new HostError('model-failed', 'x', { detail }))).toEqual({ limit: 9_000 });
  expect(isContextFull(new HostError('http-failed', 'x', { detail }))).toBe(false);
  expect(isContextFull(new HostError('model-failed', 'x', { detail: { kind: 'http', status: 400 } }))).toBe(false);
});
