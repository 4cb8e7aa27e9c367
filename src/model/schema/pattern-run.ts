import { unreachable } from '../../base/never.js';
import type { Fuel } from './fuel.js';
import type { PatternProgram } from './pattern-program.js';
import { contains } from './pattern-set.js';

/**
 * Whether the program matches anywhere in the text. All possible matches advance together, character by character, so
 * that the work is at most steps times characters for any pattern, and all of it spends fuel.
 */
export function runProgram(program: PatternProgram, text: string, fuel: Fuel): boolean {
  return run(program, { text, fuel, start: 0, search: !program.anchored, behind: false });
}

interface Walk {
  readonly text: string;
  readonly fuel: Fuel;
  readonly start: number;
  /** Whether a match may begin at every later position too. */
  readonly search: boolean;
  readonly behind: boolean;
}

/** The steps reached at one position of the text, each once. */
interface Threads {
  readonly steps: Int32Array;
  count: number;
}

const RUN_COST = 60; // units; each look-around is a separate run
const PROPERTY_COST = 4; // units; the engine tests a Unicode property

function run(program: PatternProgram, { text, fuel, start, search, behind }: Walk): boolean {
  const size = program.steps.length;
  fuel.spend(RUN_COST + (size >> 4));
  const reachedAt = new Int32Array(size).fill(-1);
  const pending: number[] = [];
  let current: Threads = { steps: new Int32Array(size), count: 0 };
  let next: Threads = { steps: new Int32Array(size), count: 0 };

  /** Follows the steps that consume no character; true when the pattern has matched. */
  const reach = (first: number, place: number, threads: Threads): boolean => {
    pending.push(first);
    while (pending.length > 0) {
      const index = pending.pop()!;
      if (reachedAt[index] === place) continue;
      reachedAt[index] = place;
      fuel.spend(1);
      const step = program.steps[index]!;
      switch (step.kind) {
        case 'character':
        case 'set':
          threads.steps[threads.count++] = index;
          break;
        case 'split':
          pending.push(step.second, step.first);
          break;
        case 'jump':
          pending.push(step.to);
          break;
        case 'start':
          if (place === 0) pending.push(index + 1);
          break;
        case 'end':
          if (place === text.length) pending.push(index + 1);
          break;
        case 'word':
          if (isWordEdge(text, place)) pending.push(index + 1);
          break;
        case 'not-word':
          if (!isWordEdge(text, place)) pending.push(index + 1);
          break;
        case 'look': {
          const found = run(step.program, { text, fuel, start: place, search: false, behind: step.behind });
          if (found !== step.negative) pending.push(index + 1);
          break;
        }
        case 'match':
          return true;
        default:
          unreachable(step);
      }
    }
    return false;
  };

  let place = start;
  if (reach(0, place, current)) return true;
  const end = behind ? 0 : text.length;
  while (place !== end) {
    if (current.count === 0 && !search) return false;
    const code = behind ? codeBefore(text, place) : text.codePointAt(place)!;
    const width = code > 0xffff ? 2 : 1;
    place += behind ? -width : width;
    fuel.spend(1);
    for (let thread = 0; thread < current.count; thread++) {
      const index = current.steps[thread]!;
      const step = program.steps[index]!;
      let goesOn = false;
      if (step.kind === 'character') goesOn = step.code === code;
      else if (step.kind === 'set') {
        if (code > 0x7f && step.set.properties !== undefined) fuel.spend(PROPERTY_COST);
        goesOn = contains(step.set, code);
      }
      if (goesOn && reach(index + 1, place, next)) return true;
    }
    if (search && reach(0, place, next)) return true;
    fuel.spend(current.count);
    [current, next] = [next, current];
    next.count = 0;
  }
  return false;
}

function codeBefore(text: string, place: number): number {
  const pair = place > 1 ? text.codePointAt(place - 2)! : 0;
  return pair > 0xffff ? pair : text.charCodeAt(place - 1);
}

function isWordEdge(text: string, place: number): boolean {
  return isWord(text.charCodeAt(place - 1)) !== isWord(text.charCodeAt(place));
}

/** NaN, the code beyond either end of the text, is no word character. */
function isWord(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a)
  );
}
