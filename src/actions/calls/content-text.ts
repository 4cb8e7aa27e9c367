import { gateText } from '../../model/text/text-gate.js';

/** A result as people read it, other blocks than text described in a line. `structured`: what no text repeats. */
export function contentText(content: readonly { readonly [field: string]: unknown }[], structured: unknown): string {
  const parts = content.map(blockText);
  if (structured !== undefined) parts.push(clean(JSON.stringify(structured, null, 2)));
  return parts.join('\n');
}

function blockText(block: { readonly [field: string]: unknown }): string {
  switch (block['type']) {
    case 'text':
      return clean(String(block['text']));
    case 'image':
    case 'audio':
      return `[${block['type']} ${word(block['mimeType'])}, ${size(block['data'])}]`;
    case 'resource_link':
      return `[resource ${word(block['uri'])}]`;
    case 'resource':
      return resourceText(block['resource']);
    default:
      return `[a block of type ${word(block['type'])}]`;
  }
}

function resourceText(resource: unknown): string {
  const { uri, text, blob } = (typeof resource === 'object' && resource !== null ? resource : {}) as {
    uri?: unknown;
    text?: unknown;
    blob?: unknown;
  };
  const bytes = blob === undefined ? '' : ` ${size(blob)}`;
  return `[resource ${word(uri)}]${bytes}${typeof text === 'string' ? `\n${clean(text)}` : ''}`;
}

function clean(text: string): string {
  return gateText(text).text;
}

function word(value: unknown): string {
  return typeof value === 'string' ? gateText(value, { limit: 200 }).text.replaceAll('\n', ' ') : 'unknown';
}

/** The decoded size of base64 data. */
function size(data: unknown): string {
  if (typeof data !== 'string') return 'no data';
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return `${Math.floor((data.length * 3) / 4) - padding} bytes`;
}
