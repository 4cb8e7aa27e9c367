import { isAscii, isUtf8 } from 'node:buffer';

/** Bytes as a string, the cheapest way; `replaced` when some of them were no UTF-8. */
export function decode(bytes: Buffer): { readonly text: string; readonly replaced: boolean } {
  if (isAscii(bytes)) return { text: bytes.toString('latin1'), replaced: false };
  return { text: bytes.toString('utf8'), replaced: !isUtf8(bytes) };
}
