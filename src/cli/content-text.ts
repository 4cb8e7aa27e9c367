import { gateText } from '../model/text-gate.js';

/** A result as people read it: texts as they are, everything else as a line that says what it is. */
export function contentText(content: readonly { readonly [field: string]: unknown }[], structured: unknown): string {
  const parts = content.map(blockText);
  if (structured !== undefined && !parts.some((part) => part !== ''))
    parts.push(clean(JSON.stringify(structured, null, 2)));
  return parts.join('\n');
}

function blockText(block: { readonly [field: string]: unknown }): string {
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? clean(block['text']) : savedText(block['text']);
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
  const body = typeof text === 'string' ? `\n${clean(text)}` : blob === undefined ? '' : ` ${size(blob)}`;
  return `[resource ${word(uri)}]${body}`;
}

/** A text that was too large for memory, where it went to. */
function savedText(value: unknown): string {
  return isSaved(value) ? `${clean(value.preview)}\n… ${value.bytes} bytes in all, saved to ${value.place}` : '';
}

/** Everything in a result that went to a file, wherever in it. */
export function savedIn(
  value: unknown,
): { readonly path: string; readonly bytes: number; readonly mimeType: string }[] {
  if (isSaved(value)) {
    const mimeType = value.kind === 'json' ? 'application/json' : 'text/plain';
    return [{ path: value.place, bytes: value.bytes, mimeType }];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(savedIn) : [];
}

interface SavedValue {
  readonly kind: 'text' | 'json';
  readonly place: string;
  readonly bytes: number;
  readonly preview: string;
}

function isSaved(value: unknown): value is SavedValue {
  return typeof value === 'object' && value !== null && 'place' in value && 'preview' in value && 'bytes' in value;
}

function clean(text: string): string {
  return gateText(text).text;
}

function word(value: unknown): string {
  return typeof value === 'string' ? gateText(value, { limit: 200 }).text.replaceAll('\n', ' ') : 'unknown';
}

/** Of base64: what it decodes to. */
function size(data: unknown): string {
  if (typeof data === 'string') return `${Math.floor((data.length * 3) / 4)} bytes`;
  return isSaved(data) ? `saved to ${data.place}` : 'no data';
}
