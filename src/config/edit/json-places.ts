import { parseJson } from '../../base/json.js';
import type { JsonPath } from '../document.js';
import type { TextPlace } from '../text-place.js';

/**
 * Returns a function for the place of a field or element in valid JSON (comments and trailing commas allowed): that of
 * the field's name, of a duplicate key the last. Loading a full parser takes longer than a file.
 */
export function openTextPlaces(text: string): (path: JsonPath) => TextPlace {
  let places: ReadonlyMap<string, TextPlace> | undefined;
  return (path) => {
    places ??= indexPlaces(text);
    for (let length = path.length; length > 0; length--) {
      const place = places.get(path.slice(0, length).map(stepKey).join(''));
      if (place !== undefined) return place;
    }
    return { line: 1, column: 1 };
  };
}

/** An open bracket: its path, and in an array the index of the next element. */
interface Open {
  readonly key: string;
  next: number | undefined;
}

const TOKEN = /\n|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]|[^\s"[\]{},:/]+/gu;

function indexPlaces(text: string): ReadonlyMap<string, TextPlace> {
  const places = new Map<string, TextPlace>();
  const open: Open[] = [];
  let line = 1;
  let lineStart = 0;
  let place: TextPlace = { line, column: 1 };
  let property: string | undefined;
  const enter = (): string => {
    const parent = open.at(-1);
    const key = property ?? (parent?.next === undefined ? '' : parent.key + stepKey(parent.next++));
    if (property === undefined && key !== '') places.set(key, place);
    property = undefined;
    return key;
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    place = { line, column: index - lineStart + 1 };
    if (token === '\n') {
      line++;
      lineStart = index + 1;
    } else if (token.startsWith('/')) {
      line += token.split('\n').length - 1;
      if (token.includes('\n')) lineStart = index + token.lastIndexOf('\n') + 1;
    } else if (token === '{' || token === '[') open.push({ key: enter(), next: token === '[' ? 0 : undefined });
    else if (token === '}' || token === ']') open.pop();
    else if (token !== ',') {
      const parent = open.at(-1);
      const isKey = parent && parent.next === undefined && property === undefined;
      if (!isKey) enter();
      else {
        const name = parseJson(token);
        property = parent.key + stepKey(typeof name === 'string' ? name : token);
        places.set(property, place);
      }
    }
  }
  return places;
}

/** A path segment in an unambiguous form. */
function stepKey(step: string | number): string {
  return typeof step === 'number' ? `[${step}]` : `.${JSON.stringify(step)}`;
}
