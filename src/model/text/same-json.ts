/** Whether two JSON values are equal, in any order of fields. False beyond a depth that real values never reach. */
export function isSameJson(one: unknown, other: unknown, depth = DEPTH_LIMIT): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null || depth === 0)
    return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(other, key) &&
      isSameJson((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], depth - 1),
  );
}

const DEPTH_LIMIT = 200;
