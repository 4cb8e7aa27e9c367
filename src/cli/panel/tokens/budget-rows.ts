import { showLine } from '../../../model/show.js';
import type { CostReport } from '../../../model/view/tool-cost.js';
import { NARROWEST } from '../../session/display/quoted-rows.js';
import { cutToColumns, padText, textWidth, wrapText } from '../../terminal/text/text-width.js';
import { tokenText } from './token-text.js';

type Report = Pick<CostReport, 'contextTokens' | 'loaded' | 'deferred' | 'system' | 'builtIns' | 'servers'>;

/** The share of the model's context that tools and system text take, in one row. */
export function budgetRow({ contextTokens, loaded, deferred, system }: Report, columns: number): string {
  const used = loaded + system;
  const [now, later] = [share(used, contextTokens), share(deferred, contextTokens)];
  const whole = `${now}${deferred > 0 ? ` + ${later} deferred` : ''} of ${tokenText(contextTokens)}`;
  const short = `${now}${deferred > 0 ? ` + ${later}` : ''}`;
  const roomBeside = (told: string): number => columns - textWidth(`Context  ${told}`) - 1;
  const told = [whole, short].find((one) => roomBeside(one) >= BAR_LEAST);
  if (told === undefined) return cutToColumns(`Context ${short}`, columns);
  return `Context ${barOf([used, deferred], contextTokens, Math.min(roomBeside(told), BAR_MOST))} ${told}`;
}

/** One row for each server, and for what belongs to none, with bars that compare them; the largest first. */
export function budgetRows(report: Report | undefined, columns: number): string[] {
  if (!report) return ['Counting …'];
  const { contextTokens, loaded, deferred, system, builtIns, servers } = report;
  const own = builtIns.reduce((sum, { tokens }) => sum + tokens, 0);
  const lines = [
    ...servers.map(({ name, ...tokens }) => ({
      name: showLine(name),
      loaded: tokens.loaded,
      deferred: tokens.deferred,
    })),
    { name: '(built-in tools)', loaded: own, deferred: 0 },
    { name: '(system text)', loaded: system, deferred: 0 },
  ].toSorted((one, other) => other.loaded + other.deferred - one.loaded - one.deferred);
  const most = Math.max(1, ...lines.map((line) => line.loaded + line.deferred));
  const widest = Math.max(...lines.map((line) => textWidth(line.name)));
  const name = Math.max(4, Math.min(widest, Math.floor(columns / 3)));
  const bar = Math.min(BAR_MOST, columns - name - NUMBERS.length);
  return [
    ...[
      `Context: ${tokenText(contextTokens)} tokens; tools and system text take ${tokenText(loaded + system)} (${share(loaded + system, contextTokens)})`,
      `Tools: ${tokenText(loaded)} loaded, ${tokenText(deferred)} deferred until searched for`,
      `Bars: ${LOADED} loaded, ${DEFERRED} deferred; the longest is ${tokenText(most)}`,
      '',
    ].flatMap((row) => wrapText(row, Math.max(columns, NARROWEST), 2)),
    ...lines.map((line) => {
      const numbers = [
        tokenText(line.loaded).padStart(6),
        (line.deferred > 0 ? `+${tokenText(line.deferred)}` : '').padStart(6),
        share(line.loaded, contextTokens).padStart(8),
      ].join(' ');
      const drawn = bar >= BAR_LEAST ? ` ${barOf([line.loaded, line.deferred], most, bar)}` : '';
      return cutToColumns(`${padText(cutToColumns(line.name, name), name)} ${numbers}${drawn}`, columns);
    }),
  ];
}

/** Loaded, then deferred, then what is left. Whatever is not zero has a cell. */
function barOf([loaded, deferred]: readonly [number, number], all: number, width: number): string {
  const cells = (tokens: number): number => (tokens === 0 ? 0 : Math.max(1, Math.round((tokens / all) * width)));
  const one = Math.min(cells(loaded), width);
  const other = Math.min(cells(deferred), width - one);
  return `${LOADED.repeat(one)}${DEFERRED.repeat(other)}${LEFT.repeat(width - one - other)}`;
}

/** `3.1 %`; below a tenth of a percent, what it is less than. */
function share(tokens: number, all: number): string {
  const percent = (tokens / all) * 100;
  if (tokens > 0 && percent < 0.05) return '<0.1 %';
  return `${percent >= 9.95 ? Math.round(percent) : percent.toFixed(1)} %`;
}

const LOADED = '█';
const DEFERRED = '▒';
const LEFT = '░';
const BAR_LEAST = 8;
const BAR_MOST = 40;
const NUMBERS = '  1.2k  +30k   0.6 %   '; // what stands beside a bar
