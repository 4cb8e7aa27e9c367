/** Whether two JSON values say the same, in whatever order their fields stand. Beyond a depth nobody writes, it says no. */
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
