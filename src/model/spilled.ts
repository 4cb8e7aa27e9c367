/** Stands in a result where a value was that went to a file, because it was too large for memory. */
export class Spilled {
  /** `text`: a string, unescaped, as UTF-8. `json`: a value as the server wrote it. */
  readonly kind: 'text' | 'json';
  readonly bytes: number;
  readonly place: string;
  /** The first of it, for someone who only looks. */
  readonly preview: string;

  constructor(spilled: { kind: 'text' | 'json'; bytes: number; place: string; preview: string }) {
    this.kind = spilled.kind;
    this.bytes = spilled.bytes;
    this.place = spilled.place;
    this.preview = spilled.preview;
  }
}

/** All that stand in a value. */
export function spilledIn(value: unknown, depth = DEPTH_LIMIT): readonly Spilled[] {
  if (value instanceof Spilled) return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return NONE;
  return Object.values(value).flatMap((one) => (typeof one === 'object' ? spilledIn(one, depth - 1) : NONE));
}

const NONE: readonly Spilled[] = [];
const DEPTH_LIMIT = 512; // what the wire lets through

/** Where an answer goes that is too large for memory. Given with a request, used only when its answer needs it. */
export interface SpillStore {
  /** Contract: does not throw; a store that cannot open anything returns a part whose `end` rejects. */
  open(): SpillPart;
}

/** One long text, or one large JSON value, on its way to the disk. */
export interface SpillPart {
  /**
   * Copies the bytes before it returns: their memory is used again. A promise asks the writer to wait for it before the
   * next write. Contract: neither throws nor rejects.
   */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Everything is there. Gives the place where it can be read; rejects with a HostError when the disk failed. */
  end(): Promise<string>;
  /** Nobody wants it, also after `end`. Contract: does not reject. */
  discard(): Promise<void>;
}
