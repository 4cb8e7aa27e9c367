// https://platform.claude.com/docs/en/api/messages and .../build-with-claude/prompt-caching
import { isObject, type JsonObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import type { AssistantPart, Message, UserPart } from '../message.js';
import type { ModelRequest } from '../model-port.js';
import { toSampling } from './anthropic-sampling.js';
import type { ModelOptions } from './model-endpoint.js';

/**
 * The body of one request. Tools and results have the API's format already. Its fields are in the order in which the
 * cache reads them, with what grows at the end, so that a request begins with the bytes of the one before.
 */
export function toAnthropicBody(options: ModelOptions, request: ModelRequest): JsonObject {
  const { tools, system, messages, toolChoice } = request;
  return {
    model: options.name,
    ...toSampling(options, request),
    stream: true,
    // The API itself moves this mark to the end of the conversation: no block that was sent changes for it.
    cache_control: EPHEMERAL,
    ...(toolChoice !== undefined && tools.length > 0 && { tool_choice: { type: CHOICES[toolChoice] } }),
    ...(tools.length > 0 && { tools: toMarkedTools(tools) }),
    ...(system.length > 0 && { system: toSystem(system) }),
    messages: toMessages(messages),
  };
}

const EPHEMERAL = { type: 'ephemeral' };
const CHOICES = { auto: 'auto', required: 'any', none: 'none' } as const;
const SYSTEM_MARKS = 2; // a request may have four marks; one is for the tools, and one for the conversation

/** Marks the last tool that is not deferred: the cache does not include deferred ones, and they may not be marked. */
function toMarkedTools(tools: readonly object[]): readonly object[] {
  const last = tools.findLastIndex((tool) => !('defer_loading' in tool && tool.defer_loading === true));
  return tools.map((tool, at) => (at === last ? { ...tool, cache_control: EPHEMERAL } : tool));
}

/** What never changes gets a mark of its own, because other conversations begin with it, too. */
function toSystem(texts: readonly string[]): readonly JsonObject[] {
  const marked = new Set([0, texts.length - 1].slice(-SYSTEM_MARKS));
  return texts.map((text, at) => ({ type: 'text', text, ...(marked.has(at) && { cache_control: EPHEMERAL }) }));
}

/** Joins messages of one role in a row: the API would do so itself, some compatible servers do not. */
function toMessages(messages: readonly Message[]): readonly JsonObject[] {
  const written: { role: 'user' | 'assistant'; content: object[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = toBlocks(message);
    const last = written.at(-1);
    if (blocks.length === 0) continue;
    if (last?.role === role) last.content.push(...blocks);
    else written.push({ role, content: [...blocks] });
  }
  return written;
}

function toBlocks(message: Message): readonly object[] {
  switch (message.role) {
    case 'user':
      return message.parts.flatMap(toUserBlock);
    case 'assistant':
      return message.parts.flatMap(toAssistantBlock);
    case 'results':
      return message.results;
    default:
      return unreachable(message);
  }
}

/** A blank text is refused. */
function toUserBlock(part: UserPart): readonly object[] {
  if (part.kind === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  const { mimeType, data } = part;
  if (!IMAGES.has(mimeType)) return [{ type: 'text', text: `[An image that cannot be shown: ${mimeType}]` }];
  return [{ type: 'image', source: { type: 'base64', media_type: mimeType, data } }];
}

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** The block as it came, from the part and its `extra`: see anthropic-blocks.ts. */
function toAssistantBlock(part: AssistantPart): readonly object[] {
  const extra: JsonObject = isObject(part.extra) ? part.extra : {};
  switch (part.kind) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text, ...extra }];
    case 'reasoning':
      // Thinking without its signature is refused.
      if (extra['type'] === 'thinking') return [{ type: 'thinking', thinking: part.text, ...extra }];
      return typeof extra['type'] === 'string' ? [extra] : [];
    case 'call':
      return [{ type: 'tool_use', id: part.id, name: part.name, input: part.input, ...extra }];
    case 'provider-call':
      return [{ type: 'server_tool_use', id: part.id, name: part.name, input: part.input, ...extra }];
    case 'provider-result':
      return [{ type: `${part.name}_tool_result`, tool_use_id: part.id, content: part.result, ...extra }];
    default:
      return unreachable(part);
  }
}
