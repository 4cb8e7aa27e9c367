// The patterns of ECMA-262, section 22.2.1, in Unicode mode; escaped punctuation and lone braces are tolerated.
import type { Fuel } from './fuel.js';
import {
  type CharacterSet,
  DIGIT,
  inverse,
  LAST_CODE,
  LINE_END,
  type Ranges,
  type SetParts,
  SPACE,
  toCharacterSet,
  WORD,
} from './pattern-set.js';

export type PatternNode =
  | { readonly kind: 'character'; readonly code: number }
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'look'; readonly body: PatternNode; readonly behind: boolean; readonly negative: boolean };

export type Edge = 'start' | 'end' | 'word' | 'not-word';

/** Not a valid pattern, or one with a back-reference. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** Throws `PatternError` or `OutOfFuel`. */
export function parsePattern(source: string, fuel: Fuel): PatternNode {
  if (source.length > LENGTH_LIMIT) throw new PatternError(`is longer than ${LENGTH_LIMIT} characters`);
  return new Parser(source, fuel).parse();
}

const LENGTH_LIMIT = 10_000; // well-known patterns for addresses have up to 6,000
const DEPTH_LIMIT = 100; // nested groups; parsing, compiling and look-arounds recurse
const CLASS_COST = 40; // units for each part of a class; the parts are sorted
const SET_COST = 400; // units; building a set tests each ASCII character once
const PROPERTY_COST = 2_000; // units; the engine builds a table for a Unicode property

/** One escape: a code point or a class of code points. */
type Escape = { readonly code: number } | { readonly ranges: Ranges } | { readonly property: string };

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
]);
const CLASSES: ReadonlyMap<string, Ranges> = new Map([
  ['d', DIGIT],
  ['D', inverse(DIGIT)],
  ['w', WORD],
  ['W', inverse(WORD)],
  ['s', SPACE],
  ['S', inverse(SPACE)],
]);
const NO_PROPERTIES: ReadonlySet<string> = new Set();

class Parser {
  readonly #source: string;
  readonly #fuel: Fuel;
  #at = 0;
  #depth = 0;

  constructor(source: string, fuel: Fuel) {
    this.#source = source;
    this.#fuel = fuel;
  }

  parse(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new PatternError('closes a group that was never opened');
    return node;
  }

