import { isObject } from '../base/json.js';
import type { JsonObject } from '../wire/message.js';
import { Spilled, type SpillStore } from '../wire/spill.js';

/** A part of a result that is in a file, because it was too large for memory. */
export interface SavedFile {
  readonly path: string;
  readonly bytes: number;
  readonly mimeType: string;
}

/** A store that remembers whether it was needed: most results are not searched for what is not in them. */
export class WatchedSpill implements SpillStore {
  isUsed = false;
  readonly #store: SpillStore;

  constructor(store: SpillStore) {
    this.#store = store;
  }

  open(): ReturnType<SpillStore['open']> {
    this.isUsed = true;
    return this.#store.open();
  }
}

/** A result as anybody may read it: where a value went to a file, its beginning stands, and where the rest is. */
export function withoutSpilled(result: JsonObject): {
  readonly result: JsonObject;
  readonly saved: readonly SavedFile[];
} {
  const saved: SavedFile[] = [];
  const { structuredContent, ...rest } = result;
  // A beginning of it would be no JSON.
  if (structuredContent instanceof Spilled) standIn(structuredContent, saved);
  const kept = structuredContent === undefined || structuredContent instanceof Spilled ? rest : result;
  return { result: visit(kept, saved) as JsonObject, saved };
}

function visit(value: unknown, saved: SavedFile[]): unknown {
  if (value instanceof Spilled) return standIn(value, saved);
  if (Array.isArray(value)) return value.map((one) => visit(one, saved));
  if (!isObject(value)) return value;
  const { data, blob, ...rest } = value;
  if (!(data instanceof Spilled) && !(blob instanceof Spilled)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visit(one, saved)]));
  }
  // Half a picture is none: where it stood, a text says where it is.
  const kind = typeof rest['mimeType'] === 'string' ? rest['mimeType'] : 'binary data';
  const notes = [data, blob].flatMap((one) => (one instanceof Spilled ? [savedBinary(one, kind, saved)] : []));
  const isBlock = typeof rest['type'] === 'string';
  return { ...(visit(rest, saved) as JsonObject), ...(isBlock && { type: 'text' }), text: notes.join('\n') };
}

function savedBinary({ place, bytes }: Spilled, kind: string, saved: SavedFile[]): string {
  saved.push({ path: place, bytes, mimeType: 'text/plain' });
  return `[${kind}: ${bytes} bytes of base64, saved to ${place}]`;
}

function standIn({ kind, bytes, place, preview }: Spilled, saved: SavedFile[]): string {
  saved.push({ path: place, bytes, mimeType: kind === 'json' ? 'application/json' : 'text/plain' });
  return `${preview}\n… [${bytes} bytes in all, saved to ${place}]`;
}
