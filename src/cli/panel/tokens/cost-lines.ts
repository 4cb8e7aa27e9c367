import { showLine } from '../../../model/show.js';
import type { CostReport } from '../../../model/view/tool-cost.js';
import { tokenText } from './token-text.js';

/** What a server, or what belongs to none, takes of a model's context. */
export interface CostLine {
  /** Safe to show. */
  readonly name: string;
  readonly loaded: number;
  readonly deferred: number;
  /** The part of the system text that the server wrote. */
  readonly instructions: number;
}

/** The lines that every face shows of a report, the largest first. `loaded` of all lines is what is taken now. */
export function costLines({
  builtIns,
  system,
  servers,
}: Pick<CostReport, 'builtIns' | 'system' | 'servers'>): CostLine[] {
  const own = builtIns.reduce((sum, { tokens }) => sum + tokens, 0);
  return [
    ...servers.map(({ name, loaded, deferred, instructions }) => ({
      name: showLine(name),
      loaded,
      deferred,
      instructions,
    })),
    { name: '(built-in tools)', loaded: own, deferred: 0, instructions: 0 },
    { name: '(system text)', loaded: system, deferred: 0, instructions: 0 },
  ].toSorted((one, other) => other.loaded + other.deferred - one.loaded - one.deferred);
}

/** What the whole takes, in sentences. `filled`: the tokens of the last request; 0 before the first. */
export function costSentences(
  { contextTokens, loaded, deferred, system }: Pick<CostReport, 'contextTokens' | 'loaded' | 'deferred' | 'system'>,
  filled = 0,
): string[] {
  const taken = `${tokenText(loaded + system)} (${shareText(loaded + system, contextTokens)})`;
  const last = filled > 0 ? `, the last request filled ${tokenText(filled)}` : '';
  return [
    `Context: ${tokenText(contextTokens)} tokens; tools and system text take ${taken}${last}`,
    `Tools: ${tokenText(loaded)} loaded, ${tokenText(deferred)} deferred until searched for`,
  ];
}

/** `3.1 %`; below a tenth of a percent, what it is less than. */
export function shareText(tokens: number, all: number): string {
  const percent = (tokens / all) * 100;
  if (tokens > 0 && percent < 0.05) return '<0.1 %';
  return `${percent >= 9.95 ? Math.round(percent) : percent.toFixed(1)} %`;
}
