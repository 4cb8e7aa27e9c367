import { isObject, type JsonObject } from '../../base/json.js';
import { readMirrored, withoutMarks } from '../../connection/requests/mirrored-arguments.js';
import type { ServerTool } from '../../host/servers/server-tool.js';
import { type Clean, cleanText } from '../clean.js';

export interface ServedToolOptions {
  /** The name that clients know. */
  readonly name: string;
  /** The server's name goes before the title: the address has several servers. */
  readonly isTitled: boolean;
  /** The server makes tasks of 2025-11-25. */
  readonly isMaker: boolean;
  readonly clean: Clean;
  /** The URI of a resource of this server, as clients know it. */
  readonly toUri: (uri: string) => string;
}

/** A tool as its server listed it, with the name that clients know; undefined when it is no longer known. */
export async function toServedTool(tool: ServerTool, options: ServedToolOptions): Promise<JsonObject | undefined> {
  const { name, isTitled, isMaker, clean, toUri } = options;
  const own = (await tool.serverDefinition())?.item ?? (await definitionOf(tool));
  if (!own) return undefined;
  const item: { [field: string]: unknown } = { ...(isMaker ? clean(own) : withoutTasks(clean(own))), name };
  if (isTitled) item['title'] = titled(tool.server, item, tool.tool);
  const schema = item['inputSchema'];
  if (isObject(schema) && typeof readMirrored(schema) === 'string') item['inputSchema'] = withoutMarks(schema);
  const meta = item['_meta'];
  const ui = isObject(meta) ? meta['ui'] : undefined;
  if (isObject(meta) && isObject(ui) && typeof ui['resourceUri'] === 'string') {
    item['_meta'] = { ...meta, ui: { ...ui, resourceUri: toUri(ui['resourceUri']) } };
  }
  return item;
}

/** The title of an item where there are several servers. */
export function titled(server: string, { title, annotations }: JsonObject, name: string): string {
  const noted = isObject(annotations) ? annotations['title'] : undefined;
  const [own = cleanText(name)] = [title, noted].filter(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  return `${server}: ${own}`;
}

/** A tool that no server lists: the sign-in to one. */
async function definitionOf(tool: ServerTool): Promise<JsonObject | undefined> {
  const definition = await tool.definition();
  if (!definition) return undefined;
  const { title, description, inputSchema } = definition;
  return { name: tool.tool, ...(title !== undefined && { title }), description, inputSchema };
}

/** For clients that cannot ask for a task: to them every tool answers in the end. */
export function withoutTasks(item: JsonObject): JsonObject {
  const { execution } = item;
  if (!isObject(execution) || !('taskSupport' in execution)) return item;
  const { taskSupport: _, ...rest } = execution;
  const { execution: __, ...others } = item;
  return Object.keys(rest).length === 0 ? others : { ...others, execution: rest };
}
