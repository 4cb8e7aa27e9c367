import type { SpillPart } from '../../model/spilled.js';

/** How to treat the value of a key of the outermost object. */
export type ValueTreatment = 'build' | 'skip' | 'spill' | ListTreatment;

/** The value has a list: it is built, and its list is cut where it has too many items or takes too much memory. */
export interface ListTreatment {
  readonly items: number;
  /** What the items may take all together, in bytes of text and some more for each value. By default 64 MB. */
  readonly listBytes?: number;
  /** The same for a single item. By default 8 MB. */
  readonly itemBytes?: number;
}

export interface JsonStreamOptions {
  readonly route: (key: string) => ValueTreatment;
  /**
   * Asked for each list of a value that is spilled: how to treat the value if this list says that it is not for a spill
   * file. A response whose id comes last is told apart in this way.
   */
  readonly listAt?: (key: string) => ListTreatment | undefined;
  /** Opens a spill file for a value that is too large for memory; called only below a key with route `spill`. */
  readonly openPart: () => SpillPart;
  /** The longest string without a spill file, in bytes. */
  readonly textLimit?: number;
}

/** A spilled value, and where in the tree its `Spilled` object belongs. */
export interface SpilledPlace {
  readonly kind: 'text' | 'json';
  readonly part: SpillPart;
  /** The path of the file, once it is written. */
  readonly place: Promise<string>;
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
  readonly bytes: number;
  readonly preview: string;
}

/** Why a message is given up. */
export type Fault = 'depth' | 'values' | 'large' | 'text';
