import { AnthropicAnswer } from './anthropic-answer.js';
import { toAnthropicBody } from './anthropic-request.js';
import { anthropicUnsupported, toBetas } from './anthropic-sampling.js';
import type { ModelEndpoint } from './model-endpoint.js';
import type { ModelApi } from './open-model.js';
import { OpenaiAnswer } from './openai-answer.js';
import { openaiUnsupported, toOpenaiBody } from './openai-request.js';

export const dialects: Readonly<Record<ModelEndpoint['api'], ModelApi>> = {
  /** Anthropic's Messages API, and compatible ones. */
  anthropic: {
    profile: 'anthropic',
    contextTokens: 200_000, // every current model takes these; some take more, on request
    path: '/messages',
    toBody: toAnthropicBody,
    toHeaders: (options) => {
      const betas = toBetas(options);
      return ['anthropic-version', '2023-06-01', ...(betas.length > 0 ? ['anthropic-beta', betas.join(',')] : [])];
    },
    unsupported: anthropicUnsupported,
    openAnswer: () => new AnthropicAnswer(),
  },
  /** OpenAI's Chat Completions API, and compatible ones: Ollama, llama.cpp, vLLM, LM Studio. */
  openai: {
    profile: 'openai',
    contextTokens: 128_000,
    path: '/chat/completions',
    toBody: toOpenaiBody,
    toHeaders: () => [],
    unsupported: openaiUnsupported,
    openAnswer: () => new OpenaiAnswer(),
  },
};
