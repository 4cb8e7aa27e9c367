import { Fuel } from './fuel.js';
import { parsePattern, type PatternNode } from './pattern-parse.js';
import { type PatternProgram, toProgram } from './pattern-program.js';
import { runProgram } from './pattern-run.js';

/**
 * Whether an untrusted pattern matches anywhere in a text; undefined when it is not a pattern of ECMA-262, has a
 * back-reference, or would take too long. Never throws, and takes about 10 ms at most.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const fuel = new Fuel(LONE_PATTERN_FUEL);
  try {
    return new Pattern(pattern, fuel).matches(text, fuel);
  } catch {
    return undefined; // no pattern, too much work, or too little stack left by the caller
  }
}

/**
 * A pattern of ECMA-262 that matches in time linear in the text, look-arounds aside, and stops when its fuel is spent.
 * The engine's own RegExp backtracks for minutes; re2js is linear, but with a factor that the pattern determines (20 s
 * for a pattern of 1 KB), and has neither look-arounds nor counts over 1,000.
 */
export class Pattern {
  readonly #node: PatternNode;
  readonly #native: { readonly pattern: RegExp; readonly weight: number } | undefined;
  #kept: { readonly bits: number; readonly program: PatternProgram } | undefined;

  /** Throws `PatternError` or `OutOfFuel`. */
  constructor(source: string, fuel: Fuel) {
    this.#node = parsePattern(source, fuel);
    const weight = weigh(this.#node, source);
    if (weight === undefined) return;
    fuel.spend(NATIVE_COST);
    const pattern = toNative(source);
    if (pattern !== undefined) this.#native = { pattern, weight };
  }

  /** Throws `OutOfFuel`, or `PatternError` when the pattern is too large for a text of this length. */
  matches(text: string, fuel: Fuel): boolean {
    const native = this.#native;
    if (native === undefined || text.length * native.weight > NATIVE_WORK_LIMIT) {
      return runProgram(this.#programFor(text.length, fuel), text, fuel);
    }
    fuel.spend(1 + ((text.length * native.weight) >> 3));
    return native.pattern.test(text);
  }

  /** A program serves all texts up to a power of two in length. Large programs are not cached, to save memory. */
  #programFor(length: number, fuel: Fuel): PatternProgram {
    const bits = 32 - Math.clz32(length);
    if (this.#kept?.bits === bits) return this.#kept.program;
    const program = toProgram(this.#node, 2 ** bits, fuel);
    if (program.steps.length <= KEPT_STEPS) this.#kept = { bits, program };
    return program;
  }
}

const LONE_PATTERN_FUEL = 500_000;
const KEPT_STEPS = 300;
const NATIVE_COST = 5_000; // units; RegExp compiles at its first use
const NATIVE_WORK_LIMIT = 4_000_000; // RegExp keeps a position to backtrack to for each character
const PLAIN_LENGTH = 500; // RegExp unrolls counted repetitions
const PLAIN_WEIGHT = 100;
const NARROW = 4;

/**
 * The most work that each character of a text can cause RegExp; undefined when unclear. It is clear for an anchored
 * pattern without groups in which at most one repetition is long: most patterns of real schemas (`^[a-z0-9-]+$`,
 * base64), which run 20 times faster in RegExp.
 */
function weigh(node: PatternNode, source: string): number | undefined {
  if (node.kind !== 'sequence' || source.length > PLAIN_LENGTH) return undefined;
  const [first, ...rest] = node.parts;
  if (first?.kind !== 'edge' || first.edge !== 'start') return undefined;
  let wide = 0;
  let ways = 1;
  let length = 1;
  for (const part of rest) {
    const single = part.kind === 'repeat' ? part.body : part;
    if (single.kind !== 'character' && single.kind !== 'set' && single.kind !== 'edge') return undefined;
    if (part.kind === 'edge') continue;
    if (part.kind !== 'repeat') length++;
    else {
      length += part.min;
      if (part.max - part.min >= NARROW) wide++;
      else ways *= part.max - part.min + 1;
    }
  }
  const weight = ways * length;
  return wide <= 1 && weight <= PLAIN_WEIGHT ? weight : undefined;
}

function toNative(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined; // RegExp is stricter about escapes, so our own matcher is used
  }
}
