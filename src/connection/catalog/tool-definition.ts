// Tools: https://modelcontextprotocol.io/specification/2025-11-25/server/tools
import { isObject, type JsonObject } from '../../base/json.js';
import { roughSize } from '../../base/rough-size.js';
import { type Suspicion, suspect, suspicions } from '../../model/view/suspect-tool.js';
import { gateName } from '../../model/text/text-gate.js';
import type { JsonSchema, ToolDefinition, ToolHints, ToolMarks, ToolMeta } from '../../model/tool.js';
import type { McpSession } from '../../wire/eras/era.js';
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';
import { forEachYielding } from './for-each-yielding.js';
import { listPages } from './list-pages.js';
import { readMirrored } from '../requests/mirrored-arguments.js';
import { readDescription, readTitle, type Redact } from './server-text.js';
import { isTaskOnly } from '../requests/task.js';
import type { ToolTraits } from './tool-traits.js';

/** A tool as its server describes it: texts cleaned and truncated, schemas unchanged. */
export interface ServerToolDefinition extends Omit<ToolDefinition, 'serverDefinition'> {
  /** As the server spells it, which is how tools/call must spell it. */
  readonly name: string;
}

export interface SetAsideDefinition {
  readonly tool: string;
  readonly reason: string;
  /** Not a tool, but those of the list that were never read. */
  readonly unread?: true;
}

export interface ListedTools {
  readonly tools: readonly ServerToolDefinition[];
  /** `tools`, each as the server wrote it. */
  readonly written: readonly JsonObject[];
  readonly setAside: readonly SetAsideDefinition[];
  readonly warnings: readonly string[];
  /** Milliseconds that the list stays fresh, as the server says. */
  readonly ttlMs: number;
}

/** Fetches all tools of a server. A malformed tool is set aside with the reason; the others stay. */
export async function listTools(
  connection: Connection,
  { config, ...options }: CallOptions & { readonly config?: ToolFilter | undefined } = {},
): Promise<ListedTools> {
  if (!isObject(connection.session.capabilities['tools']))
    return { tools: [], written: [], setAside: [], warnings: [], ttlMs: 0 };
  const pages = await listPages(connection, { method: 'tools/list', key: 'tools' }, { ...options, limit: TOOL_LIMIT });
  const { onlyTools, redact } = connection;
  const tools = new Map<string, ServerToolDefinition>();
  const written: JsonObject[] = [];
  const traits = new Map<string, ToolTraits>();
  const setAside: SetAsideDefinition[] = [];
  // First, so that it is told of and stored even when many tools are set aside.
  if (pages.leftOut !== undefined) setAside.push({ tool: '', reason: pages.leftOut, unread: true });
  const suspected = new Map<Suspicion, string[]>();
  await forEachYielding(connection.peer.clock, pages.items, (item) => {
    const tool = parseTool(item, redact);
    if ('reason' in tool) {
      setAside.push(tool);
      return;
    }
    const special = readTraits(item as JsonObject, connection.session);
    const reason = tools.has(tool.name)
      ? 'another tool has the same name'
      : onlyTools?.includes(tool.name) === false
        ? `of an editor only ${onlyTools.join(' and ')} are used`
        : isExcluded(tool.name, config)
          ? 'its entry leaves it out'
          : typeof special === 'string'
            ? special
            : undefined;
    if (reason !== undefined) setAside.push({ tool: gateName(tool.name), reason });
    else {
      tools.set(tool.name, tool);
      written.push(item as JsonObject);
      for (const one of suspect(tool.name, (item as JsonObject)['description'])) {
        const named = suspected.get(one);
        if (named) named.push(tool.name);
        else suspected.set(one, [tool.name]);
      }
      if (typeof special === 'object') traits.set(tool.name, special);
    }
  });
  connection.traits.clear();
  for (const [name, special] of traits) connection.traits.set(name, special);
  const { ttlMs } = pages;
  const warnings = [...pages.warnings, ...Array.from(suspected, ([one, names]) => toWarning(one, names))];
  return { tools: [...tools.values()], written, setAside, warnings, ttlMs };
}

function toWarning(suspicion: Suspicion, names: readonly string[]): string {
  const told = names.slice(0, NAMES_TOLD).map(gateName).join(', ');
  const more = names.length > NAMES_TOLD ? ` and ${names.length - NAMES_TOLD} more` : '';
  return `Some tools ${suspicions[suspicion]}: ${told}${more}`;
}

const NAMES_TOLD = 5;

/** What a call must know of the tool in advance; undefined when nothing, a string why the tool is unusable. */
function readTraits(
  item: JsonObject,
  { mirrorsArguments, era, capabilities }: McpSession,
): ToolTraits | string | undefined {
  const mirrored = mirrorsArguments ? readMirrored(item['inputSchema'] as JsonObject) : [];
  if (typeof mirrored === 'string') return mirrored;
  const needsTask = era === 'legacy' && isTaskOnly(item, capabilities);
  return mirrored.length > 0 || needsTask ? { mirrored, needsTask } : undefined;
}

