import { isObject } from '../../base/json.js';
import type { ListCuts } from './json-bounds.js';

/**
 * Parses a message whose result has one long list, a piece of the list at a step. Returns undefined where the list is
 * not found in the result; throws what JSON.parse throws. A text that is cut between complete values means the same in
 * pieces: where each piece is JSON, so is the whole.
 */
export function* listPieces(text: string, { cuts, end }: ListCuts): Generator<undefined, object | undefined> {
  // Shows which array the pieces belong to. The server cannot have written it.
  const mark = `${Math.random()}`;
  const message: unknown = JSON.parse(`${text.slice(0, cuts[0])},"${mark}"${text.slice(end)}`);
  const result = isObject(message) ? message['result'] : undefined;
  const list = isObject(result) ? Object.values(result).find((field) => isListWith(mark, field)) : undefined;
  if (list === undefined) return undefined;
  list.pop();
  for (const [index, cut] of cuts.entries()) {
    yield undefined;
    const items = JSON.parse(`[${text.slice(cut + 1, cuts[index + 1] ?? end)}]`) as unknown[];
    // An empty piece is a comma too many.
    if (items.length === 0) throw new SyntaxError('a list has an empty place');
    for (const item of items) list.push(item);
  }
  return message as object;
}

function isListWith(mark: string, field: unknown): field is unknown[] {
  return Array.isArray(field) && field.at(-1) === mark;
}
