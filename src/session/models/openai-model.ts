import type { ModelPort } from '../model-port.js';
import type { ModelOptions } from './endpoint.js';
import { openModel } from './open-model.js';
import { OpenaiAnswer } from './openai-answer.js';
import { toOpenaiBody } from './openai-request.js';

/** A model behind OpenAI's Chat Completions API, or anything that speaks like it: Ollama, llama.cpp, vLLM, LM Studio. */
export function openOpenaiModel(options: ModelOptions): ModelPort {
  return openModel(options, {
    profile: 'openai',
    contextTokens: CONTEXT,
    path: '/chat/completions',
    toBody: toOpenaiBody,
    openAnswer: () => new OpenaiAnswer(),
  });
}

const CONTEXT = 128_000;
