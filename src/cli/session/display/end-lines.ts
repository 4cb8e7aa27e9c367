import type { SendEnd, Usage } from '../../../session/index.js';
import { unreachable } from '../../../base/never.js';
import type { Screen } from '../../terminal/screen.js';
import { wrapText } from '../../terminal/text/text-width.js';
import { tookText } from './call-lines.js';
import { failureRows } from '../failure.js';

/** How a turn ended, where the model's text does not say it. */
export function endRows(end: SendEnd, screen: Pick<Screen, 'columns' | 'style'>): string[] {
  const { columns, style } = screen;
  const notice = (text: string): string[] => wrapText(text, columns, 2).map(style.yellow);
  switch (end.kind) {
    case 'done':
      return [];
    case 'cancelled':
      return notice('Stopped.');
    case 'length':
      return notice('The answer is cut here: the model reached its output limit. Say "go on" for the rest.');
    case 'refused':
      return notice('The provider of the model refused to answer. Rephrase your message, or try another model: /model');
    case 'max-turns':
      return notice(`Stopped after ${end.turns} turns, the limit. Say "go on" to allow as many again.`);
    case 'failed':
      return failureRows(end.error, screen);
    default:
      return unreachable(end);
  }
}

export interface Taken {
  readonly ms: number;
  /** Whether to show it in any case. */
  readonly isWanted: boolean;
}

/** Tokens and time of a turn; undefined where that is not worth a row. */
export function usageText({ turns, usage }: SendEnd, { ms, isWanted }: Taken): string | undefined {
  if (usage.input + usage.output === 0 || (!isWanted && turns < 2 && ms < LONG_MS)) return undefined;
  return `${tokensText(usage)}, ${tookText(ms)}`;
}

/** `12.3k tokens in (11k cached), 456 out` */
export function tokensText({ input, output, cacheRead }: Usage): string {
  const cached = cacheRead > 0 ? ` (${shortCount(cacheRead)} cached)` : '';
  return `${shortCount(input)} tokens in${cached}, ${shortCount(output)} out`;
}

export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_500 ? `${Number((count / 1000).toPrecision(3))}k` : `${Number((count / 1e6).toPrecision(3))}M`;
}

const LONG_MS = 10_000;
