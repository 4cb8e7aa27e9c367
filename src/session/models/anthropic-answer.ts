// https://platform.claude.com/docs/en/build-with-claude/streaming
import { isObject, type JsonObject } from '../../base/json.js';
import type { ModelEvent, StopReason } from '../model-port.js';
import { AnthropicBlocks } from './anthropic-blocks.js';
import type { AnswerReader } from './open-model.js';
import { toAnthropicUsage } from './usage.js';

/** Reads one answer of Anthropic's API: its blocks, its usage, and why it ended. */
export class AnthropicAnswer implements AnswerReader {
  readonly #blocks = new AnthropicBlocks();
  readonly #usage: Partial<Record<(typeof FIGURES)[number], unknown>> = {};
  #reason = '';
  #id: unknown;
  #state: 'waiting' | 'speaking' | 'mixed' = 'waiting';

  /** Skips events that this code does not know. Undefined when the first one is not of this API. */
  read(event: unknown): readonly ModelEvent[] | undefined {
    if (this.#state === 'mixed') return [];
    const { type, message, delta, usage }: JsonObject = isObject(event) ? event : {};
    if (typeof type !== 'string') return this.#state === 'waiting' ? undefined : [];
    if (type === 'message_start') this.#start(isObject(message) ? message : {});
    this.#state = this.#state === 'waiting' ? 'speaking' : this.#state;
    if (type === 'message_delta') this.#note(isObject(delta) ? delta['stop_reason'] : undefined, usage);
    const said = this.#blocks.read(event);
    if (type !== 'message_stop') return said;
    return [...said, { kind: 'end', reason: REASONS[this.#reason] ?? 'other', usage: toAnthropicUsage(this.#usage) }];
  }

  /** An answer without `message_stop` is not complete. */
  end(): readonly ModelEvent[] {
    return [];
  }

  /** Some servers send `message_start` twice. With another id, two answers are mixed up, and neither is complete. */
  #start({ id = null, stop_reason: reason, usage }: JsonObject): void {
    if (this.#id !== undefined && this.#id !== id) this.#state = 'mixed';
    this.#id = id;
    this.#note(reason, usage);
  }

  /** Later figures replace earlier ones; what they leave out still holds. */
  #note(reason: unknown, usage: unknown): void {
    if (typeof reason === 'string') this.#reason = reason;
    const told: JsonObject = isObject(usage) ? usage : {};
    for (const field of FIGURES) this.#usage[field] = told[field] ?? this.#usage[field];
  }
}

const FIGURES = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'iterations',
] as const;

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'done',
  stop_sequence: 'done',
  tool_use: 'calls',
  pause_turn: 'paused',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
};
