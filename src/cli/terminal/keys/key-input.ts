import { type DecodedKey, KeyDecoder } from './keys.js';

export interface KeyInputOptions {
  readonly input: NodeJS.ReadStream;
  /** Contract: must not throw. */
  readonly take: (key: DecodedKey) => void;
  /** Nothing comes any more: the terminal is gone, or somebody has said that this is the end. */
  readonly onEnd: () => void;
}

/** Reads the keys of a terminal until it is disposed of. Raw mode is up to whoever opens it. */
export function openKeyInput({ input, take, onEnd }: KeyInputOptions): Disposable {
  const decoder = new KeyDecoder(take);
  let settling: NodeJS.Timeout | undefined;
  let stalling: NodeJS.Timeout | undefined;
  let isEnded = false;
  const read = (bytes: Uint8Array): void => {
    clearTimeout(settling);
    clearTimeout(stalling);
    decoder.push(bytes);
    if (isEnded) return; // by a key
    if (decoder.isWaiting) settling = setTimeout(() => decoder.settle(), ESCAPE_MS);
    stalling = setTimeout(() => decoder.stall(), STALL_MS).unref();
  };
  const end = (): void => {
    if (isEnded) return;
    close();
    onEnd();
  };
  function close(): void {
    isEnded = true;
    clearTimeout(settling);
    clearTimeout(stalling);
    input.off('data', read).off('end', end).off('close', end).off('error', end);
    // A terminal that goes away later must not end the program in the middle of something else.
    input.on('error', () => {});
  }
  input.on('data', read).on('end', end).on('close', end).on('error', end);
  input.resume();
  return {
    [Symbol.dispose]() {
      if (isEnded) return;
      close();
      input.pause();
    },
  };
}

const ESCAPE_MS = 30; // a sequence comes at once, also through SSH; nobody presses Escape and a letter so fast
const STALL_MS = 1_000;
