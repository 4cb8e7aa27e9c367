// https://platform.openai.com/docs/api-reference/chat-streaming
import { isObject, type JsonObject } from '../../base/json.js';
import type { ModelEvent, StopReason } from '../model-port.js';
import type { AnswerReader } from './open-model.js';
import { OpenaiCalls } from './openai-calls.js';
import { toOpenaiUsage } from './usage.js';

/** Reads one answer of OpenAI's API or a compatible one: text and reasoning as they come, calls at the end. */
export class OpenaiAnswer implements AnswerReader {
  readonly #calls = new OpenaiCalls();
  #words: { readonly kind: 'text' | 'reasoning'; text: string } | undefined;
  /** The endpoint's field for reasoning. */
  #field: string | undefined;
  #reason: string | undefined;
  #usage: JsonObject = {};

  read(chunk: unknown): readonly ModelEvent[] | undefined {
    if (!isObject(chunk)) return undefined;
    const { choices, usage } = chunk;
    if (isObject(usage)) this.#usage = usage;
    // The usage may come in a chunk of its own, with an empty list of choices or without one.
    if (choices === undefined || choices === null) return isObject(usage) ? [] : undefined;
    const [choice]: unknown[] = Array.isArray(choices) ? choices : [null];
    if (choice === undefined) return [];
    if (!isObject(choice)) return undefined;
    const { delta, finish_reason: reason } = choice;
    if (typeof reason === 'string' && reason !== '') this.#reason = reason;
    if (delta === undefined || delta === null) return [];
    return isObject(delta) ? this.#readDelta(delta) : undefined;
  }

  /** Some endpoints end with `[DONE]` and some do not; an answer without a finish reason is not complete. */
  end(): readonly ModelEvent[] {
    const calls = this.#calls.end();
    if (this.#reason === undefined || !calls) return [];
    return [
      ...this.#flush(),
      ...calls.map((part) => ({ kind: 'part', part }) as const),
      { kind: 'end', reason: REASONS[this.#reason] ?? 'other', usage: toOpenaiUsage(this.#usage) },
    ];
  }

  #readDelta(delta: JsonObject): readonly ModelEvent[] | undefined {
    const words = toWords(delta['content']);
    const calls = delta['tool_calls'] ?? [];
    const field = FIELDS.find((name) => typeof delta[name] === 'string' && delta[name] !== '');
    if (!words || !Array.isArray(calls)) return undefined;
    const said: ModelEvent[] = [];
    if (field !== undefined) {
      this.#field ??= field;
      said.push(...this.#say('reasoning', String(delta[field])));
    }
    for (const { kind, text } of words) said.push(...this.#say(kind, text));
    for (const piece of calls) {
      const begun = this.#calls.read(piece);
      if (!begun) return undefined;
      if (begun.length > 0) said.push(...this.#flush(), ...begun);
    }
    return said;
  }

  #say(kind: 'text' | 'reasoning', text: string): readonly ModelEvent[] {
    if (text === '') return [];
    const ended = this.#words?.kind === kind ? [] : this.#flush();
    this.#words ??= { kind, text: '' };
    this.#words.text += text;
    return [...ended, { kind, text }];
  }

  #flush(): readonly ModelEvent[] {
    const words = this.#words;
    this.#words = undefined;
    if (!words) return [];
    const { kind, text } = words;
    if (kind === 'text') return [{ kind: 'part', part: { kind, text } }];
    const field = this.#field;
    return [{ kind: 'part', part: { kind, text, ...(field !== undefined && { extra: { field } }) } }];
  }
}

/** Endpoints differ in the name, and each wants its own back. */
const FIELDS = ['reasoning_content', 'reasoning'] as const;

const REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'done',
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'length',
  model_context_window_exceeded: 'length', // Z.ai
  content_filter: 'refused',
};

type Words = { readonly kind: 'text' | 'reasoning'; readonly text: string };

/** The text of a delta: a string, or parts of which some are reasoning (Mistral); undefined for anything else. */
function toWords(content: unknown): readonly Words[] | undefined {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (content === undefined || content === null) return [];
  return Array.isArray(content) ? content.flatMap(toPartWords) : undefined;
}

function toPartWords(part: unknown): readonly Words[] {
  const { type, thinking }: JsonObject = isObject(part) ? part : {};
  if (type === 'text') return [{ kind: 'text', text: toPlain(part) }];
  if (type !== 'thinking' || !Array.isArray(thinking)) return [];
  return [{ kind: 'reasoning', text: thinking.map(toPlain).join('') }];
}

function toPlain(part: unknown): string {
  const { type, text }: JsonObject = isObject(part) ? part : {};
  return type === 'text' && typeof text === 'string' ? text : '';
}
