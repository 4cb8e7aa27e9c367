import { type AssistantPart, NO_USAGE, type SessionEvent, type Usage } from '../../session/index.js';
// https://platform.claude.com/docs/en/build-with-claude/streaming
import { MESSAGE_REST, toBlock, toWholeUsage } from './stream-blocks.js';

/** Converts one streamed answer into the API's stream events, from which a client can assemble the message. */
export class PartialMessage {
  readonly id: string;
  readonly #model: string;
  /** The text or thinking block that is open. */
  #open: { readonly kind: 'text' | 'reasoning'; readonly index: number } | undefined;
  /** Indexes of open tool_use blocks, in order: their input is sent when the calls are complete. */
  readonly #calls: number[] = [];
  #count = 0;
  #isBegun = false;

  constructor(id: string, model: string) {
    this.id = id;
    this.#model = model;
  }

  take(event: SessionEvent): readonly object[] {
    if (event.kind === 'text' || event.kind === 'reasoning') {
      return [...this.#begin(), ...this.#words(event.kind, event.text)];
    }
    if (event.kind === 'message') return this.#end(event.parts, event.usage);
    if (event.kind !== 'writing-call') return [];
    const index = this.#count++;
    this.#calls.push(index);
    const block = { type: 'tool_use', id: event.id, name: event.name, input: {} };
    return [...this.#begin(), ...this.#stop(), { type: 'content_block_start', index, content_block: block }];
  }

  #begin(): readonly object[] {
    if (this.#isBegun) return [];
    this.#isBegun = true;
    const message = { id: this.id, type: 'message', role: 'assistant', model: this.#model, content: [] };
    const open = { ...MESSAGE_REST, stop_reason: null, usage: toWholeUsage(NO_USAGE) };
    return [{ type: 'message_start', message: { ...message, ...open } }];
  }

  #words(kind: 'text' | 'reasoning', text: string): readonly object[] {
    const events: object[] = [];
    if (this.#open?.kind !== kind) {
      events.push(...this.#stop());
      this.#open = { kind, index: this.#count++ };
      const block = kind === 'text' ? { type: 'text', text: '', citations: null } : THINKING;
      events.push({ type: 'content_block_start', index: this.#open.index, content_block: block });
    }
    const delta = kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text };
    return [...events, { type: 'content_block_delta', index: this.#open.index, delta }];
  }

  #stop(): readonly object[] {
    if (!this.#open) return [];
    const { index } = this.#open;
    this.#open = undefined;
    return [{ type: 'content_block_stop', index }];
  }

  #end(parts: readonly AssistantPart[], usage: Usage): readonly object[] {
    if (!this.#isBegun && parts.length === 0) return [];
    const calls = parts.flatMap((part) => (part.kind === 'call' ? this.#call(part) : []));
    const reason = calls.length > 0 ? 'tool_use' : 'end_turn';
    return [
      ...this.#begin(),
      ...this.#stop(),
      ...calls,
      // Calls that a stopped answer had begun are closed without input, and not made.
      ...this.#calls.splice(0).map((index) => ({ type: 'content_block_stop', index })),
      { type: 'message_delta', delta: toDelta(reason), context_management: null, usage: toWholeUsage(usage) },
      { type: 'message_stop' },
    ];
  }

  #call(part: Extract<AssistantPart, { kind: 'call' }>): readonly object[] {
    const known = this.#calls.shift();
    const index = known ?? this.#count++;
    const block = { ...toBlock(part, false), input: {} };
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(part.input) };
    return [
      ...(known === undefined ? [{ type: 'content_block_start', index, content_block: block }] : []),
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ];
  }
}

function toDelta(reason: string): object {
  return { stop_reason: reason, stop_sequence: null, stop_details: null, container: null };
}

const THINKING = { type: 'thinking', thinking: '', signature: '' } as const;
