import type { JsonPath } from '../document.js';
import type { TextPlace } from '../text-place.js';

/** Where these fields of a JSON text start, found in one pass without a tree: it may be 16 MB. */
export async function placesOfPaths(
  text: string,
  paths: readonly JsonPath[],
): Promise<readonly (TextPlace | undefined)[]> {
  if (paths.length === 0) return [];
  const { visit } = await import('jsonc-parser');
  const wanted = new Map(paths.map((path) => [toKey(path), path.at(-1)]));
  const names = new Set(wanted.values());
  const places = new Map<string, TextPlace>();
  visit(
    text,
    {
      onObjectProperty(name, _offset, _length, line, column, parent) {
        // Computes the path only if the last name matches, which is rare.
        if (!names.has(name)) return;
        const key = toKey([...parent(), name]);
        if (wanted.has(key)) places.set(key, { line: line + 1, column: column + 1 });
      },
    },
    { allowTrailingComma: true },
  );
  return paths.map((path) => places.get(toKey(path)));
}

const toKey = (path: JsonPath): string => JSON.stringify(path);
