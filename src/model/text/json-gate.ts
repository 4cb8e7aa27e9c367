import {
  count,
  type RemovedText,
  type FindingKind,
  gateLine,
  gateText,
  toFindings,
  TRUNCATION_MARK,
} from './text-gate.js';

export interface JsonGateOptions {
  /** The longest string, in characters. */
  readonly limit?: number;
  readonly depth?: number;
  readonly nodes?: number;
  /** Leaves CR LF as it is. Default: every line end becomes LF. */
  readonly keepsLineEnds?: boolean;
}

/**
 * Gates every string and key of a JSON value. Unchanged parts stay the same objects; what is too deep, or beyond the
 * number of nodes, becomes the truncation mark. `__proto__` stays an own key, as JSON.parse made it.
 */
export function gateJson(
  value: unknown,
  options: JsonGateOptions = {},
): { value: unknown; findings: readonly RemovedText[] } {
  const walk: Walk = {
    depth: options.depth ?? DEPTH_LIMIT,
    nodes: options.nodes ?? NODE_LIMIT,
    limit: options.limit ?? Infinity,
    keepsLineEnds: options.keepsLineEnds ?? false,
    counts: undefined,
  };
  const gated = visit(value, walk, 0);
  return { value: gated, findings: walk.counts ? toFindings(walk.counts) : NONE };
}

const DEPTH_LIMIT = 512; // JSON.stringify and most printers recurse, and overflow the stack soon beyond
const NODE_LIMIT = 1_000_000; // the most that the wire accepts

interface Walk {
  readonly depth: number;
  readonly limit: number;
  readonly keepsLineEnds: boolean;
  /** Undefined while nothing was found. */
  counts: Map<FindingKind, number> | undefined;
  nodes: number;
}

const NONE: readonly RemovedText[] = [];

function find(walk: Walk, kind: FindingKind, by?: number): void {
  count((walk.counts ??= new Map()), kind, by);
}

function visit(value: unknown, walk: Walk, depth: number): unknown {
  walk.nodes--;
  if (typeof value === 'string') return visitText(value, walk);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= walk.depth) return cutOff(walk);
  return Array.isArray(value) ? visitArray(value, walk, depth) : visitObject(value, walk, depth);
}

function visitText(text: string, walk: Walk): string {
  if (!walk.keepsLineEnds || !text.includes('\r\n')) return keep(gateText(text, walk), walk);
  const lines = text.split('\r\n').map((line) => keep(gateText(line, walk), walk));
  const kept = lines.join('\r\n');
  return kept === text ? text : kept;
}

function visitArray(source: readonly unknown[], walk: Walk, depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, before] of source.entries()) {
    if (walk.nodes <= 0) return [...(copy ?? source.slice(0, index)), cutOff(walk)];
    const after = visit(before, walk, depth + 1);
    if (copy === undefined && !Object.is(before, after)) copy = source.slice(0, index);
    copy?.push(after);
  }
  return copy ?? source;
}

function visitObject(source: object, walk: Walk, depth: number): object {
  let copy: object | undefined;
  const fields = source as Readonly<Record<string, unknown>>;
  const keys = Object.keys(fields);
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    const before = fields[key];
    if (walk.nodes <= 0) {
      copy ??= firstFields(fields, keys, at);
      define(copy, TRUNCATION_MARK, cutOff(walk));
      return copy;
    }
    const name = keep(gateLine(key), walk);
    const after = visit(before, walk, depth + 1);
    if (copy === undefined && name === key && Object.is(before, after)) continue;
    copy ??= firstFields(fields, keys, at);
    // A key that differs only by hidden characters must not replace the real one.
    if (Object.hasOwn(copy, name) || (name !== key && Object.hasOwn(source, name))) find(walk, 'duplicate-key');
    else define(copy, name, after);
  }
  return copy ?? source;
}

function firstFields(fields: Readonly<Record<string, unknown>>, keys: readonly string[], end: number): object {
  return Object.fromEntries(keys.slice(0, end).map((key) => [key, fields[key]]));
}

/** An assignment to `__proto__` would set the prototype. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function keep({ text, findings }: { text: string; findings: readonly RemovedText[] }, walk: Walk): string {
  for (const finding of findings) find(walk, finding.kind, finding.count);
  return text;
}

function cutOff(walk: Walk): string {
  find(walk, 'truncated');
  return TRUNCATION_MARK;
}
