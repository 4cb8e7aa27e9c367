import { clockOf } from '../../start/program-clock.js';
import type { ScreenImage } from '../../../model/screen-image.js';
import type { Io } from '../../io.js';
import { isInterrupt } from '../keys/key-handler.js';
import { openKeyInput } from '../keys/key-input.js';
import type { TerminalStreams } from '../screen.js';
import { TerminalImages } from './terminal-images.js';

/**
 * Draws images at the end of a command, on a terminal that is put into raw mode for it, because its replies must
 * neither be echoed nor reach the shell. Never rejects.
 */
export async function drawImages(
  images: readonly ScreenImage[],
  { input, output }: TerminalStreams,
  io: Pick<Io, 'env' | 'clock'>,
): Promise<void> {
  const drawer = new TerminalImages({ env: io.env, clock: clockOf(io), write: (text) => void output.write(text) });
  const setRaw = (isRaw: boolean): void => {
    try {
      input.setRawMode(isRaw);
    } catch {
      // The terminal is gone: there is no mode to set.
    }
  };
  const restore = (): void => setRaw(false);
  setRaw(true);
  process.on('exit', restore);
  const replies = {
    onReply: (sequence: string) => drawer.reply(sequence),
    isExpecting: () => drawer.isExpecting,
  };
  // In raw mode Ctrl-C is a key.
  const keys = openKeyInput({
    input,
    take: (key) => isInterrupt(key) && process.kill(process.pid, 'SIGINT'),
    onEnd: () => {},
    replies,
  });
  try {
    const room = { columns: output.columns || COLUMNS, rows: Math.max(1, (output.rows || ROWS) - 2) };
    for (const image of images) {
      const drawn = await drawer.encode(image, room);
      if (drawn !== undefined) output.write(`${drawn}\n`);
    }
    await drawer.drain();
  } finally {
    keys[Symbol.dispose]();
    process.off('exit', restore);
    restore();
  }
}

const COLUMNS = 80; // for a terminal that does not report its size
const ROWS = 24;
