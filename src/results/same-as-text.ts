import { isObject, parseJson } from '../base/json.js';
import { isSameJson } from '../model/text/same-json.js';
import { TimeSlice } from '../edge/time-slice.js';
import { endOfString } from './json-prefix.js';

/**
 * Whether the texts of a result repeat its structuredContent: as JSON, or one level down, because generated servers
 * wrap a value that is no object as `{ "result": ... }`, and make a text of each item of a list.
 */
export async function isRepeatedInTexts(structured: unknown, texts: readonly string[]): Promise<boolean> {
  const wrapped = wrappedIn(structured);
  const values = wrapped === undefined ? [structured] : [structured, wrapped.value];
  for (const text of texts) {
    for (const value of values) if (await isSaidBy(value, text)) return true;
  }
  const items = wrapped?.value;
  if (!Array.isArray(items) || items.length !== texts.length || items.length === 0) return false;
  for (const [index, item] of items.entries()) if (!(await isSaidBy(item, texts[index]!))) return false;
  return true;
}

function wrappedIn(structured: unknown): { readonly value: unknown } | undefined {
  if (!isObject(structured) || !Object.hasOwn(structured, 'result') || Object.keys(structured).length !== 1)
    return undefined;
  return { value: structured['result'] };
}

/** As `isRepeatedInTexts`, synchronously, for one short text. */
export function isRepeatedInText(structured: unknown, text: string): boolean {
  const wrapped = wrappedIn(structured);
  return isSameAs(structured, text) || (wrapped !== undefined && isSameAs(wrapped.value, text));
}

async function isSaidBy(value: unknown, text: string): Promise<boolean> {
  return text.length > SMALL && value !== text ? followsInTurns(value, text) : isSameAs(value, text);
}

function isSameAs(value: unknown, text: string): boolean {
  if (value === text) return true;
  const said = BEGINS_LIKE_JSON.test(text) ? parseJson(text) : undefined;
  return said !== undefined && isSameJson(value, said);
}

const SMALL = 131_072; // characters, which take a millisecond to parse
const BEGINS_LIKE_JSON = /^\s*["[{\-\dtfn]/u;

/** Compares a value with a large JSON text in time slices: parsing would block the event loop. Key order matters. */
async function followsInTurns(value: unknown, text: string): Promise<boolean> {
  const turns = new TimeSlice();
  const reader = new Reader(text);
  const steps = follow(value, reader);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value && reader.isAtEnd();
    await turns.pause();
  }
}

/** Yields regularly, so that the caller can give way to the event loop. */
function* follow(value: unknown, reader: Reader, depth = 0): Generator<undefined, boolean> {
  if (typeof value !== 'object' || value === null) return reader.takesPlain(value);
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  const values: readonly unknown[] = Object.values(value);
  if (depth >= DEPTH || !reader.takes(keys ? '{' : '[')) return false;
  for (let at = 0; at < values.length; at++) {
    if (++reader.steps % STEPS === 0) yield undefined;
    if (at > 0 && !reader.takes(',')) return false;
    if (keys && !(reader.takesPlain(keys[at]) && reader.takes(':'))) return false;
    const next = values[at];
    const isPart = typeof next === 'object' && next !== null;
    if (!(isPart ? yield* follow(next, reader, depth + 1) : reader.takesPlain(next))) return false;
  }
  return reader.takes(keys ? '}' : ']');
}

const STEPS = 2_000;
const DEPTH = 200;

class Reader {
  steps = 0;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  takes(sign: string): boolean {
    this.#skipBlanks();
    return this.#text[this.#at++] === sign;
  }

  takesPlain(value: unknown): boolean {
    this.#skipBlanks();
    const text = this.#text;
    const from = this.#at;
    // Fast path: most strings have no escapes.
    if (typeof value === 'string' && text[from] === '"' && text.startsWith(value, from + 1)) {
      const end = from + 1 + value.length;
      if (text[end] === '"' && !ESCAPED.test(value)) {
        this.#at = end + 1;
        return true;
      }
    }
    WORD.lastIndex = from;
    this.#at = text[from] === '"' ? endOfString(text, from + 1) + 1 : from + (WORD.exec(text)?.[0].length ?? 0);
    return this.#at > from && parseJson(text.slice(from, this.#at)) === value;
  }

  isAtEnd(): boolean {
    this.#skipBlanks();
    return this.#at === this.#text.length;
  }

  #skipBlanks(): void {
    while (' \n\r\t'.includes(this.#text[this.#at] ?? '-')) this.#at++;
  }
}

const ESCAPED = /["\\\p{Cc}]/u;
const WORD = /[-+.\w]{1,820}/y; // a number, true, false or null
