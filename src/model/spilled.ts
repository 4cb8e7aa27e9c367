/** Replaces a value in a result that was too large for memory and went to a file. */
export class Spilled {
  /** `text`: a string, unescaped, as UTF-8. `json`: a value as the server wrote it. */
  readonly kind: 'text' | 'json';
  /** The size of the file. */
  readonly bytes: number;
  /** The path of the file. */
  readonly place: string;
  /** The beginning of the value. */
  readonly preview: string;

  constructor(spilled: { kind: 'text' | 'json'; bytes: number; place: string; preview: string }) {
    this.kind = spilled.kind;
    this.bytes = spilled.bytes;
    this.place = spilled.place;
    this.preview = spilled.preview;
  }
}

/** All `Spilled` objects in a value. */
export function spilledIn(value: unknown, depth = DEPTH_LIMIT): readonly Spilled[] {
  if (value instanceof Spilled) return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return NONE;
  return Object.values(value).flatMap((one) => (typeof one === 'object' ? spilledIn(one, depth - 1) : NONE));
}

/** A `Spilled` and where it stands, as a JSON Pointer (RFC 6901). */
export interface PlacedSpilled {
  readonly at: string;
  readonly spilled: Spilled;
}

/** As `spilledIn`, with the place of each. */
export function spilledPlaces(value: unknown, at = '', depth = DEPTH_LIMIT): readonly PlacedSpilled[] {
  if (value instanceof Spilled) return [{ at, spilled: value }];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    typeof one === 'object' ? spilledPlaces(one, `${at}/${pointerStep(key)}`, depth - 1) : [],
  );
}

function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

const NONE: readonly Spilled[] = [];
const DEPTH_LIMIT = 512; // the depth that the wire accepts

/**
 * The request is for a list. Of a response that is too large for memory as many items are kept as fit, and `cutOf` says
 * what there was more.
 */
export interface ListRoom {
  /** The field of the result that has the list. */
  readonly key: string;
  /** Items of the list that are kept, at most. */
  readonly items: number;
}

/** What of a list was not kept: what comes after the last item, or items between the others that are too large. */
export type ListCut = 'rest' | 'items';

const CUT: unique symbol = Symbol('cut');

export function markCut(list: object, cut: ListCut): void {
  Object.defineProperty(list, CUT, { value: cut, configurable: true });
}

/** Undefined where all items that the server sent are in the list. */
export function cutOf(list: object): ListCut | undefined {
  return (list as { readonly [CUT]?: ListCut })[CUT];
}

/** Who takes a response that is too large for memory. */
export type LargeResponseStore = SpillStore | ListRoom;

export function isListRoom(store: LargeResponseStore): store is ListRoom {
  return 'items' in store;
}

/** Stores a response that is too large for memory. Passed with each request, used only if the response needs it. */
export interface SpillStore {
  /** Contract: does not throw; a store that cannot open anything returns a part whose `end` rejects. */
  open(): SpillPart;
  /** Lists that are asked for as well, where it is not known yet whose response it is. */
  readonly lists?: readonly ListRoom[];
}

/** One long text or large JSON value being written to disk. */
export interface SpillPart {
  /**
   * Copies the bytes before it returns, because the caller reuses their memory. A promise asks the caller to wait
   * before the next write. Contract: neither throws nor rejects.
   */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Completes the part and returns where it can be read; rejects with a `HostError` when the disk failed. */
  end(): Promise<string>;
  /** Discards the part, even after `end`. Contract: does not reject. */
  discard(): Promise<void>;
}
