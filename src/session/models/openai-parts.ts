import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { isObject } from '../../base/json.js';
import type { AssistantPart } from '../message.js';
import type { ModelEvent, StopReason } from '../model-port.js';
import { readCallInput } from './call-input.js';
import { readUsage } from './usage.js';

/** Puts the parts of an answer together: the SDK tells of words that end only when everything does. */
export class OpenaiParts {
  #words: { readonly kind: 'text' | 'reasoning'; text: string } | undefined;
  /** What the endpoint calls reasoning. */
  #field: string | undefined;

  read(part: LanguageModelV3StreamPart): readonly ModelEvent[] {
    const { type } = part;
    if (type === 'raw') this.#field ??= toField(part.rawValue);
    if (type === 'text-delta') return this.#say('text', part.delta);
    if (type === 'reasoning-delta') return this.#say('reasoning', part.delta);
    if (type === 'tool-input-start') {
      return [...this.#flush(), { kind: 'writing-call', id: part.id, name: part.toolName }];
    }
    if (type === 'tool-call') return [...this.#flush(), { kind: 'part', part: toCall(part) }];
    if (type !== 'finish') return [];
    const reason = REASONS[part.finishReason.unified] ?? 'other';
    return [...this.#flush(), { kind: 'end', reason, usage: readUsage(part.usage) }];
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

const REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'done',
  'tool-calls': 'calls',
  length: 'length',
  'content-filter': 'refused',
};

function toCall(part: Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>): AssistantPart {
  const { toolCallId: id, toolName: name, input: text, providerMetadata } = part;
  const signature = Object.values(providerMetadata ?? {})[0]?.['thoughtSignature'];
  const signed = typeof signature === 'string' && { extra_content: { google: { thought_signature: signature } } };
  const written = text.trim() === '' ? '{}' : text;
  return { kind: 'call', id, name, ...readCallInput(text), extra: { arguments: written, ...signed } };
}

/** Endpoints do not agree on a name, and want their own back. */
function toField(chunk: unknown): string | undefined {
  const choices = isObject(chunk) ? chunk['choices'] : undefined;
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const delta = isObject(first) ? first['delta'] : undefined;
  if (!isObject(delta)) return undefined;
  return ['reasoning_content', 'reasoning'].find((field) => typeof delta[field] === 'string' && delta[field] !== '');
}
