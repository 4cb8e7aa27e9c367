/** A value that JSON calls an object: neither null nor an array. */
export function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
