import { showHidden, showInput } from '../../../model/permissions/show-input.js';
import type { CallProgress } from '../../../model/tool.js';
import { toBar } from '../../output/call-progress.js';
import { showLine } from '../../../model/show.js';
import { cutToColumns, textWidth } from '../../terminal/text/text-width.js';

/** `server.tool(name: value, …)` in so many columns: the name whole if there is room for nothing else, then as much as fits. */
export function callText(name: string, input: unknown, columns: number): string {
  const meant = toMeant(name, input);
  return cutToColumns(`${toolText(meant.name)}(${argumentsText(meant.input, columns)})`, columns);
}

/** A tool as people know it: `mcp__github__search` is github.search. */
export function toolText(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/u.exec(name) ?? [];
  return showLine(server === undefined ? name : `${server}.${tool}`);
}

export interface RunningCall {
  readonly name: string;
  readonly input: unknown;
  /** Who runs it, if that is not this host. */
  readonly by: string | undefined;
  progress?: CallProgress;
}

/** A call under way, in one row: what it is, how long it takes, how far it is and what the server says to that. */
export function runningRow({ name, input, progress, by }: RunningCall, ms: number, columns: number): string {
  const facts = [
    ...(by === undefined ? [] : [`run by ${showLine(by)}`]),
    ...(ms >= 1000 ? [timeText(ms)] : []),
    ...(progress ? [progressText(progress, columns)] : []),
  ].filter((fact) => fact !== '');
  if (facts.length === 0) return callText(name, input, columns);
  const text = callText(name, input, Math.max(columns - 2 - textWidth(facts.join('  ')), Math.floor(columns / 3)));
  return cutToColumns(`${text}  ${facts.join('  ')}`, columns);
}

/** Of something that is over: `312 ms`, `1.7 s`. */
export function tookText(ms: number): string {
  return ms >= 1000 && ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : timeText(ms);
}

/** `8 s`, `2 min 5 s` */
export function timeText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function progressText({ progress, total, message }: CallProgress, columns: number): string {
  const bar = toBar(progress, total);
  const words = message === undefined ? '' : showLine(message);
  const shown = bar !== undefined && columns < WIDE ? bar.replace(/^.* (?=\d+ %)/u, '') : bar;
  return [shown ?? (words === '' ? String(progress) : ''), words].filter((part) => part !== '').join('  ');
}

/** A model that cannot have a tool in its list calls it by its name: what is meant is that one. */
export function toMeant(name: string, input: unknown): { readonly name: string; readonly input: unknown } {
  if (name !== 'CallMcpTool' || typeof input !== 'object' || input === null) return { name, input };
  const { name: meant, arguments: given = {} } = input as { readonly name?: unknown; readonly arguments?: unknown };
  return typeof meant === 'string' ? { name: meant, input: given } : { name, input };
}

/** Where there is not room for all of them, none takes it from those behind. */
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

/** As JSON writes it, in one line. */
function valueText(value: unknown, columns: number): string {
  if (value === undefined) return '';
  const text = showInput(typeof value === 'string' ? value.slice(0, columns * 2) : value, columns * 4);
  const line = text.replaceAll(/(?<=[[{])\n\s*|\n\s*(?=[\]}])/gu, '').replaceAll(/\n\s*/gu, ' ');
  return cutToColumns(line, columns);
}

const ARGUMENTS = 20;
const SHARE = 16; // columns of an argument that has to leave room for others
const WIDE = 60; // columns; in fewer, a bar takes what words need
