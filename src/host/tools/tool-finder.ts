import { forEachYielding } from '../../connection/catalog/for-each-yielding.js';
import type { Clock } from '../../model/clock.js';
import type { SearchDocument } from '../../model/search/search-document.js';
import { SearchIndex, type SearchResult } from '../../model/search/search-index.js';
import type { ToolDefinition } from '../../model/tool.js';
import { shownHints } from '../../model/view/shown-hints.js';
import { groupByServer, isSameNames } from '../group-by-server.js';
import type { Servers } from '../servers/servers.js';
import { type ServerTool, toDefinition } from '../servers/server-tool.js';

export interface ToolFinderOptions {
  readonly clock: Clock;
  /** The tools of all servers; the same array until something changes. */
  readonly tools: () => readonly ServerTool[];
  readonly servers: Servers;
  /** Whether a model may see the tool. */
  readonly isShown: (tool: ServerTool) => boolean;
}

/** Finds tools by words. The first search builds the index, server by server; a changed server is indexed again. */
export class ToolFinder {
  readonly #options: ToolFinderOptions;
  readonly #index = new SearchIndex();
  readonly #known = new Map<string, Searched>();
  #seen: readonly ServerTool[] | undefined;
  #byName: ReadonlyMap<string, ServerTool> = new Map();
  #preparing: Promise<void> = Promise.resolve();

  constructor(options: ToolFinderOptions) {
    this.#options = options;
  }

  async search(query: string, limit: number): Promise<SearchResult> {
    // One after the other: two concurrent searches would build the same index twice.
    this.#preparing = this.#preparing.then(() => this.#prepare());
    await this.#preparing;
    const { isShown } = this.#options;
    const accept = (name: string): boolean => {
      const tool = this.#byName.get(name);
      return tool !== undefined && isShown(tool);
    };
    return this.#index.search(query, { limit, accept });
  }

  /** The full definitions of the tools found, best match first. */
  async find(query: string, limit: number): Promise<readonly FoundDefinition[]> {
    const { hits } = await this.search(query, limit);
    const found = await this.definitions(hits.map(({ name }) => name));
    const byName = new Map(found.map((definition) => [definition.name, definition]));
    return hits.flatMap(({ name, score }) => {
      const definition = byName.get(name);
      if (!definition) return [];
      return [{ ...definition, hints: shownHints(definition.hints, definition.marks), score }];
    });
  }

  /** The known definitions of these tools, in this order. */
  async definitions(names: readonly string[]): Promise<readonly ToolDefinition[]> {
    const tools = names.flatMap((name) => this.#byName.get(name) ?? []);
    const found = await Promise.all(tools.map((tool) => tool.definition()));
    return found.filter((definition) => definition !== undefined);
  }

  async #prepare(): Promise<void> {
    const tools = this.#options.tools();
    if (tools === this.#seen && this.#isCurrent()) return;
    const servers = groupByServer(tools);
    for (const server of this.#known.keys()) {
      if (servers.has(server)) continue;
      this.#known.delete(server);
      this.#index.delete(server);
    }
    for (const [server, own] of servers) await this.#prepareServer(server, own);
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    this.#seen = tools;
  }

  /** Lost definitions may have been fetched again while the tools stayed the same; other lists do not change then. */
  #isCurrent(): boolean {
    for (const [server, { list, isWhole }] of this.#known) {
      if (!isWhole && this.#options.servers.get(server)?.toolList.toolColumns !== list) return false;
    }
    return true;
  }

  async #prepareServer(server: string, tools: readonly ServerTool[]): Promise<void> {
    const found = this.#options.servers.get(server)?.toolList;
    if (!found) return;
    const list = found.toolColumns;
    const known = this.#known.get(server);
    if (known?.list === list && isSameNames(known.tools, tools)) return;
    const add = this.#index.replace(server);
    let isWhole = true;
    await forEachYielding(this.#options.clock, chunks(tools, READ_AT_ONCE), (chunk) => {
      const definitions = found.toolDefinitions(chunk.map(({ tool }) => tool));
      const byName = new Map(definitions.map((definition) => [definition.name, definition]));
      for (const { name, tool } of chunk) {
        const definition = byName.get(tool);
        if (definition) add(toDocument(toDefinition(name, definition), tool));
        else isWhole = false;
      }
    });
    this.#known.set(server, { list, tools, isWhole });
  }
}

/** A tool that was found, and its score relative to the others. */
export interface FoundDefinition extends ToolDefinition {
  /** Higher is better; comparable only within one search. */
  readonly score: number;
}

/** What a server's part of the index was built from. */
interface Searched {
  readonly list: object;
  /** Whether the definitions of all tools were at hand. */
  readonly isWhole: boolean;
  readonly tools: readonly ServerTool[];
}

function toDocument(definition: ToolDefinition, tool: string): SearchDocument {
  const { name, title, description, inputSchema, meta } = definition;
  const { properties } = inputSchema;
  return {
    name,
    tool,
    ...(title !== undefined && { title }),
    description,
    ...(meta.searchHint !== undefined && { hint: meta.searchHint }),
    parameters:
      typeof properties === 'object' && properties !== null ? Object.keys(properties).slice(0, PARAMETERS) : [],
  };
}

function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

const READ_AT_ONCE = 32;
const PARAMETERS = 50;
