import type { JsonObject } from '../../base/json.js';
import { Spilled, spilledIn, type SpillStore } from '../../model/spilled.js';
import type { SavedFile } from '../../model/tool.js';
import { toSavedFile, withoutSpilled as flatten } from '../../model/without-spilled.js';

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

/** The files of all that stands in a result as Spilled. */
export function savedFiles(result: JsonObject): readonly SavedFile[] {
  return spilledIn(result).map(toSavedFile);
}

/** A result as anybody may read it: where a value went to a file, its beginning stands, and where the rest is. */
export function withSpillPreviews(result: JsonObject): {
  readonly result: JsonObject;
  readonly saved: readonly SavedFile[];
} {
  const { structuredContent, ...rest } = result;
  // A beginning of it would be no JSON.
  const kept = structuredContent instanceof Spilled ? rest : result;
  return { result: flatten(kept) as JsonObject, saved: savedFiles(result) };
}
