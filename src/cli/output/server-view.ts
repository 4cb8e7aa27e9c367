import type { ConfiguredServer } from '../../actions/action-place.js';
import type { ServerState } from '../../index.js';
import type { ServerAsOf } from '../../actions/told.js';
import { markedFailureLines, type StatusSpan, statusSpans } from '../../actions/servers/server-status.js';
import { showLine } from '../../model/show.js';
import type { Style } from './style.js';
import { cutToColumns, textWidth } from '../terminal/text/text-width.js';
import { wrapHint, wrapLine } from './wrap.js';

export interface ViewOptions {
  readonly style?: Pick<Style, 'red' | 'green' | 'yellow'>;
  /** Width of the screen; without it lines are not wrapped. */
  readonly columns?: number;
}

/** `name: target - status`, then the last error of a failed server and what to do about it. */
export function serverStatusLines({ server, state, target }: ServerAsOf, options: ViewOptions = {}): string[] {
  const status = statusText(server, state, options);
  const name = showLine(server.name);
  const columns = options.columns ?? Infinity;
  const room = columns - textWidth(`  ${name}:  - ${status}`);
  return [
    ...wrapLine(`  ${name}: ${cutToColumns(target, Math.max(room, TARGET_FLOOR))} - ${status}`, columns, 4),
    ...markedFailureLines(server, state).flatMap((line) => wrapHint(`      ${line}`, columns, 8)),
  ];
}

export function statusText(server: ConfiguredServer, state: ServerState, { style }: ViewOptions = {}): string {
  return paintSpans(statusSpans(server, state), style);
}

export function paintSpans(spans: readonly StatusSpan[], style: ViewOptions['style']): string {
  const paint = ({ text, tone }: StatusSpan): string =>
    style && tone !== undefined && tone !== 'quiet' ? style[COLOURS[tone]](text) : text;
  return spans.map(paint).join('');
}

const COLOURS = { good: 'green', waiting: 'yellow', bad: 'red' } as const;

const TARGET_FLOOR = 24; // columns; less of a command is meaningless