  #choice(): PatternNode {
    if (++this.#depth > DEPTH_LIMIT) throw new PatternError(`nests groups more than ${DEPTH_LIMIT} deep`);
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    this.#depth--;
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) parts.push(this.#term());
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts };
  }

  #term(): PatternNode {
    this.#fuel.spend(1);
    const atom = this.#atom();
    const bounds = this.#quantifier();
    if (bounds === undefined) return atom;
    if (atom.kind === 'edge' || atom.kind === 'look') throw new PatternError('repeats what has no length');
    this.#take('?'); // lazy or greedy makes no difference to whether there is a match
    return { kind: 'repeat', body: atom, ...bounds };
  }

  #atom(): PatternNode {
    const character = this.#next();
    switch (character) {
      case '^':
        return { kind: 'edge', edge: 'start' };
      case '$':
        return { kind: 'edge', edge: 'end' };
      case '.':
        return this.#set({ ranges: LINE_END, properties: NO_PROPERTIES, negated: true });
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '*':
      case '+':
      case '?':
        throw new PatternError('repeats nothing');
      case '\\':
        return this.#escaped();
      default:
        return { kind: 'character', code: character.codePointAt(0)! };
    }
  }

  #group(): PatternNode {
    const look = /^\?(<)?([=!])/.exec(this.#source.slice(this.#at, this.#at + 3));
    if (look !== null) this.#at += look[0].length;
    else if (!this.#take('?:') && this.#source[this.#at] === '?') {
      const name = /^\?<[\p{L}_$][\p{L}\p{N}_$]*>/u.exec(this.#source.slice(this.#at, this.#at + 100));
      if (name === null) throw new PatternError('has a group of an unknown kind');
      this.#at += name[0].length;
    }
    const body = this.#choice();
    if (!this.#take(')')) throw new PatternError('leaves a group open');
    if (look === null) return { kind: 'sequence', parts: [body] }; // in a group even an assertion may be repeated
    return { kind: 'look', body, behind: look[1] !== undefined, negative: look[2] === '!' };
  }

  #quantifier(): { min: number; max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Infinity };
    if (this.#take('+')) return { min: 1, max: Infinity };
    if (this.#take('?')) return { min: 0, max: 1 };
    if (this.#source[this.#at] !== '{') return undefined;
    const counted = /^\{(\d{1,15})(,(\d{1,15})?)?\}/.exec(this.#source.slice(this.#at, this.#at + 40));
    if (counted === null) return undefined; // a literal brace
    this.#at += counted[0].length;
    const min = Number(counted[1]);
    const max = counted[2] === undefined ? min : counted[3] === undefined ? Infinity : Number(counted[3]);
    if (max < min) throw new PatternError('repeats at most less often than at least');
    return { min, max };
  }

  #class(): PatternNode {
    const negated = this.#take('^');
    const ranges: (readonly [number, number])[] = [];
    const properties = new Set<string>();
    const add = (escape: Escape): void => {
      if ('code' in escape) ranges.push([escape.code, escape.code]);
      else if ('ranges' in escape) ranges.push(...escape.ranges);
      else properties.add(escape.property);
    };
    while (!this.#take(']')) {
      this.#fuel.spend(CLASS_COST);
      const from = this.#classAtom();
      const isRange = this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']';
      if (!isRange || !('code' in from)) {
        add(from);
        continue;
      }
      this.#at++;
      const to = this.#classAtom();
      if (!('code' in to)) throw new PatternError('has a range that ends in a class');
      if (to.code < from.code) throw new PatternError('has a range that runs backwards');
      ranges.push([from.code, to.code]);
    }
    return this.#set({ ranges, properties, negated });
  }

  #classAtom(): Escape {
    if (this.#at >= this.#source.length) throw new PatternError('leaves a class open');
    const character = this.#next();
    if (character !== '\\') return { code: character.codePointAt(0)! };
    if (this.#take('b')) return { code: 0x08 };
    return this.#escape();
  }

  #escaped(): PatternNode {
    if (this.#take('b')) return { kind: 'edge', edge: 'word' };
    if (this.#take('B')) return { kind: 'edge', edge: 'not-word' };
    const escape = this.#escape();
    if ('code' in escape) return { kind: 'character', code: escape.code };
    if ('ranges' in escape) return this.#set({ ranges: escape.ranges, properties: NO_PROPERTIES, negated: false });
    return this.#set({ ranges: [], properties: new Set([escape.property]), negated: false });
  }

  #escape(): Escape {
    if (this.#at >= this.#source.length) throw new PatternError('ends in a backslash');
    const letter = this.#next();
    const code = CONTROLS.get(letter);
    if (code !== undefined) return { code };
    const ranges = CLASSES.get(letter);
    if (ranges !== undefined) return { ranges };
    switch (letter) {
      case 'p':
      case 'P':
        return { property: this.#property(letter) };
      case 'u':
        return { code: this.#unicode() };
      case 'x':
        return { code: this.#hexadecimal(/^[\dA-Fa-f]{2}/) };
      case 'c':
        return { code: (this.#match(/^[A-Za-z]/) ?? bad('has an unknown escape')).charCodeAt(0) % 32 };
      case '0':
        if (/^\d/.test(this.#source.slice(this.#at, this.#at + 1))) throw new PatternError('has an octal escape');
        return { code: 0 };
      default:
        if (/^[1-9k]/.test(letter)) throw new PatternError('refers back to what it matched');
        // \Z, \A and \Q mean something in other engines and the letter itself here, which their author did not intend.
        if (/^[A-Za-z]/.test(letter)) throw new PatternError('has an unknown escape');
        return { code: letter.codePointAt(0)! };
    }
  }

  #property(letter: string): string {
    const name = this.#match(/^\{[A-Za-z_]+(=[A-Za-z0-9_]+)?\}/) ?? bad('has an unknown Unicode property');
    const property = `\\${letter}${name}`;
    this.#fuel.spend(PROPERTY_COST);
    try {
      new RegExp(property, 'u').test('');
    } catch {
      throw new PatternError('has an unknown Unicode property'); // the engine's message adds nothing
    }
    return property;
  }

  #unicode(): number {
    const braced = this.#match(/^\{[\dA-Fa-f]{1,6}\}/);
    if (braced !== undefined) {
      const code = Number.parseInt(braced.slice(1, -1), 16);
      return code <= LAST_CODE ? code : bad('has an unknown escape');
    }
    const high = this.#hexadecimal(/^[\dA-Fa-f]{4}/);
    const low = high >= 0xd800 && high <= 0xdbff ? this.#match(/^\\u[Dd][C-Fc-f][\dA-Fa-f]{2}/) : undefined;
    if (low === undefined) return high;
    return (high - 0xd800) * 0x400 + (Number.parseInt(low.slice(2), 16) - 0xdc00) + 0x10000;
  }

  #hexadecimal(shape: RegExp): number {
    return Number.parseInt(this.#match(shape) ?? bad('has an unknown escape'), 16);
  }

  #match(shape: RegExp): string | undefined {
    const found = shape.exec(this.#source.slice(this.#at, this.#at + 60))?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #set(parts: SetParts): PatternNode {
    this.#fuel.spend(SET_COST);
    return { kind: 'set', set: toCharacterSet(parts) };
  }

  #next(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at)!);
    this.#at += character.length;
    return character;
  }

  #take(text: string): boolean {
    const found = this.#source.startsWith(text, this.#at);
    if (found) this.#at += text.length;
    return found;
  }
}

function bad(message: string): never {
  throw new PatternError(message);
}
