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
  return { result: visit(result, saved) as JsonObject, saved };
}

function visit(value: unknown, saved: SavedFile[]): unknown {
  if (value instanceof Spilled) return standIn(value, saved);
  if (Array.isArray(value)) return value.map((one) => visit(one, saved));
  if (!isObject(value)) return value;
  const { data, blob, mimeType } = value;
  const binary = data instanceof Spilled ? data : blob instanceof Spilled ? blob : undefined;
  if (binary) {
    // Half a picture is none.
    saved.push({ path: binary.place, bytes: binary.bytes, mimeType: 'text/plain' });
    const kind = typeof mimeType === 'string' ? mimeType : 'binary data';
    return { type: 'text', text: `[${kind}: ${binary.bytes} bytes of base64, saved to ${binary.place}]` };
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visit(one, saved)]));
}

function standIn({ kind, bytes, place, preview }: Spilled, saved: SavedFile[]): string {
  saved.push({ path: place, bytes, mimeType: kind === 'json' ? 'application/json' : 'text/plain' });
  return `${preview}\n… [${bytes} bytes in all, saved to ${place}]`;
}
