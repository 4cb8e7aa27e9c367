import type { JsonObject } from '../../base/json.js';
export function toRevision(_m: string, result: JsonObject, revision: string): JsonObject {
  return revision === '2026-07-28' ? { resultType: 'complete', ...result } : result;
}
export function toRevisionError(
  _m: string,
  e: { code: number; message: string; data?: unknown },
  _r: string,
): { code: number; message: string; data?: unknown } {
  return e;
}
