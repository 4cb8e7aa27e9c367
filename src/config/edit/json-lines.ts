import { parseJson } from '../../base/json.js';
import type { JsonPath } from '../document.js';

/**
 * The 1-based line of every field and element of a text that is known to be JSON, comments and trailing commas allowed: of a field
 * that of its name, of a key that stands twice that of the last. A parser that knows more takes longer to load than a file to read.
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

/** An open bracket: the key of it, and of an array the number of the next element. */
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

/** A part of a path in a form that no other path can have. */
function stepKey(step: string | number): string {
  return typeof step === 'number' ? `[${step}]` : `.${JSON.stringify(step)}`;
}
