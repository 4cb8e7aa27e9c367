import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';

/** The first bytes of a regular file; undefined when it cannot be read. Never blocks on a FIFO. */
export function fileHead(path: string, bytes: number): Buffer | undefined {
  let file: number | undefined;
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, 0));
  } catch {
    return undefined; // no permission
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
