import type { Server } from '../../host/servers/server.js';
import type { ServerTool } from '../../host/servers/server-tool.js';
import { isObject } from '../../base/json.js';
import type { Offering } from '../offering.js';
import { type Named, type Naming, ServedNames } from './served-names.js';
import { MentionedUris, UriTable } from './uri-table.js';

/** A prompt of a server; `tool` is its name there. */
export interface ServedPrompt extends Named {
  readonly owner: Server;
}

/** What clients call things, for one address: made when it is asked for, and kept until servers list something else. */
export class Tables {
  readonly #offering: Offering;
  readonly #naming: Naming;
  readonly #mentioned = new MentionedUris();
  #tools: { readonly mark: object; readonly names: ServedNames<ServerTool> } | undefined;
  #prompts: { readonly marks: readonly unknown[]; readonly names: ServedNames<ServedPrompt> } | undefined;
  #uris: { readonly marks: readonly unknown[]; readonly table: UriTable } | undefined;

  constructor(offering: Offering, naming: Exclude<Naming, 'one-server'>) {
    this.#offering = offering;
    this.#naming = offering.only === undefined ? naming : 'one-server';
  }

  get tools(): ServedNames<ServerTool> {
    const mark = this.#offering.tools();
    if (this.#tools?.mark !== mark) this.#tools = { mark, names: new ServedNames(mark, this.#naming) };
    return this.#tools.names;
  }

  get prompts(): ServedNames<ServedPrompt> {
    const servers = this.#offering.servers();
    const marks = servers.flatMap((server) => [server, server.catalog.prompts]);
    if (!this.#prompts || !isSame(this.#prompts.marks, marks)) {
      const items = servers.flatMap((owner) =>
        owner.catalog.prompts.map(({ name: tool }) => ({ server: owner.name, tool, owner })),
      );
      this.#prompts = { marks, names: new ServedNames(items, this.#naming) };
    }
    return this.#prompts.names;
  }

  get uris(): UriTable {
    const servers = this.#offering.servers();
    const marks = servers.flatMap(({ name, catalog }) => [
      name,
      catalog.resources,
      catalog.templates,
      catalog.skills,
      isObject(catalog.capabilities?.['resources']),
    ]);
    if (!this.#uris || !isSame(this.#uris.marks, marks)) {
      const owners = servers.map(({ name, catalog }) => ({
        name,
        resources: [...catalog.resources, ...catalog.skills].map(({ uri }) => uri),
        skills: catalog.skills.map(({ uri }) => uri),
        templates: catalog.templates.map(({ uri }) => uri),
        hasResources: isObject(catalog.capabilities?.['resources']) || catalog.skills.length > 0,
      }));
      this.#uris = { marks, table: new UriTable(owners, this.#mentioned) };
    }
    return this.#uris.table;
  }

  /** The URI in a result of this server, as clients know it; the server is remembered for it. */
  mention(server: string, uri: string): string {
    if (this.#offering.only !== undefined) return uri;
    const served = this.uris.toClient(server, uri);
    if (served === uri) this.#mentioned.note(uri, server);
    return served;
  }
}

function isSame(marks: readonly unknown[], others: readonly unknown[]): boolean {
  return marks.length === others.length && marks.every((mark, at) => mark === others[at]);
}
