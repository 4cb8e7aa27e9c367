import type { JsonObject } from '../../base/json.js';
export function toRevisionCapabilities(c: JsonObject, _r: string): JsonObject {
  return c;
}
