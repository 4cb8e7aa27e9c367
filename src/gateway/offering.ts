import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';
import type { Server } from '../host/servers/server.js';
import type { ServerTool } from '../host/servers/server-tool.js';
import type { ClientOffers } from '../host/tools/client-offers.js';

/** What one address of a gateway gives: the servers of a host, or one of them. */
export class Offering {
  readonly host: Host;
  readonly offers: ClientOffers;
  /** The only server, whose tools and prompts keep their own names; undefined: all servers of the host. */
  readonly only: string | undefined;

  constructor(host: Host, only?: string) {
    this.host = host;
    this.offers = host[inside].offers;
    this.only = only;
  }

  servers(): readonly Server[] {
    const all = this.offers.servers();
    return this.only === undefined ? all : all.filter(({ name }) => name === this.only);
  }

  server(name: string): Server | undefined {
    return this.servers().find((server) => server.name === name);
  }

  /** All tools, denied ones included: a call of one is told why. The same array until something changes. */
  tools(): readonly ServerTool[] {
    const all = this.offers.tools();
    if (this.only === undefined) return all;
    if (this.#own?.all !== all) this.#own = { all, own: all.filter(({ server }) => server === this.only) };
    return this.#own.own;
  }

  #own: { readonly all: readonly ServerTool[]; readonly own: readonly ServerTool[] } | undefined;
}
