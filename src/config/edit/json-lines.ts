import { parseJson } from '../../base/json.js';
import type { JsonPath } from '../document.js';

/**
 * Returns a function for the 1-based line of a field or element in valid JSON (comments and trailing commas allowed):
 * the line of the field's name, of a duplicate key the last. Loading a full parser takes longer than a file.
 */
export function openLines(text: string): (path: JsonPath) => number {
  let lines: ReadonlyMap<string, number> | undefined;
  return (path) => {
    lines ??= indexLines(text);
    for (let length = path.length; length > 0; length--) {
      const line = lines.get(path.slice(0, length).map(stepKey).join(''));
      if (line !== undefined) return line;
    }
    return 1;
  };
}

/** An open bracket: its path, and in an array the index of the next element. */
interface Open {
  readonly key: string;
  next: number | undefined;
}

const TOKEN = /\n|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]|[^\s"[\]{},:/]+/gu;

function indexLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const open: Open[] = [];
  let line = 1;
  let property: string | undefined;
  const enter = (): string => {
    const parent = open.at(-1);
    const key = property ?? (parent?.next === undefined ? '' : parent.key + stepKey(parent.next++));
    if (property === undefined && key !== '') lines.set(key, line);
    property = undefined;
    return key;
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '\n') line++;
    else if (token.startsWith('/')) line += token.split('\n').length - 1;
    else if (token === '{' || token === '[') open.push({ key: enter(), next: token === '[' ? 0 : undefined });
    else if (token === '}' || token === ']') open.pop();
    else if (token !== ',') {
      const parent = open.at(-1);
      const isKey = parent && parent.next === undefined && property === undefined;
      if (!isKey) enter();
      else {
        const name = parseJson(token);
        property = parent.key + stepKey(typeof name === 'string' ? name : token);
        lines.set(property, line);
      }
    }
  }
  return lines;
}

/** A path segment in an unambiguous form. */
function stepKey(step: string | number): string {
  return typeof step === 'number' ? `[${step}]` : `.${JSON.stringify(step)}`;
}