/** Tools that the server's entry includes or excludes. */
export interface ToolFilter {
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
}

export function isExcluded(name: string, { includeTools, excludeTools }: ToolFilter = {}): boolean {
  return excludeTools?.includes(name) === true || includeTools?.includes(name) === false;
}

/** Parses a tool from a server's list or from the cache file; returns the reason when it is malformed. */
export function parseTool(
  item: unknown,
  redact: Redact,
): ServerToolDefinition | { readonly tool: string; readonly reason: string } {
  if (!isObject(item)) return { tool: '', reason: 'it is no object' };
  const { name, title, description, inputSchema, outputSchema, annotations, _meta: meta } = item;
  if (typeof name !== 'string' || name === '') return { tool: '', reason: 'it has no name' };
  if (name.length > NAME_LIMIT)
    return { tool: gateName(name), reason: `its name has more than ${NAME_LIMIT} characters` };
  const wrong =
    schemaFault(inputSchema, 'inputSchema') ??
    (outputSchema === undefined || outputSchema === null ? undefined : schemaFault(outputSchema, 'outputSchema'));
  if (wrong !== undefined) return { tool: gateName(name), reason: wrong };
  return {
    name,
    title: readTitle(title, redact) ?? readTitle(isObject(annotations) ? annotations['title'] : undefined, redact),
    description: readDescription(description, redact),
    inputSchema: inputSchema as JsonSchema,
    outputSchema: (outputSchema ?? undefined) as JsonSchema | undefined,
    hints: readHints(annotations),
    marks: readMarks(annotations, meta),
    meta: readMeta(meta, redact),
  };
}

/** The inverse of `parseTool`: the tool as a server would list it. */
export function toToolItem(tool: ServerToolDefinition): JsonObject {
  // Field by field: in V8 a rest copy of an object takes as long as serializing it.
  const { name, title, description, inputSchema, outputSchema, hints, marks, meta } = tool;
  const { readOnly, destructive, idempotent, openWorld } = hints;
  const annotations = {
    readOnlyHint: readOnly,
    ...((!destructive || marks.saysDestructive) && { destructiveHint: destructive }),
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  };
  const said = {
    ...(marks.alwaysLoad && { [ALWAYS_LOAD]: true }),
    ...(marks.needsUser && { [NEEDS_USER]: true }),
    ...(marks.isHidden && { ui: { visibility: ['app'] } }),
    ...(meta.searchHint !== undefined && { [SEARCH_HINT]: meta.searchHint }),
    ...(meta.maxResultChars !== undefined && { [MAX_RESULT]: meta.maxResultChars }),
  };
  const item = { name, title, description, inputSchema, outputSchema, annotations };
  return Object.keys(said).length > 0 ? Object.assign(item, { _meta: said }) : item;
}

const ALWAYS_LOAD = 'anthropic/alwaysLoad';
const NEEDS_USER = 'anthropic/requiresUserInteraction';
const SEARCH_HINT = 'anthropic/searchHint';
const MAX_RESULT = 'anthropic/maxResultSizeChars';

function schemaFault(schema: unknown, field: string): string | undefined {
  if (!isObject(schema)) return `its ${field} is no object`;
  const { type } = schema;
  if (type !== undefined && type !== 'object' && field === 'inputSchema') {
    return `its ${field} describes ${typeof type === 'string' ? `a ${gateName(type)}` : 'no object'} instead of an object`;
  }
  return roughSize(schema, SCHEMA_LIMIT) > SCHEMA_LIMIT
    ? `its ${field} has more than ${SCHEMA_LIMIT} characters`
    : undefined;
}

function readHints(annotations: unknown): ToolHints {
  const hints = isObject(annotations) ? annotations : {};
  return {
    readOnly: hints['readOnlyHint'] === true,
    destructive: hints['destructiveHint'] !== false,
    idempotent: hints['idempotentHint'] === true,
    openWorld: hints['openWorldHint'] !== false,
  };
}

function readMarks(annotations: unknown, meta: unknown): ToolMarks {
  const said = isObject(meta) ? meta : {};
  const visibility = isObject(said['ui']) ? said['ui']['visibility'] : undefined;
  return {
    saysDestructive: isObject(annotations) && annotations['destructiveHint'] === true,
    alwaysLoad: said[ALWAYS_LOAD] === true,
    needsUser: said[NEEDS_USER] === true,
    isHidden: Array.isArray(visibility) && !visibility.includes('model'),
  };
}

function readMeta(meta: unknown, redact: Redact): ToolMeta {
  const said = isObject(meta) ? meta : {};
  const size = said[MAX_RESULT];
  return {
    searchHint: readTitle(said[SEARCH_HINT], redact),
    maxResultChars: typeof size === 'number' && size > 0 ? Math.min(Math.floor(size), MAX_RESULT_CHARS) : undefined,
  };
}

const TOOL_LIMIT = 10_000;
const NAME_LIMIT = 256; // the specification allows 128; longer names occur
const SCHEMA_LIMIT = 256_000;
const MAX_RESULT_CHARS = 500_000; // upper bound, whatever a server asks for
