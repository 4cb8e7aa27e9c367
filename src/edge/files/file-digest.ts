import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** SHA-256 of a regular file, in hex; undefined when it is larger than the limit or unreadable. Never throws. */
export function digestFile(path: string, limit: number): string | undefined {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, opening a FIFO that has no writer would block the event loop.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > limit) return undefined;
    const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
    const piece = Buffer.allocUnsafe(PIECE);
    let left = limit;
    for (;;) {
      const length = readSync(descriptor, piece);
      if (length === 0) return hash.digest('hex');
      left -= length;
      if (left < 0) return undefined; // the file grew past the limit while it was read
      hash.update(piece.subarray(0, length));
    }
  } catch {
    return undefined; // missing, or no permission
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const PIECE = 65_536;
