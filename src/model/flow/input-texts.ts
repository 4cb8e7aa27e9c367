import { isObject } from '../../base/json.js';

/** One text of an input, and where it is: `url`, `items[2].body`. */
export interface ArgumentText {
  readonly argument: string;
  readonly text: string;
}

/** All texts of an input: values, with numbers as texts, and names of fields. */
export interface InputTexts {
  readonly values: readonly ArgumentText[];
  readonly names: readonly ArgumentText[];
  /** Both, in the order in which they are written. */
  readonly all: readonly ArgumentText[];
  /** Characters of all. */
  readonly size: number;
}

/** Undefined where the input is beyond these bounds, so that it cannot be compared. */
export function inputTexts(input: unknown, { characters, values: most }: InputBounds): InputTexts | undefined {
  const values: ArgumentText[] = [];
  const names: ArgumentText[] = [];
  const all: ArgumentText[] = [];
  let size = 0;
  let count = 0;
  const take = (value: unknown, argument: string, depth: number): boolean => {
    if (++count > most || depth > DEPTH) return false;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      const text = String(value);
      size += text.length;
      const one = { argument, text };
      values.push(one);
      all.push(one);
      return size <= characters;
    }
    if (Array.isArray(value)) return value.every((item, at) => take(item, inPath(argument, `[${at}]`), depth + 1));
    if (!isObject(value)) return true;
    // A URL, a Date: what is sent is what it gives.
    if (typeof value['toJSON'] === 'function')
      return take((value as { toJSON(): unknown }).toJSON(), argument, depth + 1);
    return Object.entries(value).every(([name, item]) => {
      size += name.length;
      const path = inPath(argument, argument === '' ? name : `.${name}`);
      const one = { argument: path, text: name };
      names.push(one);
      all.push(one);
      return size <= characters && take(item, path, depth + 1);
    });
  };
  return take(input, '', 0) ? { values, names, all, size } : undefined;
}

export interface InputBounds {
  readonly characters: number;
  readonly values: number;
}

/** Where something is, as far as it is told: each text has its own, and a name may be as long as the input. */
function inPath(argument: string, step: string): string {
  return argument.length >= PATH ? argument : argument + step.slice(0, PATH);
}

const PATH = 200; // characters
const DEPTH = 200;
