import { closeSync, openSync, readSync } from 'node:fs';

/** Random bytes in hex. From /dev/urandom where there is one: loading `node:crypto` takes 4 ms. */
export function randomHex(bytes: number): string {
  const buffer = Buffer.alloc(bytes);
  let file: number | undefined;
  try {
    file = openSync('/dev/urandom', 'r');
    if (readSync(file, buffer, 0, bytes, null) === bytes) return buffer.toString('hex');
  } catch {
    // Windows has no such file, and a sandbox may hide it.
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return process.getBuiltinModule('node:crypto').randomBytes(bytes).toString('hex');
}

/** A version 4 UUID (RFC 9562). */
export function randomUUID(): string {
  const hex = randomHex(16);
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
