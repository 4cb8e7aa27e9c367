import type { SpillPart } from '../model/spilled.js';

/** Files for the parts of results that a model is not shown directly. */
export interface ResultStore {
  readonly folder: string;
  /** Opens a new file, named by Plugboard; `extension` never comes from a server. Errors are reported by `end`. */
  open(extension: string): SpillPart;
}
