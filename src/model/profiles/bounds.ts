/**
 * Why a schema is not read any further, or undefined. All later code may recurse: after this check a schema from
 * outside is a tree of bounded depth and size. A cyclic value exceeds the depth.
 */
export function outOfBounds(schema: unknown): string | undefined {
  const waiting: { readonly value: object; readonly depth: number }[] = [];
  if (typeof schema !== 'object' || schema === null) return 'Its schema is no JSON object';
  waiting.push({ value: schema, depth: 1 });
  let size = 0;
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one.depth > DEPTH_LIMIT) return `Its schema is nested more than ${DEPTH_LIMIT} levels deep`;
    for (const key of Object.keys(one.value)) {
      const child = (one.value as Record<string, unknown>)[key];
      size += key.length + 4;
      if (typeof child === 'string') size += child.length + 2;
      else if (typeof child === 'object' && child !== null) waiting.push({ value: child, depth: one.depth + 1 });
      else if (!isPlain(child)) return 'Its schema holds something that JSON cannot say';
      if (size > SIZE_LIMIT) return `Its schema has more than ${SIZE_LIMIT} characters`;
    }
  }
  return undefined;
}

function isPlain(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}

const DEPTH_LIMIT = 100; // real schemas stay under 30; recursive parsers of APIs have lower limits than ours
const SIZE_LIMIT = 200_000; // 50,000 tokens: a quarter of a model's context for one tool
