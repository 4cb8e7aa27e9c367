export { Spilled } from '../model/spilled.js';

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
