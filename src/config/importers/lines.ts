import type { JsonPath } from '../document.js';

/** The 1-based lines where these fields of a JSON text start, in one pass without a tree: it may be 16 MB. */
export async function linesOfPaths(text: string, paths: readonly JsonPath[]): Promise<readonly (number | undefined)[]> {
  if (paths.length === 0) return [];
  const { visit } = await import('jsonc-parser');
  const wanted = new Map(paths.map((path) => [toKey(path), path.at(-1)]));
  const names = new Set(wanted.values());
  const lines = new Map<string, number>();
  visit(
    text,
    {
      onObjectProperty(name, _offset, _length, line, _column, parent) {
        // Computes the path only if the last name matches, which is rare.
        if (!names.has(name)) return;
        const key = toKey([...parent(), name]);
        if (wanted.has(key)) lines.set(key, line + 1);
      },
    },
    { allowTrailingComma: true },
  );
  return paths.map((path) => lines.get(toKey(path)));
}

const toKey = (path: JsonPath): string => JSON.stringify(path);
