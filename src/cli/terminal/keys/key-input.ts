import { type DecodedKey, KeyDecoder, type ReplyPorts } from './keys.js';

export interface KeyInputOptions {
  readonly input: NodeJS.ReadStream;
  /** Contract: must not throw. */
  readonly take: (key: DecodedKey) => void;
  /** Called when the terminal is gone or its input has ended. */
  readonly onEnd: () => void;
  /** For a terminal that is asked something; by default its replies are dropped. */
  readonly replies?: ReplyPorts;
}

/** Reads the keys of a terminal until it is disposed of. The caller sets raw mode. */
export function openKeyInput({ input, take, onEnd, replies }: KeyInputOptions): Disposable {
  const decoder = new KeyDecoder(take, replies);
  let settling: NodeJS.Timeout | undefined;
  let stalling: NodeJS.Timeout | undefined;
  let isEnded = false;
  const read = (bytes: Uint8Array): void => {
    clearTimeout(settling);
    clearTimeout(stalling);
    decoder.push(bytes);
    if (isEnded) return; // `take` has disposed of it
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
    // A late error of the terminal must not end the process.
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

const ESCAPE_MS = 30; // a sequence arrives at once, also through SSH, and no user presses Escape and a letter so fast
const STALL_MS = 1_000;
