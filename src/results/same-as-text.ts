import { isObject, parseJson } from '../base/json.js';
import { isSameJson } from '../model/same-json.js';
import { Turns } from '../edge/turns.js';

/**
 * Whether the texts of a result say already what its structuredContent says: as JSON, or one level down, because generated servers
 * wrap what is no object as `{ "result": ... }`, and give each item of a list a text of its own.
 */
export async function isSaidByTexts(structured: unknown, texts: readonly string[]): Promise<boolean> {
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

/** The same at once, for one short text. */
export function isSaidByText(structured: unknown, text: string): boolean {
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

const SMALL = 131_072; // parsed at once in a millisecond
const BEGINS_LIKE_JSON = /^\s*["[{\-\dtfn]/u;

/** The same for a large text: the value is followed along it, because parsing would hold everybody up. Keys in another order are not the same. */
async function followsInTurns(value: unknown, text: string): Promise<boolean> {
  const turns = new Turns();
  const steps = follow(value, text);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turns.pause();
  }
}

interface Frame {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  at: number;
}

function* follow(root: unknown, text: string): Generator<undefined, boolean> {
  const reader = new Reader(text);
  const stack: Frame[] = [];
  let next = root;
  for (let steps = 1; ; steps++) {
    if (steps % STEPS === 0) yield undefined;
    if (typeof next === 'object' && next !== null) {
      const keys = Array.isArray(next) ? undefined : Object.keys(next);
      if (stack.length >= DEPTH || !reader.takes(keys ? '{' : '[')) return false;
      stack.push({ keys, values: Object.values(next), at: 0 });
    } else if (!reader.takesPlain(next)) return false;
    let frame = stack.at(-1);
    while (frame && frame.at >= frame.values.length) {
      if (!reader.takes(frame.keys ? '}' : ']')) return false;
      stack.pop();
      frame = stack.at(-1);
    }
    if (!frame) return reader.isAtEnd();
    if (frame.at > 0 && !reader.takes(',')) return false;
    if (frame.keys && !(reader.takesPlain(frame.keys[frame.at]) && reader.takes(':'))) return false;
    next = frame.values[frame.at++];
  }
}

const STEPS = 2_000;
const DEPTH = 200;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  takes(sign: string): boolean {
    this.#skipBlanks();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  takesPlain(value: unknown): boolean {
    this.#skipBlanks();
    if (typeof value === 'string') return this.#takesString(value);
    if (typeof value === 'number') {
      NUMBER.lastIndex = this.#at;
      const found = NUMBER.exec(this.#text)?.[0];
      if (found === undefined || Number(found) !== value) return false;
      this.#at += found.length;
      return true;
    }
    const word = String(value);
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  isAtEnd(): boolean {
    this.#skipBlanks();
    return this.#at === this.#text.length;
  }

  #takesString(value: string): boolean {
    const text = this.#text;
    const from = this.#at + 1;
    if (text[from - 1] !== '"') return false;
    const end = from + value.length;
    // Most strings stand there as they are; others have escapes, and are as long as those make them.
    if (text[end] === '"' && text.startsWith(value, from) && !NEEDS_ESCAPE.test(value)) {
      this.#at = end + 1;
      return true;
    }
    let close = text.indexOf('"', from);
    while (close !== -1 && close - from <= value.length * LONGEST_ESCAPE) {
      let before = close;
      while (before > from && text[before - 1] === '\\') before--;
      if ((close - before) % 2 === 0) break;
      close = text.indexOf('"', close + 1);
    }
    if (close === -1 || close - from > value.length * LONGEST_ESCAPE) return false;
    this.#at = close + 1;
    return parseJson(text.slice(from - 1, close + 1)) === value;
  }

  #skipBlanks(): void {
    const text = this.#text;
    for (;;) {
      const unit = text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }
}

const NUMBER = /-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,5})?/y;
const NEEDS_ESCAPE = /["\\]/u;
const LONGEST_ESCAPE = 6; // \u0041
