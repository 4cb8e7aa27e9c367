/** A JSON object of which nothing more is known. */
export type JsonObject = { readonly [field: string]: unknown };

/** Whether a value is an object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Parses JSON; undefined, which is no JSON value, when the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is nested deeper than `limit`. Goes level by level, so that no depth overflows the stack. */
export function isDeeper(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (item !== null && typeof item === 'object' ? Object.values(item) : []));
  }
  return false;
}
