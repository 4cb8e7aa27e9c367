// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
import { isObject, type JsonObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import { toHeaderValue } from '../../model/text/header-value.js';

/** An argument that is repeated in an HTTP header, for proxies before the server. */
export interface MirroredArgument {
  readonly header: string;
  readonly path: readonly string[];
}

/** Arguments that a tool's schema marks with `x-mcp-header`; a string why the tool must be left out. */
export function readMirrored(inputSchema: JsonObject): readonly MirroredArgument[] | string {
  const found: MirroredArgument[] = [];
  const fault = walk(inputSchema, [], found, { left: VISIT_LIMIT });
  if (fault !== undefined) return fault;
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  return names.size === found.length ? found : 'two of its arguments want the same header';
}

/** The headers of one call, names and values in turn. Absent and null arguments get none. */
export function mirror(mirrored: readonly MirroredArgument[], input: JsonObject): string[] {
  return mirrored.flatMap(({ header, path }) => {
    let value: unknown = input;
    for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    const text = toText(value);
    return text === undefined ? [] : [`mcp-param-${header}`, toHeaderValue(text)];
  });
}

/**
 * The schema without its marks, for a tool whose marks are invalid: clients over HTTP have to refuse it otherwise, also
 * where the server's own transport knows no headers.
 */
export function withoutMarks(schema: JsonObject): JsonObject {
  return strip(schema, '') as JsonObject;
}

function strip(value: unknown, keyword: string): unknown {
  if (DATA.has(keyword)) return value;
  if (Array.isArray(value)) return value.map((one) => strip(one, ''));
  if (!isObject(value)) return value;
  const isByName = BY_NAME.has(keyword);
  const kept = Object.entries(value).filter(([key]) => isByName || key !== MARK);
  return Object.fromEntries(kept.map(([key, child]) => [key, strip(child, isByName ? '' : key)]));
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Only schemas that `properties` alone lead to may be marked; a mark elsewhere makes the tool invalid. */
function walk(
  schema: JsonObject,
  path: string[],
  found: MirroredArgument[],
  budget: { left: number },
): string | undefined {
  if (MARK in schema) {
    const fault = path.length === 0 ? 'it marks all arguments at once' : markFault(schema);
    if (fault !== undefined) return `its ${MARK} is not valid: ${fault}`;
    found.push({ header: schema[MARK] as string, path: [...path] });
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword !== 'properties' || !isObject(value)) {
      if (keyword !== MARK && isMarkedInside(keyword, value, budget)) return misplaced(keyword);
      continue;
    }
    for (const [name, child] of Object.entries(value)) {
      if (!isObject(child)) continue;
      if (--budget.left < 0) return TOO_LARGE;
      path.push(name);
      const fault = walk(child, path, found, budget);
      if (fault !== undefined) return fault;
      path.pop();
    }
  }
  return budget.left <= 0 ? TOO_LARGE : undefined;
}

function markFault({ [MARK]: header, type }: JsonObject): string | undefined {
  if (typeof header !== 'string' || header === '') return 'it names no header';
  if (header.length > NAME_LIMIT || !TOKEN.test(header)) return 'it is no name of a header';
  if (typeof type !== 'string' || !PRIMITIVES.has(type)) return 'the argument is neither text, integer nor boolean';
  return undefined;
}

function misplaced(keyword: string): string {
  return `its ${MARK} stands below "${shorten(keyword, 40)}", where it may not`;
}

/** Whether there is a mark anywhere below, except in keywords that hold data and no schema. */
function isMarkedInside(keyword: string, value: unknown, budget: { left: number }): boolean {
  const waiting: [keyword: string, value: unknown][] = [[keyword, value]];
  for (let next = waiting.pop(); next && budget.left > 0; next = waiting.pop()) {
    const [above, one] = next;
    if (typeof one !== 'object' || one === null || DATA.has(above)) continue;
    budget.left--;
    // Below these keywords the keys are names that the server chose, not keywords.
    const isByName = BY_NAME.has(above);
    if (!isByName && !Array.isArray(one) && MARK in one) return true;
    for (const [key, child] of Object.entries(one)) waiting.push([isByName || Array.isArray(one) ? '' : key, child]);
  }
  return false;
}

const MARK = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const PRIMITIVES: ReadonlySet<string> = new Set(['string', 'integer', 'boolean']);
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);
const BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const NAME_LIMIT = 128;
const VISIT_LIMIT = 20_000;
const TOO_LARGE = 'its inputSchema is too large to look for headers in';
