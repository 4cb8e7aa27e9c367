import type { JsonObject } from '../../base/json.js';

/** Whether a note is about one of these resources, or a part of one. */
export function concerns({ uri }: JsonObject, watched: ReadonlySet<string>): boolean {
  if (typeof uri !== 'string') return false;
  if (watched.has(uri)) return true;
  for (const one of watched) if (uri.startsWith(one.endsWith('/') ? one : `${one}/`)) return true;
  return false;
}
