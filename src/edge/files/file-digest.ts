import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** SHA-256 of a file's content, in hex. Undefined for what is no file, is larger than the limit, or cannot be read. Never throws. */
export function digestFile(path: string, limit: number): string | undefined {
  let descriptor: number | undefined;
  try {
    // A pipe that nobody writes to would hold everybody up.
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
      if (left < 0) return undefined; // it grows while it is read
      hash.update(piece.subarray(0, length));
    }
  } catch {
    return undefined; // gone, or not for us to read
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const PIECE = 65_536;
