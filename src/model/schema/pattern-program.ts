import { unreachable } from '../../base/never.js';
import type { Fuel } from './fuel.js';
import { PatternError, type PatternNode } from './pattern-parse.js';
import type { CharacterSet } from './pattern-set.js';

/** A pattern as steps: `character` and `set` consume one character, the others none. */
export interface PatternProgram {
  readonly steps: readonly PatternStep[];
  /** Whether a match can only begin at the start of the text. */
  readonly anchored: boolean;
}

export type PatternStep =
  | { readonly kind: 'character'; readonly code: number }
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'split'; first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'start' | 'end' | 'word' | 'not-word' | 'match' }
  | { readonly kind: 'look'; readonly program: PatternProgram; readonly behind: boolean; readonly negative: boolean };

/**
 * The program for texts of at most `length` characters. A count above the text's length equals an unlimited one, so
 * {0,2048} takes no more steps than the text has characters. Throws `PatternError` or `OutOfFuel`.
 */
export function toProgram(pattern: PatternNode, length: number, fuel: Fuel): PatternProgram {
  return compile(pattern, { length, fuel, behind: false });
}

const STEP_LIMIT = 20_000; // about a megabyte; {5000} within {5000} would be 25 million

interface Setting {
  readonly length: number;
  readonly fuel: Fuel;
  /** A look-behind matches from right to left. */
  readonly behind: boolean;
}

function compile(pattern: PatternNode, setting: Setting): PatternProgram {
  const steps: PatternStep[] = [];
  emit(pattern, steps, setting);
  steps.push({ kind: 'match' });
  return { steps, anchored: steps[0]!.kind === 'start' };
}

function emit(node: PatternNode, steps: PatternStep[], setting: Setting): void {
  setting.fuel.spend(2);
  if (steps.length > STEP_LIMIT) throw new PatternError(`takes more than ${STEP_LIMIT} steps`);
  switch (node.kind) {
    case 'character':
    case 'set':
      steps.push(node);
      return;
    case 'edge':
      steps.push({ kind: node.edge });
      return;
    case 'look': {
      const { behind, negative } = node;
      steps.push({ kind: 'look', program: compile(node.body, { ...setting, behind }), behind, negative });
      return;
    }
    case 'sequence':
      for (const part of setting.behind ? node.parts.toReversed() : node.parts) emit(part, steps, setting);
      return;
    case 'choice':
      emitChoice(node.options, steps, setting);
      return;
    case 'repeat':
      emitRepeat(node, steps, setting);
      return;
    default:
      unreachable(node);
  }
}

function emitChoice(options: readonly PatternNode[], steps: PatternStep[], setting: Setting): void {
  const ends: { to: number }[] = [];
  for (const option of options.slice(0, -1)) {
    const split = { kind: 'split' as const, first: steps.length + 1, second: 0 };
    steps.push(split);
    emit(option, steps, setting);
    const end = { kind: 'jump' as const, to: 0 };
    steps.push(end);
    ends.push(end);
    split.second = steps.length;
  }
  emit(options.at(-1)!, steps, setting);
  for (const end of ends) end.to = steps.length;
}

function emitRepeat(
  { body, min, max }: { body: PatternNode; min: number; max: number },
  steps: PatternStep[],
  setting: Setting,
): void {
  const needed = Math.min(min, setting.length + 1);
  for (let count = 0; count < needed; count++) emit(body, steps, setting);
  if (max > setting.length) {
    const start = steps.length;
    const split = { kind: 'split' as const, first: start + 1, second: 0 };
    steps.push(split);
    emit(body, steps, setting);
    steps.push({ kind: 'jump', to: start });
    split.second = steps.length;
    return;
  }
  const exits: { second: number }[] = [];
  for (let count = needed; count < max; count++) {
    const split = { kind: 'split' as const, first: steps.length + 1, second: 0 };
    steps.push(split);
    exits.push(split);
    emit(body, steps, setting);
  }
  for (const exit of exits) exit.second = steps.length;
}
