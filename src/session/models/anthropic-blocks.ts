// https://platform.claude.com/docs/en/build-with-claude/streaming
import { isDeeper, isObject, type JsonObject } from '../../base/json.js';
import type { AssistantPart } from '../message.js';
import type { ModelEvent } from '../model-port.js';
import { type CallInput, checkCallInput, readCallInput } from './call-input.js';

/**
 * Builds the blocks of an answer from its events, so that each can be sent back as it came, unknown kinds included.
 * What a part has no field for is in its `extra`.
 */
export class AnthropicBlocks {
  readonly #open = new Map<number, OpenBlock>();
  /** The names of calls that the provider runs itself, by id. */
  readonly #names = new Map<string, string>();

  /** The model events for one event of the API; none for one that is not about blocks. */
  read(event: unknown): readonly ModelEvent[] {
    if (isObject(event) && event['type'] === 'message_stop') return this.#end();
    if (!isObject(event) || typeof event['index'] !== 'number') return [];
    const { type, index, content_block: block, delta } = event;
    if (type === 'content_block_start' && isObject(block)) return this.#start(index, block);
    const open = this.#open.get(index);
    if (!open) return [];
    if (type === 'content_block_delta' && isObject(delta)) return grow(open, delta);
    if (type !== 'content_block_stop') return [];
    this.#open.delete(index);
    return [{ kind: 'part', part: this.#toPart(open) }];
  }

  #start(index: number, block: JsonObject): readonly ModelEvent[] {
    const open: OpenBlock = { block, text: toText(block['text'] ?? block['thinking']), json: '', citations: [] };
    this.#open.set(index, open);
    const { id, name } = block;
    if (block['type'] === 'tool_use') return [{ kind: 'writing-call', id: toText(id), name: toText(name) }];
    if (typeof id === 'string') this.#names.set(id, toText(name));
    if (open.text === '') return [];
    return [{ kind: block['type'] === 'thinking' ? 'reasoning' : 'text', text: open.text }];
  }

  /** Completes the open blocks: some compatible servers do not send where a block ends. */
  #end(): readonly ModelEvent[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open.map((block) => ({ kind: 'part', part: toWhole(this.#toPart(block)) }));
  }

  #toPart({ block, text, json, citations, signature }: OpenBlock): AssistantPart {
    const { type, id: rawId, name: rawName, input: rawInput, ...rest } = block;
    const id = toText(rawId);
    const name = toText(rawName);
    switch (type) {
      case 'text': {
        const extra = { ...leave(rest, ['text', 'citations']), ...(citations.length > 0 && { citations }) };
        return { kind: 'text', text, ...toExtra(extra) };
      }
      case 'thinking': {
        const signed = { ...leave(rest, ['thinking', 'signature']), signature: signature ?? toText(rest['signature']) };
        return { kind: 'reasoning', text, extra: { type, ...signed } };
      }
      case 'tool_use': {
        const extra = toExtra(leave(rest, []));
        return { kind: 'call', id, name, ...toInput(rawInput, json), ...extra };
      }
      default: {
        const whole = isDeeper(block, DEPTH) ? { type } : block;
        const { tool_use_id: key, content } = whole;
        if (typeof key === 'string') {
          const called = this.#names.get(key) ?? toText(type).replace(/_tool_result$/u, '');
          const extra = { type, ...leave(rest, ['tool_use_id', 'content']) };
          return { kind: 'provider-result', id: key, name: called, result: content, isError: isFailed(whole), extra };
        }
        if (id !== '' && name !== '') {
          const { input } = toInput(rawInput, json);
          return { kind: 'provider-call', id, name, input, extra: { type, ...leave(rest, []) } };
        }
        return { kind: 'reasoning', text: '', extra: text === '' ? whole : { ...whole, content: text } };
      }
    }
  }
}

/** A call with neither an end nor arguments may have lost its arguments. */
function toWhole(part: AssistantPart): AssistantPart {
  if (part.kind !== 'call' || part.fault !== undefined || Object.keys(part.input).length > 0) return part;
  return { ...part, fault: 'its arguments never came' };
}

const DEPTH = 500; // serialising it again needs stack for each level

interface OpenBlock {
  readonly block: JsonObject;
  text: string;
  json: string;
  signature?: string;
  readonly citations: unknown[];
}

function grow(open: OpenBlock, delta: JsonObject): readonly ModelEvent[] {
  const { type, text, thinking, partial_json: json, signature, citation, content } = delta;
  switch (type) {
    case 'text_delta':
      open.text += toText(text);
      return toText(text) === '' ? [] : [{ kind: 'text', text: toText(text) }];
    case 'thinking_delta':
      open.text += toText(thinking);
      return toText(thinking) === '' ? [] : [{ kind: 'reasoning', text: toText(thinking) }];
    case 'input_json_delta':
      open.json += toText(json);
      return [];
    case 'signature_delta':
      open.signature = toText(signature);
      return [];
    case 'citations_delta':
      if (isObject(citation) && !isDeeper(citation, DEPTH)) open.citations.push(citation);
      return [];
    case 'compaction_delta':
      open.text += toText(content);
      return [];
    default:
      return []; // a kind newer than this code
  }
}

/** The other fields of a block; null ones are left out. */
function leave(rest: JsonObject, known: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(rest).filter(
      ([key, value]) => key !== 'type' && value !== null && !known.includes(key) && !isDeeper(value, DEPTH),
    ),
  );
}

/** The input mostly comes in pieces; some servers send it whole, where the block begins. */
function toInput(whole: unknown, json: string): CallInput {
  return json === '' && isObject(whole) ? checkCallInput(whole) : readCallInput(json);
}

function toExtra(extra: JsonObject): { readonly extra?: JsonObject } {
  return Object.keys(extra).length > 0 ? { extra } : {};
}

function isFailed({ content, is_error: isError }: JsonObject): boolean {
  if (isError === true) return true;
  return isObject(content) && toText(content['type']).endsWith('_error');
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
