import { isObject, type JsonObject } from '../../base/json.js';
import { nearest } from '../../base/nearest.js';
import { shorten } from '../../base/shorten.js';
import type { ServerTool } from '../../host/servers/server-tool.js';
import { defersTools, toTokenCount } from '../../model/text/tokens.js';
import type { ClientRequest } from '../../serving/endpoint.js';
import type { CallParts } from '../calls/call-parts.js';
import { objectParam, textParam } from '../calls/failures.js';
import { callKnown } from '../calls/tool-call.js';
import type { ToolListing } from '../endpoint-address.js';
import type { ListedItem } from '../lists/list-block.js';
import { CALL, callDefinition, SEARCH, searchDefinition } from './search-definitions.js';

/**
 * Two tools in place of very many: one that finds tools, and one that calls what was found. Permission, pins, hooks and
 * the ledger see the tool that is called, and never `call_tool`.
 */
export class ToolSearch {
  readonly #parts: CallParts;
  readonly #listing: ToolListing;
  /** All tools of the address as clients would be listed them, by name. */
  #items: ReadonlyMap<string, ListedItem> = new Map();

  constructor(parts: CallParts, listing: ToolListing) {
    this.#parts = parts;
    this.#listing = listing;
  }

  /** What is listed: all tools, or the search with the tools that are always shown. */
  arrange(items: readonly ListedItem[], isAlways: (key: string) => boolean): readonly ListedItem[] {
    this.#items = new Map(items.map((item) => [item.key, item]));
    if (this.#listing === 'all') return items;
    const size = items.reduce((sum, { json }) => sum + json.length, 0);
    if (this.#listing === 'auto' && !defersTools('auto', toTokenCount(size))) return items;
    const own = [searchDefinition(this.#nameOf(SEARCH)), callDefinition(this.#nameOf(CALL))];
    return [
      ...items.filter(({ key }) => isAlways(key)),
      ...own.map((definition) => ({ key: definition.name, json: JSON.stringify(definition) })),
    ].toSorted((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** Whether a call is one of these two tools. */
  isCall({ params: { name } }: ClientRequest): boolean {
    return this.#listing !== 'all' && (name === this.#nameOf(SEARCH) || name === this.#nameOf(CALL));
  }

  /** The tool that a call means: that of `call_tool` is the one that it names. */
  toolOf({ name, arguments: input }: JsonObject): ServerTool | undefined {
    const isFound = this.#listing !== 'all' && name === this.#nameOf(CALL) && isObject(input);
    const meant = isFound ? input['name'] : name;
    return typeof meant === 'string' ? this.#parts.tables.tools.lookup(meant) : undefined;
  }

  /** `listed`: resolves when the tools have been listed once. */
  async call(request: ClientRequest, listed: () => Promise<unknown>): Promise<JsonObject> {
    const input = objectParam(request.params, 'arguments');
    await listed();
    return request.params['name'] === this.#nameOf(CALL) ? this.#callFound(request, input) : this.#search(input);
  }

  async #search(input: JsonObject): Promise<JsonObject> {
    const { query, limit = FOUND } = input;
    if (typeof query !== 'string' || query.trim() === '' || query.length > QUERY_LIMIT)
      return problem(`"query" has to be a text of at most ${QUERY_LIMIT} characters`);
    if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > FOUND_LIMIT)
      return problem(`"limit" has to be a whole number from 1 to ${FOUND_LIMIT}`);
    const { offering, tables } = this.#parts;
    const found = await offering.host.search(query, CANDIDATES);
    const served = new Map(tables.tools.entries.map(([name, tool]) => [tool.name, name]));
    const lines: string[] = [];
    let room = TEXT_LIMIT;
    for (const { name } of found) {
      const item = this.#items.get(served.get(name) ?? '');
      if (!item || lines.length >= Number(limit)) continue;
      const line = toLine(item, served.get(name)!);
      // The first is shown however large it is.
      if (line.length > room && lines.length > 0) break;
      lines.push(line);
      room -= line.length;
    }
    const none = `No tool matches "${shorten(query, 200)}". Try other words for what is to be done.`;
    return { content: [{ type: 'text', text: lines.length === 0 ? none : lines.join('\n') }], isError: false };
  }

  async #callFound(request: ClientRequest, input: JsonObject): Promise<JsonObject> {
    const { tables } = this.#parts;
    const name = textParam(input, 'name');
    const tool = tables.tools.lookup(name);
    if (tool) return callKnown(this.#parts, { request, tool, name, input: objectParam(input, 'arguments') });
    const [close] = nearest(name, this.#items.keys());
    const hint = close === undefined ? `Find one with ${this.#nameOf(SEARCH)}.` : `Did you mean ${close}?`;
    return problem(`There is no tool "${shorten(name, 200)}". ${hint}`);
  }

  /** A server may have a tool of this name itself, and one of the next name, too; its names are not endless. */
  #nameOf(name: string): string {
    return this.#parts.tables.tools.lookup(name) ? this.#nameOf(`plugboard_${name}`) : name;
  }
}

/** What a model needs of a tool to call it. */
function toLine({ json }: ListedItem, name: string): string {
  const item: unknown = JSON.parse(json);
  const { description, inputSchema } = isObject(item) ? item : {};
  return JSON.stringify({ name, description, inputSchema });
}

function problem(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}

const FOUND = 5;
const FOUND_LIMIT = 20;
const CANDIDATES = 100; // some are of servers that the address does not have
const QUERY_LIMIT = 1_000; // characters
const TEXT_LIMIT = 60_000; // characters of all definitions together, about 15,000 tokens
