import { isObject } from '../base/json.js';
import { gateJson } from '../model/text/json-gate.js';
import { addFindings, type Findings, gateSlice, slicesOf } from './text-slices.js';

/**
 * A value as JSON, in chunks of bounded length, through the text gate. Small values stand on one line, so that a table
 * has one line per row. A mark replaces what is deeper than 512 levels.
 */
export function* jsonPieces(value: unknown, findings: Findings): Generator<string> {
  const stack: Frame[] = [];
  let piece = '';
  let next: unknown = value;
  for (;;) {
    if (typeof next === 'string' && next.length > LONG) {
      yield piece;
      piece = '';
      yield* longString(next, findings);
    } else if (!isContainer(next) || jsonSize(next, LINE) <= LINE || stack.length >= DEPTH) {
      piece += onOneLine(stack.length >= DEPTH && isContainer(next) ? MARK : next, findings);
    } else {
      // Keys only: copying a million values takes too long.
      const keys = isObject(next) ? Object.keys(next) : undefined;
      stack.push({ keys, values: next, length: keys?.length ?? (next as readonly unknown[]).length, at: 0 });
      piece += keys ? '{' : '[';
    }
    let frame = stack.at(-1);
    while (frame && frame.at >= frame.length) {
      stack.pop();
      piece += `\n${indent(stack.length)}${frame.keys ? '}' : ']'}`;
      frame = stack.at(-1);
    }
    if (piece.length >= PIECE) {
      yield piece;
      piece = '';
    }
    if (!frame) break;
    piece += `${frame.at > 0 ? ',' : ''}\n${indent(stack.length)}`;
    const key = frame.keys?.[frame.at];
    if (key !== undefined) piece += `${onOneLine(key, findings)}: `;
    next = (frame.values as { readonly [at: string]: unknown })[key ?? frame.at];
    frame.at++;
  }
  yield `${piece}\n`;
}

/** The beginning of the JSON: just over `length` characters, or all of it. */
export function jsonBeginning(value: unknown, length: number): string {
  let text = '';
  for (const piece of jsonPieces(value, new Map())) if ((text += piece).length > length) break;
  return text;
}

/** Approximate length of a value as JSON; stops counting beyond the limit. */
export function jsonSize(value: unknown, limit: number, depth = DEPTH): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  if (depth === 0) return Infinity;
  let size = 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && size <= limit; at++) {
      size += 1 + jsonSize(value[at], limit - size, depth - 1);
    }
    return size;
  }
  for (const key in value) {
    if (size > limit) return size;
    size += key.length + 4 + jsonSize((value as Record<string, unknown>)[key], limit - size, depth - 1);
  }
  return size;
}

interface Frame {
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly values: object;
  readonly length: number;
  at: number;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function onOneLine(value: unknown, findings: Findings): string {
  // Most values contain nothing for the gate to change, which their JSON shows.
  const json = JSON.stringify(value) ?? 'null';
  if (!SUSPICIOUS.test(json)) return json;
  const gated = gateJson(value);
  addFindings(findings, gated.findings);
  return JSON.stringify(gated.value) ?? 'null';
}

function* longString(text: string, findings: Findings): Generator<string> {
  yield '"';
  for (const slice of slicesOf(text)) yield JSON.stringify(gateSlice(slice, findings)).slice(1, -1);
  yield '"';
}

/** Bounded: 500 levels would make a file of spaces. */
function indent(depth: number): string {
  return ' '.repeat(Math.min(depth, 8));
}

const SUSPICIOUS = /[^\x20-\x7e]|\\[bfru]/u;
const LINE = 200;
const LONG = 65_536;
const PIECE = 65_536;
const DEPTH = 512;
const MARK = '… [truncated]';
