import type { Socket } from 'node:net';

/** How much a server may say before its answer begins. */
export const HEADER_LIMIT = 16_384;

/**
 * undici goes on through the piece at hand after the headers have passed their limit, and makes an error of each header:
 * ten thousand of them would hold the event loop for a tenth of a second.
 */
export function readInPieces(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let written = -1;
  let taken = 0;
  socket.read = (size?: number): Buffer | null => {
    if (socket.destroyed) return null;
    if (size !== undefined || socket.readableLength <= PIECE) return read(size);
    if (socket.bytesWritten !== written) {
      // Something was asked for: what comes now begins with headers.
      written = socket.bytesWritten;
      taken = 0;
    }
    const bytes = read(taken < 2 * HEADER_LIMIT ? PIECE : undefined);
    taken += bytes?.length ?? 0;
    return bytes;
  };
}

const PIECE = 4_096;
