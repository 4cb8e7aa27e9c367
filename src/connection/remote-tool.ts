// Tools: https://modelcontextprotocol.io/specification/2025-11-25/server/tools
import { isObject } from '../base/json.js';
import { roughSize } from '../base/rough-size.js';
import { gateLine } from '../model/text-gate.js';
import type { Session } from '../wire/eras/era.js';
import type { JsonObject } from '../wire/message.js';
import type { CallOptions } from '../wire/peer.js';
import type { Link } from './connect.js';
import { inTurns } from './in-turns.js';
import { listPages } from './list-pages.js';
import { readMirrored } from './mirrored-arguments.js';
import { readDescription, readTitle, type Redact } from './server-text.js';
import { isTaskOnly } from './task.js';
import type { ToolTraits } from './tool-traits.js';

/** A tool as its server describes it: texts cleaned and cut, schemas untouched. */
export interface RemoteTool {
  /** As the server spells it: what a call has to say. */
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
  readonly hints: ToolHints;
}

export type JsonSchema = { readonly [keyword: string]: unknown };

/** What the server says of its tool; never to be relied on for permission. The defaults are the cautious ones. */
export interface ToolHints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

export interface ToolList {
  readonly tools: readonly RemoteTool[];
  readonly setAside: readonly { readonly tool: string; readonly reason: string }[];
  readonly warnings: readonly string[];
  /** How long the server calls this list fresh. */
  readonly ttlMs: number;
}

/** All tools of a server. One that is malformed is set aside alone, with the reason. */
export async function listTools(
  link: Link,
  { config, ...options }: CallOptions & { readonly config?: ToolFilter | undefined } = {},
): Promise<ToolList> {
  if (!isObject(link.session.capabilities['tools'])) return { tools: [], setAside: [], warnings: [], ttlMs: 0 };
  const pages = await listPages(link, { method: 'tools/list', key: 'tools' }, { ...options, limit: TOOL_LIMIT });
  const { onlyTools, redact } = link;
  const tools = new Map<string, RemoteTool>();
  const traits = new Map<string, ToolTraits>();
  const setAside: { tool: string; reason: string }[] = [];
  await inTurns(link.peer.clock, pages.items, (item) => {
    const tool = readTool(item, redact);
    if ('reason' in tool) {
      setAside.push(tool);
      return;
    }
    const special = readTraits(item as JsonObject, link.session);
    const reason = tools.has(tool.name)
      ? 'another tool has the same name'
      : onlyTools?.includes(tool.name) === false
        ? `of an editor only ${onlyTools.join(' and ')} are used`
        : isExcluded(tool.name, config)
          ? 'its entry leaves it out'
          : typeof special === 'string'
            ? special
            : undefined;
    if (reason !== undefined) setAside.push({ tool: shown(tool.name), reason });
    else {
      tools.set(tool.name, tool);
      if (typeof special === 'object') traits.set(tool.name, special);
    }
  });
  link.traits.clear();
  for (const [name, special] of traits) link.traits.set(name, special);
  const { warnings, ttlMs } = pages;
  return { tools: [...tools.values()], setAside, warnings, ttlMs };
}

/** What a call has to know of it beforehand; undefined where that is nothing, a text where it makes the tool unusable. */
function readTraits(
  item: JsonObject,
  { mirrorsArguments, era, capabilities }: Session,
): ToolTraits | string | undefined {
  const mirrored = mirrorsArguments ? readMirrored(item['inputSchema'] as JsonObject) : [];
  if (typeof mirrored === 'string') return mirrored;
  const needsTask = era === 'legacy' && isTaskOnly(item, capabilities);
  return mirrored.length > 0 || needsTask ? { mirrored, needsTask } : undefined;
}

/** What a server's entry says about its tools. */
export interface ToolFilter {
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
}

export function isExcluded(name: string, { includeTools, excludeTools }: ToolFilter = {}): boolean {
  return excludeTools?.includes(name) === true || includeTools?.includes(name) === false;
}

/** A tool as a server, or a file that holds what one said, describes it; or why it is none. */
export function readTool(
  item: unknown,
  redact: Redact,
): RemoteTool | { readonly tool: string; readonly reason: string } {
  if (!isObject(item)) return { tool: '', reason: 'it is no object' };
  const { name, title, description, inputSchema, outputSchema, annotations } = item;
  if (typeof name !== 'string' || name === '') return { tool: '', reason: 'it has no name' };
  if (name.length > NAME_LIMIT) return { tool: shown(name), reason: `its name has more than ${NAME_LIMIT} characters` };
  const wrong =
    schemaFault(inputSchema, 'inputSchema') ??
    (outputSchema === undefined || outputSchema === null ? undefined : schemaFault(outputSchema, 'outputSchema'));
  if (wrong !== undefined) return { tool: shown(name), reason: wrong };
  return {
    name,
    title: readTitle(title, redact),
    description: readDescription(description, redact),
    inputSchema: inputSchema as JsonSchema,
    outputSchema: (outputSchema ?? undefined) as JsonSchema | undefined,
    hints: readHints(annotations),
  };
}

/** The same as a server would write it: what `readTool` makes a tool of again. */
export function toToolItem({ hints, ...tool }: RemoteTool): JsonObject {
  const { readOnly, destructive, idempotent, openWorld } = hints;
  const annotations = {
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  };
  return { ...tool, annotations };
}

function schemaFault(schema: unknown, field: string): string | undefined {
  if (!isObject(schema)) return `its ${field} is no object`;
  const { type } = schema;
  if (type !== undefined && type !== 'object' && field === 'inputSchema') {
    return `its ${field} describes ${typeof type === 'string' ? `a ${shown(type)}` : 'no object'} instead of an object`;
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

function shown(name: string): string {
  return gateLine(name, { limit: 100 }).text;
}

const TOOL_LIMIT = 10_000;
const NAME_LIMIT = 256; // the specification says 128; longer ones occur
const SCHEMA_LIMIT = 256_000;
