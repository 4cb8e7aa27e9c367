import { isObject } from '../../base/json.js';
import { gateJson } from '../../model/text/json-gate.js';
import { gateText } from '../../model/text/text-gate.js';
import type { ContentBlock } from '../../model/tool.js';
import type { Redact } from './server-text.js';

/** A block of content as a server sent it, cleaned; undefined when it is none. */
export function readBlock(block: unknown, redact: Redact): ContentBlock | undefined {
  if (typeof block === 'string') return { type: 'text', text: cleanServerText(block, redact) };
  if (!isObject(block) || typeof block['type'] !== 'string') return undefined;
  if (block['type'] === 'text' && typeof block['text'] !== 'string') return undefined;
  const gated = gateJson(block, { depth: DEPTH_LIMIT, nodes: NODE_LIMIT }).value as ContentBlock;
  const { text, resource } = gated;
  return {
    ...gated,
    ...(typeof text === 'string' && { text: redact(text) }),
    ...(isObject(resource) &&
      typeof resource['text'] === 'string' && { resource: { ...resource, text: redact(resource['text']) } }),
  };
}

/** A text of any length: nothing hidden in it, and nothing that the server was told in confidence. */
export function cleanServerText(text: string, redact: Redact): string {
  return redact(gateText(text).text);
}

const DEPTH_LIMIT = 32; // a block has three
const NODE_LIMIT = 10_000;
