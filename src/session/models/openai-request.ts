// https://platform.openai.com/docs/api-reference/chat/create
import { isObject, type JsonObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import type { AssistantPart, Message, UserPart } from '../message.js';
import type { ModelRequest } from '../model-port.js';
import type { ModelOptions } from './model-endpoint.js';
import type { TuningField } from './model-tuning.js';

/**
 * The body of one request. Tools and results have the API's format already. What grows is at the end, so that a request
 * begins with the bytes of the one before.
 */
export function toOpenaiBody(options: ModelOptions, request: ModelRequest): JsonObject {
  const { tools, system, messages, temperature, stopSequences, toolChoice } = request;
  return {
    model: options.name,
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stop: stopSequences }),
    ...toReasoningEffort(options),
    stream: true,
    stream_options: { include_usage: true },
    ...toLimit(options, request),
    ...(toolChoice !== undefined && tools.length > 0 && { tool_choice: toolChoice }),
    ...(tools.length > 0 && { tools }),
    // One system message: the templates of many models accept no second one.
    messages: [
      ...(system.length > 0 ? [{ role: 'system', content: system.join('\n\n') }] : []),
      ...joinUsers(messages.flatMap(toMessages)),
    ],
  };
}

/** What of the tuning this API does not have. */
export function openaiUnsupported({ tuning = {} }: ModelOptions): readonly TuningField[] {
  return (['thinking', 'betas', 'taskBudget'] as const).filter((field) => tuning[field] !== undefined);
}

/** The word of Anthropic's API for the highest effort is `max`. */
function toReasoningEffort({ tuning }: ModelOptions): JsonObject {
  const { effort } = tuning ?? {};
  return effort === undefined ? {} : { reasoning_effort: effort === 'max' ? 'xhigh' : effort };
}

/** OpenAI itself has renamed the limit. */
function toLimit({ endpoint, maxTokens: usual }: ModelOptions, { maxTokens = usual }: ModelRequest): JsonObject {
  if (maxTokens === undefined) return {};
  const isTheirs = new URL(endpoint.baseUrl).hostname === 'api.openai.com';
  return { [isTheirs ? 'max_completion_tokens' : 'max_tokens']: maxTokens };
}

/**
 * The templates of many models require user and assistant to alternate. Adjacent user messages were sent together: no
 * model has read the first without the second.
 */
function joinUsers(messages: readonly object[]): readonly object[] {
  const joined: object[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    if (before && isUser(before) && isUser(message)) joined.splice(-1, 1, joinTwo(before, message));
    else joined.push(message);
  }
  return joined;
}

interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly object[];
}

function isUser(message: object): message is UserMessage {
  return 'role' in message && message.role === 'user' && 'content' in message;
}

function joinTwo({ content: one }: UserMessage, { content: other }: UserMessage): UserMessage {
  if (typeof one === 'string' && typeof other === 'string') return { role: 'user', content: `${one}\n\n${other}` };
  return { role: 'user', content: [...toList(one), ...toList(other)] };
}

function toList(content: UserMessage['content']): readonly object[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function toMessages(message: Message): readonly object[] {
  switch (message.role) {
    case 'user':
      return toUserMessages(message.parts);
    case 'assistant':
      return toAssistantMessages(message.parts);
    case 'results':
      return message.results;
    default:
      return unreachable(message);
  }
}

function toUserMessages(parts: readonly UserPart[]): readonly object[] {
  const content = parts.flatMap(toUserPart);
  if (content.length === 0) return [];
  const [first] = content;
  return [{ role: 'user', content: content.length === 1 && first && 'text' in first ? first.text : content }];
}

function toUserPart(
  part: UserPart,
): readonly ({ type: 'text'; text: string } | { type: 'image_url'; image_url: JsonObject })[] {
  if (part.kind === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  const { mimeType, data } = part;
  if (!IMAGES.has(mimeType)) return [{ type: 'text', text: `[An image that cannot be shown: ${mimeType}]` }];
  return [{ type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }];
}

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

function toAssistantMessages(parts: readonly AssistantPart[]): readonly object[] {
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  const calls = parts.flatMap(toToolCall);
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...toReasoning(parts),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

/** The arguments as the model wrote them, so that the model reads the same bytes as before. */
function toToolCall(part: AssistantPart): readonly object[] {
  if (part.kind !== 'call') return [];
  const { arguments: written, ...extra }: JsonObject = isObject(part.extra) ? part.extra : {};
  const text = typeof written === 'string' && part.fault === undefined ? written : JSON.stringify(part.input);
  return [{ id: part.id, type: 'function', function: { name: part.name, arguments: text }, ...extra }];
}

/** In the field that the reasoning came in; an endpoint without such a field would refuse it. */
function toReasoning(parts: readonly AssistantPart[]): JsonObject {
  const reasoned = parts.filter((part) => part.kind === 'reasoning');
  const field = reasoned.map(({ extra }) => (isObject(extra) ? extra['field'] : undefined)).find(isField);
  return field === undefined ? {} : { [field]: reasoned.map(({ text }) => text).join('') };
}

function isField(field: unknown): field is 'reasoning_content' | 'reasoning' {
  return field === 'reasoning_content' || field === 'reasoning';
}
