import type { JsonObject } from '../../base/json.js';

/** Whether a notification concerns one of these resources, or a child of one. */
export function concerns({ uri }: JsonObject, watched: ReadonlySet<string>): boolean {
  if (typeof uri !== 'string') return false;
  if (watched.has(uri)) return true;
  for (const one of watched) if (uri.startsWith(one.endsWith('/') ? one : `${one}/`)) return true;
  return false;
}
