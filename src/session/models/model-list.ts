// https://platform.claude.com/docs/en/api/models/retrieve and the lists of OpenAI-compatible APIs
import { isObject, type JsonObject, parseJson } from '../../base/json.js';

/** A model as the list of an API has it. */
export interface ListedModel {
  readonly name: string;
  /** The size of its context window; undefined when the list does not say, or says something impossible. */
  readonly contextTokens: number | undefined;
}

/** The models of a list; an unreadable one counts as empty. */
export function parseModelList(text: string): readonly ListedModel[] {
  const body = parseJson(text);
  const list = isObject(body) ? body['data'] : undefined;
  return (Array.isArray(list) ? list : [])
    .filter(isObject)
    .flatMap((model) => {
      const { id } = model;
      return typeof id === 'string' && isName(id) ? [{ name: id, contextTokens: readContextTokens(model) }] : [];
    })
    .slice(0, NAMES);
}

/** The context window of one model: the smallest of what is said, since a server may load less than a model can. */
export function readContextTokens(model: unknown): number | undefined {
  if (!isObject(model)) return undefined;
  const places = [model, ...NESTED.map((name) => model[name])].filter(isObject);
  const sizes = places.flatMap((place) => FIELDS.map((field) => toContextSize(place[field])));
  const known = sizes.filter((size) => size !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** The size for a name. A server with one model gives that for any name. */
export function contextTokensOf(models: readonly ListedModel[], name: string): number | undefined {
  const [only, ...others] = models;
  return (models.find((model) => model.name === name) ?? (others.length === 0 ? only : undefined))?.contextTokens;
}

/** A number of tokens that a context window can have; undefined for anything else that an API may say. */
export function toContextSize(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return undefined;
  return value >= SMALLEST && value <= LARGEST ? value : undefined;
}

/** Each with an API that has it. */
const FIELDS: readonly string[] = [
  'max_input_tokens', // Anthropic
  'context_length', // OpenRouter, Together
  'max_model_len', // vLLM, SGLang
  'context_window', // Groq
  'max_context_length', // Mistral, LM Studio
  'loaded_context_length', // LM Studio
  'n_ctx', // llama.cpp
];

/** OpenRouter says what its first provider takes, llama.cpp what it has loaded. */
const NESTED: readonly (keyof JsonObject)[] = ['top_provider', 'meta'];

const NAMES = 1_000;
const NAME_LENGTH = 200;
const SMALLEST = 256; // smaller than any model that can follow an instruction
const LARGEST = 100_000_000; // ten times the largest window of a model that can be used

function isName(name: string): boolean {
  return name.length <= NAME_LENGTH && /^[\x21-\x7e]+$/u.test(name);
}
