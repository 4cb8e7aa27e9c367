import { isObject } from '../base/json.js';
import { Spilled } from './spilled.js';
import type { SavedFile } from './tool.js';

/** A readable value: each `Spilled` becomes its beginning and the path of the file. */
export function withoutSpilled(value: unknown): unknown {
  if (value instanceof Spilled) return `${value.preview}\n… [${value.bytes} bytes in all, saved to ${value.place}]`;
  if (Array.isArray(value)) return value.map(withoutSpilled);
  if (!isObject(value)) return value;
  const { data, blob, ...rest } = value;
  if (!(data instanceof Spilled) && !(blob instanceof Spilled)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutSpilled(one)]));
  }
  // A truncated image is useless, so a text says where the file is.
  const kind = typeof rest['mimeType'] === 'string' ? rest['mimeType'] : 'binary data';
  const notes = [data, blob].flatMap((one) => (one instanceof Spilled ? [binaryStandIn(one, kind)] : []));
  const isBlock = typeof rest['type'] === 'string';
  return { ...(withoutSpilled(rest) as object), ...(isBlock && { type: 'text' }), text: notes.join('\n') };
}

export function toSavedFile({ place, bytes, kind }: Spilled): SavedFile {
  return { path: place, bytes, mimeType: kind === 'json' ? 'application/json' : 'text/plain' };
}

function binaryStandIn({ place, bytes }: Spilled, kind: string): string {
  return `[${kind}: ${bytes} bytes of base64, saved to ${place}]`;
}
