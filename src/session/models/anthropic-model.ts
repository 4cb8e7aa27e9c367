import type { ModelPort } from '../model-port.js';
import { AnthropicAnswer } from './anthropic-answer.js';
import { toAnthropicBody } from './anthropic-request.js';
import type { ModelOptions } from './endpoint.js';
import { openModel } from './open-model.js';

/** A model behind Anthropic's Messages API, or one that speaks like it. */
export function openAnthropicModel(options: ModelOptions): ModelPort {
  return openModel(options, {
    profile: 'anthropic',
    contextTokens: CONTEXT,
    path: '/messages',
    toBody: toAnthropicBody,
    openAnswer: () => new AnthropicAnswer(),
  });
}

const CONTEXT = 200_000; // what every current model takes; some more, where that is asked for
