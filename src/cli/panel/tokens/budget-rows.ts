import type { CostReport } from '../../../model/view/tool-cost.js';
import { NARROWEST } from '../../session/display/quoted-rows.js';
import { cutMiddle, cutToColumns, padText, textWidth, wrapText } from '../../terminal/text/text-width.js';
import { costLines, costSentences, shareText } from './cost-lines.js';
import { tokenText } from './token-text.js';

type Report = Pick<CostReport, 'contextTokens' | 'loaded' | 'deferred' | 'system' | 'builtIns' | 'servers'>;

/** The share of the model's context that tools and system text take, in one row. */
export function budgetRow({ contextTokens, loaded, deferred, system }: Report, columns: number): string {
  const used = loaded + system;
  const [now, later] = [shareText(used, contextTokens), shareText(deferred, contextTokens)];
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
  const { contextTokens } = report;
  const lines = costLines(report);
  const most = Math.max(1, ...lines.map((line) => line.loaded + line.deferred));
  const widest = Math.max(...lines.map((line) => textWidth(line.name)));
  const { name, bar } = layBudget(widest, columns);
  return [
    ...[
      ...costSentences(report),
      `Bars: ${LOADED} loaded, ${DEFERRED} deferred; the longest is ${tokenText(most)}`,
      '',
    ].flatMap((row) => wrapText(row, Math.max(columns, NARROWEST), 2)),
    ...lines.map((line) => {
      const numbers = [
        tokenText(line.loaded).padStart(6),
        (line.deferred > 0 ? `+${tokenText(line.deferred)}` : '').padStart(6),
        shareText(line.loaded, contextTokens).padStart(8),
      ].join(' ');
      const drawn = bar >= BAR_LEAST ? ` ${barOf([line.loaded, line.deferred], most, bar)}` : '';
      return cutToColumns(`${padText(cutMiddle(line.name, name), name)} ${numbers}${drawn}`, columns);
    }),
  ];
}

/** The columns of the names and of the bars. Names have what bars leave, and all where there is no room for bars. */
function layBudget(widest: number, columns: number): { readonly name: number; readonly bar: number } {
  const room = columns - NUMBERS;
  const bar = Math.min(BAR_MOST, room - 1 - Math.min(widest, Math.max(NAME_LEAST, Math.floor(columns / 3))));
  const name = bar < BAR_LEAST ? room : room - 1 - bar;
  return { name: Math.max(4, Math.min(widest, name)), bar };
}

/** Loaded, then deferred, then what is left. Whatever is not zero has a cell. */
function barOf([loaded, deferred]: readonly [number, number], all: number, width: number): string {
  const cells = (tokens: number): number => (tokens === 0 ? 0 : Math.max(1, Math.round((tokens / all) * width)));
  const one = Math.min(cells(loaded), width);
  const other = Math.min(cells(deferred), width - one);
  return `${LOADED.repeat(one)}${DEFERRED.repeat(other)}${LEFT.repeat(width - one - other)}`;
}

const LOADED = '█';
const DEFERRED = '▒';
const LEFT = '░';
const NAME_LEAST = '(built-in tools)'.length;
const BAR_LEAST = 8;
const BAR_MOST = 40;
const NUMBERS = ' '.length + '  1.2k   +30k    0.6 %'.length; // what stands between a name and its bar
