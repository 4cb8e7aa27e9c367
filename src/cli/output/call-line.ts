import { dayText } from '../../actions/value/day-text.js';
import type { LedgerGap, LedgerLine } from '../../model/ledger-entry.js';
import { showLine } from '../../model/show.js';
import type { Style } from './style.js';

/** A line of the ledger for people: time, outcome, tool, duration, sizes, and what decided. */
export function callLine(call: LedgerLine | LedgerGap, style: Style): string {
  const time = style.dim(localTime(call.at));
  if ('lost' in call) return `${time}  ${style.yellow(`? ${call.lost} calls could not be logged`)}`;
  const { ms, waitedMs, bytesIn, bytesOut, tokens, attempts, decision, rule, flow, code, message } = call;
  const facts = [
    `${Math.round(ms)} ms${waitedMs !== undefined && waitedMs >= 1 ? ` (${Math.round(waitedMs)} waiting)` : ''}`,
    `${size(bytesIn)} in, ${size(bytesOut)} out`,
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(attempts !== undefined && attempts > 1 ? [`${attempts} attempts`] : []),
    rule === undefined ? decision : `${decision} by ${rule}`,
    ...(flow === undefined ? [] : [`flow: ${flow}`]),
    ...(code === undefined && message === undefined ? [] : [[code, message].filter(Boolean).join(': ')]),
  ];
  const [colour, word] = OUTCOMES[call.outcome];
  return `${time}  ${style[colour](word)}  ${showLine(subjectText(call))}  ${showLine(facts.join('  '))}`;
}

function subjectText({ tool, uri, prompt, completes }: LedgerLine): string {
  const what = uri === undefined ? tool : `${tool} ${uri}`;
  return completes === undefined ? what : `${what}${prompt === undefined ? '' : ` ${prompt}`} (completes ${completes})`;
}

const OUTCOMES = {
  ok: ['green', '✔ ok     '],
  error: ['red', '✘ error  '],
  unknown: ['yellow', '? unknown'],
} as const;

function size(bytes: number | undefined): string {
  if (bytes === undefined) return '?';
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Local time, which still sorts as text. */
function localTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return showLine(at);
  return `${dayText(at)} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
