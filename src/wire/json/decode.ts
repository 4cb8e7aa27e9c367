import { isAscii, isUtf8 } from 'node:buffer';

/** Decodes UTF-8 as fast as possible. `replaced`: some bytes were invalid. */
export function decode(bytes: Buffer): { readonly text: string; readonly replaced: boolean } {
  if (isAscii(bytes)) return { text: bytes.toString('latin1'), replaced: false };
  return { text: bytes.toString('utf8'), replaced: !isUtf8(bytes) };
}
