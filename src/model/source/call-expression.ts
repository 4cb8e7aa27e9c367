import { shorten } from '../../base/shorten.js';

/** A call as a signature shows it, filled in: `notes.add_note(text: "milk", tags: ["a"])`. */
export type CallExpression =
  | { readonly kind: 'call'; readonly tool: string; readonly input: { readonly [name: string]: unknown } }
  /** `at`: where, counted from 1. */
  | { readonly kind: 'fault'; readonly at: number; readonly message: string };

/** The tool of a text that looks like a call, `f(...)`; undefined for any other word. */
export function toolOfCall(text: string): string | undefined {
  return /^\s*([^\s("'`={}]+)\s*\(/u.exec(text.slice(0, TOOL_LIMIT))?.[1];
}

/** Parses a call. Values are JSON, also with single quotes, bare keys and a last comma. Undefined: no call at all. */
export function parseCallExpression(text: string): CallExpression | undefined {
  const tool = toolOfCall(text);
  if (tool === undefined) return undefined;
  if (text.length > TEXT_LIMIT)
    return { kind: 'fault', at: TEXT_LIMIT, message: `longer than ${TEXT_LIMIT} characters` };
  try {
    return { kind: 'call', tool, input: new Reader(text).call() };
  } catch (error) {
    if (error instanceof Fault) return { kind: 'fault', at: error.at + 1, message: error.message };
    throw error;
  }
}

const TEXT_LIMIT = 1_000_000; // characters; a command line holds two million bytes at most
const TOOL_LIMIT = 1_000; // characters; the longest name of a server and of a tool
const DEPTH_LIMIT = 64;

class Fault extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  call(): { [name: string]: unknown } {
    this.#at = this.#text.indexOf('(') + 1;
    // `f({ a: 1 })` is understood as well.
    const isObject = this.#peek() === '{';
    const input = isObject ? this.#value() : this.#members(')', 'argument');
    if (isObject && !this.#takes(')')) throw this.#expected('")"');
    if (this.#peek() !== '') throw this.#fault(`nothing is expected after ")", but "${this.#excerpt()}" follows`);
    return input as { [name: string]: unknown };
  }

  /** `name: value` up to the closing sign. */
  #members(end: string, noun: string): { [name: string]: unknown } {
    const found = new Map<string, unknown>();
    this.#each(end, () => {
      // A pasted signature ends so where it was cut.
      if (this.#takes('…')) return;
      const start = this.#at;
      const name = this.#name(noun);
      this.#takes('?');
      if (!this.#takes(':')) throw this.#fault(`":" is missing after ${name}: write ${name}: VALUE`);
      if (found.has(name)) throw this.#fault(`${name} is given twice`, start);
      const next = this.#peek();
      if (next === ',' || next === end || next === '') throw this.#fault(`the value of ${name} is missing`);
      found.set(name, this.#value());
    });
    // `Object.fromEntries`, because a name may be __proto__.
    return Object.fromEntries(found);
  }

  #each(end: string, read: () => void): void {
    if (++this.#depth > DEPTH_LIMIT) throw this.#fault(`nested more than ${DEPTH_LIMIT} levels deep`);
    while (!this.#takes(end)) {
      read();
      if (this.#takes(',')) continue;
      if (this.#takes(end)) break;
      throw this.#expected(`"," or "${end}"`);
    }
    this.#depth--;
  }

  #name(noun: string): string {
    const next = this.#peek();
    if (next === '"' || next === "'") return this.#string(next);
    const word = this.#match(/[\p{L}\p{N}_$][\p{L}\p{N}\p{M}_$.-]*/uy);
    if (word === undefined) throw this.#expected(`the name of an ${noun}`);
    return word;
  }

  #value(): unknown {
    const next = this.#peek();
    if (next === '"' || next === "'" || next === '`') return this.#string(next);
    if (this.#takes('{')) return this.#members('}', 'entry');
    if (this.#takes('[')) {
      const items: unknown[] = [];
      this.#each(']', () => void items.push(this.#value()));
      return items;
    }
    const start = this.#at;
    const number = this.#match(/[+-]?(?:0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?![\p{L}\p{N}_$])/iuy);
    if (number !== undefined) return this.#number(number, start);
    const word = this.#match(/[\p{L}_$][\p{L}\p{N}_$]*/uy);
    if (word === undefined) throw this.#expected('a value');
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    if (TYPES.has(word)) throw this.#fault(`"${word}" is the type; write a value in its place`, start);
    throw this.#fault(`"${shorten(word, 40)}" is no value; a text is written in quotes`, start);
  }

  #number(text: string, start: number): number {
    const sign = text.startsWith('-') ? -1 : 1;
    const value = sign * Number(text.replace(/^[+-]/u, ''));
    if (!Number.isFinite(value)) throw this.#fault('the number is too large', start);
    if (/^[+-]?(?:\d+|0x[\da-f]+)$/iu.test(text) && !Number.isSafeInteger(value)) {
      throw this.#fault('the number is too large for an exact JSON number; write a text in quotes', start);
    }
    return value;
  }

  #string(quote: string): string {
    const start = this.#at;
    this.#at++;
    let text = '';
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) throw this.#fault(`the text that begins here has no closing ${quote}`, start);
      this.#at++;
      if (character === quote) return text;
      text += character === '\\' ? this.#escape() : character;
    }
  }

  #escape(): string {
    const start = this.#at - 1;
    const [code, hex = '', braced = '', byte = ''] =
      this.#matchAll(/u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})/iuy) ?? [];
    if (code !== undefined) {
      const point = Number.parseInt(hex || braced || byte, 16);
      if (point > 0x10_ffff) throw this.#fault('no such character', start);
      return String.fromCodePoint(point);
    }
    const character = this.#text[this.#at++];
    if (character === undefined || /[ux1-9]/u.test(character)) throw this.#fault('no such escape', start);
    return ESCAPES[character] ?? character;
  }

  /** The next character that is no blank; empty at the end. */
  #peek(): string {
    while (/\s/u.test(this.#text[this.#at] ?? '')) this.#at++;
    return this.#text[this.#at] ?? '';
  }

  #takes(sign: string): boolean {
    if (this.#peek() !== sign) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    this.#peek();
    return this.#matchAll(pattern)?.[0];
  }

  #matchAll(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found) this.#at += found[0].length;
    return found;
  }

  #expected(what: string): Fault {
    const next = this.#peek();
    return this.#fault(next === '' ? `${what} is missing at the end` : `expected ${what}, found "${this.#excerpt()}"`);
  }

  #excerpt(): string {
    return shorten(this.#text.slice(this.#at, this.#at + 200), 20);
  }

  #fault(message: string, at = this.#at): Fault {
    return new Fault(at, message);
  }
}

const WORDS: { readonly [word: string]: unknown } = { true: true, false: false, null: null };
const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'object', 'unknown', 'never']);
const ESCAPES: { readonly [letter: string]: string } = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
  '\n': '',
};
