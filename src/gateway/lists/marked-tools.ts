// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
import { isObject } from '../../base/json.js';
import { readMirrored } from '../../connection/requests/mirrored-arguments.js';
import type { ServerTool } from '../../host/servers/server-tool.js';
import type { MarkedArgument } from '../../serving/http/param-headers.js';
import type { Clean } from '../clean.js';
import type { Offering } from '../offering.js';
import type { Arrivals } from './arrivals.js';
import type { Tables } from './tables.js';

export interface MarkedToolsOptions {
  readonly offering: Offering;
  readonly tables: Tables;
  readonly arrivals: Arrivals;
  readonly clean: () => Clean;
}

type Marks = readonly MarkedArgument[];

/**
 * The arguments of tools that clients over HTTP repeat in headers, by what their servers say now: a client may know a
 * tool from another instance, or from before a restart. Each definition is looked into once.
 */
export class MarkedTools {
  readonly #options: MarkedToolsOptions;
  /** A tool that changes is another object. */
  readonly #known = new WeakMap<ServerTool, Marks>();

  constructor(options: MarkedToolsOptions) {
    this.#options = options;
  }

  /** A promise only for the first call of a tool. Never rejects. */
  of(name: string): Marks | Promise<Marks> {
    const tool = this.#options.tables.tools.lookup(name);
    if (!tool) return this.#ofLater(name);
    return this.#known.get(tool) ?? this.#read(tool);
  }

  /** A tool that is not known may be one of a server that has never listed anything. */
  async #ofLater(name: string): Promise<Marks> {
    const { offering, tables, arrivals } = this.#options;
    await arrivals.known(offering.servers());
    const tool = tables.tools.lookup(name);
    return tool ? this.#read(tool) : NONE;
  }

  async #read(tool: ServerTool): Promise<Marks> {
    const own = (await tool.serverDefinition())?.item ?? (await tool.definition());
    // What is lost for the moment is looked for again: the call itself needs no definition.
    if (!own) return NONE;
    const schema = own['inputSchema'];
    const mirrored = isObject(schema) ? readMirrored(this.#options.clean()(schema)) : NONE;
    // Clients are not told of marks that are not valid.
    const marks = typeof mirrored === 'string' ? NONE : mirrored;
    this.#known.set(tool, marks);
    return marks;
  }
}

const NONE: Marks = [];
