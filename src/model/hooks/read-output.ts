import { isObject, type JsonObject } from '../../base/json.js';
import { BadAnswer, quoteAnswer, wrongValue } from './answer-fields.js';
import type { HookOutput } from './hook-call.js';

/** Takes a text, a list of blocks, or an object with `content` and `structuredContent`. Throws `BadAnswer`. */
export function readOutput(output: unknown, field = 'updatedMCPToolOutput'): HookOutput {
  if (typeof output === 'string') return { content: [{ type: 'text', text: output }] };
  if (Array.isArray(output)) return { content: output.map((block: unknown) => readBlock(block, field)) };
  if (!isObject(output)) throw wrongValue(field, 'a text, a list or an object', output);
  const { content, structuredContent } = output;
  if (content === undefined && structuredContent === undefined)
    throw new BadAnswer(`says an object for ${field} that has neither content nor structuredContent`);
  if (content !== undefined && !Array.isArray(content)) throw wrongValue(`${field}.content`, 'a list', content);
  if (structuredContent !== undefined && !isObject(structuredContent))
    throw wrongValue(`${field}.structuredContent`, 'an object', structuredContent);
  const blocks = (content ?? []).map((block: unknown) => readBlock(block, field));
  return { content: blocks, ...(structuredContent !== undefined && { structuredContent }) };
}

function readBlock(given: unknown, field: string): JsonObject {
  if (!isObject(given)) throw wrongValue(`a block of ${field}`, 'an object', given);
  const block = given['type'] === 'image' && given['source'] !== undefined ? toMcpImage(given) : given;
  const { type } = block;
  if (typeof type !== 'string') throw wrongValue(`type in a block of ${field}`, 'a text', type);
  const needed = BLOCK_FIELDS.get(type);
  if (!needed) throw new BadAnswer(`answers with a block of the type ${quoteAnswer(type)}, which there is not`);
  for (const name of needed) {
    const value = block[name];
    const isThere = name === 'resource' ? isObject(value) : typeof value === 'string';
    if (!isThere)
      throw wrongValue(`${name} in a block of the type ${type}`, name === 'resource' ? 'an object' : 'a text', value);
  }
  return block;
}

/** A picture in the form that hooks are shown it: see `toToolResponse`. */
function toMcpImage({ source }: JsonObject): JsonObject {
  if (!isObject(source) || source['type'] !== 'base64') throw wrongValue('source of an image', 'base64', source);
  return { type: 'image', data: source['data'], mimeType: source['media_type'] };
}

const BLOCK_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource', ['resource']],
  ['resource_link', ['uri']],
]);
