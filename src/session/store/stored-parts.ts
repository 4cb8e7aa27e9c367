import { isObject, type JsonObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import type { AssistantPart, UserPart } from '../message.js';
import { LineFault } from './session-error.js';

/** A part of a message as a content block of a session file; what other programs do not know is in fields of ours. */
export function toStoredPart(part: AssistantPart | UserPart): object {
  const extra = 'extra' in part && part.extra !== undefined ? { extra: part.extra } : {};
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text, ...extra };
    case 'image':
      return { type: 'image', source: toSource(part.mimeType, part.data) };
    case 'reasoning':
      return { type: 'thinking', thinking: part.text, ...extra };
    case 'call': {
      const { id, name, input, fault } = part;
      return { type: 'tool_use', id, name, input, ...(fault !== undefined && { fault }), ...extra };
    }
    case 'provider-call':
      return { type: 'server_tool_use', id: part.id, name: part.name, input: part.input, ...extra };
    case 'provider-result': {
      const { id, name, result, isError } = part;
      return { type: 'server_tool_result', tool_use_id: id, name, content: result, is_error: isError, ...extra };
    }
    default:
      return unreachable(part);
  }
}

export function toSource(mimeType: string, data: string): object {
  return { type: 'base64', media_type: mimeType, data };
}

/** Throws a `LineFault`. */
export function toUserPart(block: unknown): UserPart {
  if (!isObject(block)) throw new LineFault('a content block is not an object');
  if (block['type'] === 'text') return { kind: 'text', text: textField(block, 'text') };
  if (block['type'] !== 'image') throw new LineFault(`a user message has a block of type ${quoted(block['type'])}`);
  const { source } = block;
  if (!isObject(source) || source['type'] !== 'base64') throw new LineFault('an image has no base64 source');
  return { kind: 'image', mimeType: textField(source, 'media_type'), data: textField(source, 'data') };
}

/** Throws a `LineFault`. */
export function toAssistantPart(block: unknown): AssistantPart {
  if (!isObject(block)) throw new LineFault('a content block is not an object');
  const { extra } = block;
  if (extra !== undefined && (extra === null || typeof extra !== 'object')) {
    throw new LineFault('"extra" of a content block is not an object');
  }
  const part = bareAssistantPart(block);
  return extra === undefined ? part : { ...part, extra };
}

function bareAssistantPart(block: JsonObject): AssistantPart {
  const { type, input } = block;
  switch (type) {
    case 'text':
      return { kind: 'text', text: textField(block, 'text') };
    case 'thinking':
      return { kind: 'reasoning', text: textField(block, 'thinking') };
    case 'tool_use': {
      if (!isObject(input)) throw new LineFault('the input of a call is not an object');
      const fault = block['fault'] === undefined ? {} : { fault: textField(block, 'fault') };
      return { kind: 'call', id: filledField(block, 'id'), name: textField(block, 'name'), input, ...fault };
    }
    case 'server_tool_use':
      return { kind: 'provider-call', id: textField(block, 'id'), name: textField(block, 'name'), input };
    case 'server_tool_result': {
      const { content: result, is_error: isError } = block;
      if (typeof isError !== 'boolean') throw new LineFault('"is_error" is neither true nor false');
      return {
        kind: 'provider-result',
        id: textField(block, 'tool_use_id'),
        name: textField(block, 'name'),
        result,
        isError,
      };
    }
    default:
      throw new LineFault(`an assistant message has a block of type ${quoted(type)}`);
  }
}

/** A field that has to be a text. Throws a `LineFault`. */
export function textField(fields: JsonObject, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw new LineFault(`"${name}" is not a text`);
}

/** A field that has to be a text with at least one character. Throws a `LineFault`. */
export function filledField(fields: JsonObject, name: string): string {
  const value = textField(fields, name);
  if (value !== '') return value;
  throw new LineFault(`"${name}" is empty`);
}

/** A value of a broken line, for its error. */
export function quoted(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, SAID)}"` : typeof value;
}

const SAID = 60; // characters
