import { isObject, type JsonObject } from '../../base/json.js';
import { gateJson } from '../../model/text/json-gate.js';
import { gateText } from '../../model/text/text-gate.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { Redact } from './server-text.js';

/** A server's content block, cleaned; undefined when it is malformed. */
export function readBlock(block: unknown, redact: Redact): ContentBlock | undefined {
  if (typeof block === 'string') return { type: 'text', text: cleanServerText(block, redact) };
  if (!isObject(block) || typeof block['type'] !== 'string') return undefined;
  if (block['type'] === 'text' && typeof block['text'] !== 'string') return undefined;
  const gated = gateJson(block, { depth: DEPTH_LIMIT, nodes: NODE_LIMIT }).value as JsonObject;
  const { text, resource } = gated;
  const cleaned = {
    ...gated,
    ...(typeof text === 'string' && { text: redact(text) }),
    ...(isObject(resource) &&
      typeof resource['text'] === 'string' && { resource: { ...resource, text: redact(resource['text']) } }),
  };
  return cleaned as ContentBlock;
}

/** Text of any length, without hidden characters and without secrets that the server received. */
export function cleanServerText(text: string, redact: Redact): string {
  return redact(gateText(text).text);
}

const DEPTH_LIMIT = 32; // a valid block has three levels
const NODE_LIMIT = 10_000;
