import { isObject } from '../../base/json.js';
import { gateText } from '../text/text-gate.js';
import type { JsonSchema } from '../tool.js';

/**
 * A schema without hidden characters: they are removed from texts for the reader. Undefined where they stand in a name
 * or value that a call would have to repeat. A clean schema is returned as the same object.
 */
export function cleanSchema(schema: JsonSchema): JsonSchema | undefined {
  const cleaned = clean(schema);
  return cleaned === HIDING ? undefined : (cleaned as JsonSchema);
}

const HIDING = Symbol('it hides something');
/** Keywords with texts for the reader. */
const WORDS: ReadonlySet<string> = new Set(['title', 'description', '$comment']);
/** Keywords that may be left out. */
const SPARE: ReadonlySet<string> = new Set(['default', 'examples', 'example']);

function clean(value: unknown): unknown {
  if (typeof value === 'string') return gateText(value).text === value ? value : HIDING;
  if (Array.isArray(value)) return value.some((one) => clean(one) !== one) ? cleanList(value) : value;
  return isObject(value) ? cleanObject(value) : value;
}

function cleanList(list: readonly unknown[]): unknown {
  const cleaned = list.map(clean);
  return cleaned.includes(HIDING) ? HIDING : cleaned;
}

function cleanObject(object: JsonSchema): unknown {
  let copy: [string, unknown][] | undefined;
  for (const [at, keyword] of Object.keys(object).entries()) {
    if (gateText(keyword).text !== keyword) return HIDING;
    const before = object[keyword];
    const isWords = typeof before === 'string' && WORDS.has(keyword);
    const after = isWords ? gateText(before).text : clean(before);
    const isLeftOut = after === HIDING && SPARE.has(keyword);
    if (after === HIDING && !isLeftOut) return HIDING;
    if (after !== before) copy ??= Object.entries(object).slice(0, at);
    if (!isLeftOut) copy?.push([keyword, after]);
  }
  return copy ? Object.fromEntries(copy) : object;
}
