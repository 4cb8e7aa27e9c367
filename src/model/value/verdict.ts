import { isSpelledLikeAct } from '../permissions/server-act.js';
import { turnCostOf } from './shown-block.js';
import type { ServerTally, TurnTally } from './value-tally.js';

/** Why a server costs more than it brings. */
export type Verdict =
  /** Told for long, and never called. */
  | { readonly kind: 'unused' }
  /** Most of its calls fail. */
  | { readonly kind: 'failing' }
  /** Called, but most of what is told of it is tools that never are. */
  | { readonly kind: 'unused-tools'; readonly unused: readonly string[]; readonly tokens: number };

/** Milliseconds from one time to another: this room has no calendar. */
type MsBetween = (from: string, to: string) => number;

/** Undefined for a server that is worth what it costs, and where too little is known. */
export function judge(tally: ServerTally, msBetween: MsBetween): Verdict | undefined {
  const { calls, errors, cancelled } = tally;
  const ended = calls - cancelled;
  if (ended >= FEWEST_CALLS && 2 * errors > ended) return { kind: 'failing' };
  const shown = tally.last?.server;
  if (!shown || !isToldLong(tally, msBetween)) return undefined;
  if (calls === 0) {
    const costs = shown.loaded > 0 ? turnCostOf(shown) > 0 : shown.instructions >= FEWEST_TOKENS;
    return costs ? { kind: 'unused' } : undefined;
  }
  return unusedTools(tally, msBetween);
}

/** Where each tool is known and loaded: of the others nothing is sent that could be saved. */
function unusedTools({ last, tools }: ServerTally, msBetween: MsBetween): Verdict | undefined {
  const shown = last?.server;
  if (!shown || shown.tools.size < shown.count) return undefined;
  // What was told last does not have all that is used: a tool came later, or another model is shown more.
  const isPartial = [...tools].some(([name, { calls }]) => calls > 0 && !shown.tools.has(name) && !isAct(name));
  if (isPartial) return undefined;
  const isUsed = (name: string): boolean => (tools.get(name)?.calls ?? 0) > 0;
  const unused = [...shown.tools].filter(([name]) => {
    const tally = tools.get(name);
    return tally !== undefined && !isUsed(name) && isToldLong(tally, msBetween);
  });
  const tokens = unused.reduce((sum, [, tool]) => sum + tool.tokens, 0);
  const isMost = tokens >= FEWEST_TOKENS && 2 * tokens >= shown.loaded;
  return isMost && unused.length < shown.count
    ? { kind: 'unused-tools', unused: unused.map(([name]) => name), tokens }
    : undefined;
}

/** Resources and prompts are read by names that no tool has. */
function isAct(name: string): boolean {
  return isSpelledLikeAct(name.slice(name.lastIndexOf('__') + 2));
}

/** Told in 20 turns, or for 7 days. */
function isToldLong({ toldTurns, firstTold, lastTold }: TurnTally, msBetween: MsBetween): boolean {
  if (toldTurns >= TURNS) return true;
  return firstTold !== undefined && lastTold !== undefined && msBetween(firstTold, lastTold) >= WEEK_MS;
}

const TURNS = 20;
const WEEK_MS = 7 * 86_400_000;
const FEWEST_CALLS = 5; // of one or two calls nothing can be learned
const FEWEST_TOKENS = 100; // a turn: less is not worth a change
