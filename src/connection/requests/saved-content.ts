import type { JsonObject } from '../../base/json.js';
import { Spilled, spilledIn, type SpillStore } from '../../model/spilled.js';
import type { SavedFile } from '../../model/tool.js';
import { toSavedFile, withoutSpilled as flatten } from '../../model/without-spilled.js';

/** A store that records whether it was used, so that most results need not be searched for a `Spilled`. */
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

/** The files of all `Spilled` values in a result. */
export function savedFiles(result: JsonObject): readonly SavedFile[] {
  return spilledIn(result).map(toSavedFile);
}

/** The result with each `Spilled` replaced by its beginning and the path of its file. */
export function withSpillPreviews(result: JsonObject): {
  readonly result: JsonObject;
  readonly saved: readonly SavedFile[];
} {
  const { structuredContent, ...rest } = result;
  // Left out: the beginning of a JSON value is not JSON.
  const kept = structuredContent instanceof Spilled ? rest : result;
  return { result: flatten(kept) as JsonObject, saved: savedFiles(result) };
}
