import { showHidden, showInput } from '../../../model/permissions/show-input.js';
import type { ProgressMeter } from '../../output/progress-meter.js';
import { showLine } from '../../../model/show.js';
import { cutToColumns, textWidth } from '../../terminal/text/text-width.js';

/** `server.tool(name: value, …)`, cut to these columns. */
export function callText(name: string, input: unknown, columns: number): string {
  const meant = toMeant(name, input);
  return cutToColumns(`${toolText(meant.name)}(${argumentsText(meant.input, columns)})`, columns);
}

/** A tool's name for people: `mcp__github__search` is github.search. */
export function toolText(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/u.exec(name) ?? [];
  return showLine(server === undefined ? name : `${server}.${tool}`);
}

export interface RunningCall {
  readonly name: string;
  readonly input: unknown;
  /** Set for a call that the model's provider runs. */
  readonly by: string | undefined;
  meter?: ProgressMeter;
}

/** A running call in one row: the call, its time, its progress and the server's progress message. */
export function runningRow({ name, input, meter, by }: RunningCall, ms: number, columns: number): string {
  const facts = [
    ...(by === undefined ? [] : [`run by ${showLine(by)}`]),
    ...(ms >= 1000 ? [timeText(ms)] : []),
    ...(meter?.parts(ms, { isWide: columns >= WIDE }) ?? []),
  ];
  if (facts.length === 0) return callText(name, input, columns);
  const text = callText(name, input, Math.max(columns - 2 - textWidth(facts.join('  ')), Math.floor(columns / 3)));
  return cutToColumns(`${text}  ${facts.join('  ')}`, columns);
}

/** A final duration: `312 ms`, `1.7 s`. */
export function tookText(ms: number): string {
  return ms >= 1000 && ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : timeText(ms);
}

/** `8 s`, `2 min 5 s` */
export function timeText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The tool that `CallMcpTool` names: models call tools that way that are not in their list. */
export function toMeant(name: string, input: unknown): { readonly name: string; readonly input: unknown } {
  if (name !== 'CallMcpTool' || typeof input !== 'object' || input === null) return { name, input };
  const { name: meant, arguments: given = {} } = input as { readonly name?: unknown; readonly arguments?: unknown };
  return typeof meant === 'string' ? { name: meant, input: given } : { name, input };
}

/** Where not all arguments fit, each gets an equal share. */
function argumentsText(input: unknown, columns: number): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return valueText(input, columns);
  const names = Object.keys(input).slice(0, ARGUMENTS);
  const given = input as { readonly [name: string]: unknown };
  const whole = names.map((name) => `${showHidden(showLine(name))}: ${valueText(given[name], columns)}`);
  const rest = Object.keys(input).length > names.length ? ', …' : '';
  if (whole.reduce((sum, text) => sum + textWidth(text) + 2, 0) <= columns) return whole.join(', ') + rest;
  const share = Math.max(Math.floor(columns / Math.max(names.length, 1)) - 2, SHARE);
  return whole.map((text) => cutToColumns(text, share)).join(', ') + rest;
}

/** A value as JSON in one line. */
function valueText(value: unknown, columns: number): string {
  if (value === undefined) return '';
  const text = showInput(typeof value === 'string' ? value.slice(0, columns * 2) : value, columns * 4);
  const line = text.replaceAll(/(?<=[[{])\n\s*|\n\s*(?=[\]}])/gu, '').replaceAll(/\n\s*/gu, ' ');
  return cutToColumns(line, columns);
}

const ARGUMENTS = 20;
const SHARE = 16; // columns that an argument keeps at least
const WIDE = 60; // columns; in fewer, the bar would take the room of the message
