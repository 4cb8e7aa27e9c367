import { isObject } from '../base/json.js';
import { unreachable } from '../base/never.js';
import { toTokenCount } from '../model/text/tokens.js';
import type { AssistantPart, Message } from './message.js';
import type { ModelRequest } from './model-port.js';

/** What was counted before, by message and tool: neither changes once it is there. */
export type TokenCounts = WeakMap<object, number>;

/**
 * An estimate of the tokens of a request, for APIs that report none and for what was not sent yet. With `counts` each
 * message and tool is counted once, however often it is sent again.
 */
export function estimateTokens(
  { tools, system, messages }: Pick<ModelRequest, 'tools' | 'system' | 'messages'>,
  counts: TokenCounts = new WeakMap(),
): number {
  return (
    sum(tools, (tool) => count(tool, counts, charactersIn)) +
    sum(system, (text) => toTokenCount(text.length)) +
    sum(messages, (message) => MESSAGE_TOKENS + count(message, counts, charactersOf))
  );
}

function count<Counted extends object>(
  counted: Counted,
  counts: TokenCounts,
  toCharacters: (counted: Counted) => number,
): number {
  const known = counts.get(counted);
  if (known !== undefined) return known;
  const tokens = toTokenCount(toCharacters(counted));
  counts.set(counted, tokens);
  return tokens;
}

function charactersOf(message: Message): number {
  switch (message.role) {
    case 'user':
      return sum(message.parts, (part) => (part.kind === 'text' ? part.text.length : IMAGE_CHARACTERS));
    case 'assistant':
      return sum(message.parts, charactersOfPart);
    case 'results':
      return charactersIn(message.results);
    default:
      return unreachable(message);
  }
}

/** `extra` is sent back, too: signatures are long. But a call's arguments as written are its input once more. */
function charactersOfPart({ extra, ...part }: AssistantPart): number {
  const { arguments: _, ...others } = isObject(extra) ? extra : {};
  return part.kind === 'text' ? part.text.length + charactersIn(others) : charactersIn(part) + charactersIn(others);
}

/** The characters of a value as JSON. An image costs the same, however large its file. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.startsWith('data:image/') ? IMAGE_CHARACTERS : value.length + 2;
  if (Array.isArray(value)) return sum(value, (item) => charactersIn(item) + 1) + 2;
  if (!isObject(value)) return String(value).length;
  const { type, source } = value;
  if (type === 'image' && isObject(source) && typeof source['data'] === 'string') return IMAGE_CHARACTERS;
  return (
    sum(Object.entries(value), ([name, item]) => (item === undefined ? 0 : name.length + charactersIn(item) + 4)) + 2
  );
}

function sum<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((total, item) => total + toNumber(item), 0);
}

const MESSAGE_TOKENS = 4; // the role, and the marks around a message
const IMAGE_CHARACTERS = 6_400; // 1,600 tokens: what an image costs that is as large as APIs take it
