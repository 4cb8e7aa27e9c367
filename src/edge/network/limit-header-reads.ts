import type { Socket } from 'node:net';

/** Bytes that the headers of an HTTP response may have. */
export const HEADER_LIMIT = 16_384;

/**
 * Makes a socket return headers in pieces of 4 KB. undici parses a whole chunk even after the headers have passed their
 * limit, with an error for each header: ten thousand would block the event loop for a tenth of a second.
 */
export function limitHeaderReads(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let written = -1;
  let taken = 0;
  socket.read = (size?: number): Buffer | null => {
    if (socket.destroyed) return null;
    if (size !== undefined || socket.readableLength <= PIECE) return read(size);
    if (socket.bytesWritten !== written) {
      // A request was sent, so the next bytes begin with headers.
      written = socket.bytesWritten;
      taken = 0;
    }
    const bytes = read(taken < 2 * HEADER_LIMIT ? PIECE : undefined);
    taken += bytes?.length ?? 0;
    return bytes;
  };
}

const PIECE = 4_096;
