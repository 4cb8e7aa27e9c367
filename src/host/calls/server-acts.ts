import { HostError } from '../../base/errors.js';
import { KeptServerResult } from '../../connection/kept-server-result.js';
import { actName, type RequestAct, type ServerAct, serverActs } from '../../model/permissions/server-act.js';
import type { Tool } from '../../model/tool.js';
import { type DecidedTool, promptGetter, resourceReader } from '../../tools/act-tools.js';
import { toAnswered, unanswered } from '../answered.js';
import { fetchResource } from '../host-resources.js';
import { findRunning, type ServerAccess, untilListed } from '../servers/server-access.js';
import type { Servers } from '../servers/servers.js';

export interface ServerActsOptions {
  readonly servers: Servers;
  readonly offers: ServerAccess;
  /** Whether some input of the tool may be permitted. If not, its server is not started to list its resources. */
  readonly isPermitted: (tool: DecidedTool) => boolean;
}

/** Requests other than tool calls, by the tool names that permission rules use. Cached until tool lists change. */
export class ServerActs {
  readonly #options: ServerActsOptions;
  #known: ReadonlyMap<string, NamedAct> | undefined;
  /** The inverse of `#known`. */
  #names: ReadonlyMap<string, string> | undefined;
  readonly #readers = new Map<string, Tool>();

  constructor(options: ServerActsOptions) {
    this.#options = options;
    options.servers.onTools(() => {
      this.#known = this.#names = undefined;
      this.#readers.clear();
    });
  }

  /** The tool names that stand for such requests; reserved, so no server tool can have them. */
  get names(): readonly string[] {
    return [...this.#named().keys()];
  }

  /** The tool that a request is decided as; undefined where no server has this name. */
  toolOf(act: RequestAct, server: string): DecidedTool | undefined {
    if (act === 'resources') return this.readerOf(server);
    const name = this.#nameOf(act, server);
    return name === undefined ? undefined : promptGetter({ name, server });
  }

  /** The tool with which a model reads resources of this server. */
  readerOf(server: string): Tool | undefined {
    const name = this.#nameOf('resources', server);
    const reader = this.#readers.get(server) ?? (name === undefined ? undefined : this.#toReader(server, name));
    if (reader) this.#readers.set(server, reader);
    return reader;
  }

  /** Whether a model may see the resources of a server. */
  isReadable(server: string): boolean {
    const reader = this.readerOf(server);
    return !reader || this.#options.isPermitted(reader);
  }

  /** The reader that has this name. Reading resources is the only one of these requests that a model can make. */
  lookup(name: string): Tool | undefined {
    const found = this.#named().get(name);
    return found?.act === 'resources' ? this.readerOf(found.server) : undefined;
  }

  #toReader(server: string, name: string): Tool {
    const { servers, offers, isPermitted } = this.#options;
    const isListed = (uri: string): boolean => servers.get(server)?.catalog.has('resources', uri) === true;
    const reader: Tool = resourceReader({
      name,
      server,
      read: async ({ uri, ...options }) => {
        const running = findRunning(offers, server);
        if (running instanceof HostError) return unanswered(running);
        const kept = KeptServerResult.for(options);
        const read = await fetchResource(running, { uri, spill: offers.spill }, { ...options, kept });
        return { ...toAnswered(read), ...kept?.toField() };
      },
      isListed,
      untilListed: (uri, { signal, timeoutMs }) => {
        const found = servers.get(server);
        if (!found || isListed(uri) || !isPermitted(reader)) return undefined;
        return untilListed(found, 'resources', { signal, timeoutMs });
      },
    });
    return reader;
  }

  #nameOf(act: ServerAct, server: string): string | undefined {
    this.#names ??= new Map(Array.from(this.#named(), ([name, one]) => [keyOf(one), name]));
    return this.#names.get(keyOf({ act, server }));
  }

  #named(): ReadonlyMap<string, NamedAct> {
    const { servers } = this.#options;
    return (this.#known ??= new Map(
      servers.all().flatMap(({ name: server, isConnector }) =>
        serverActs.map((act): [string, NamedAct] => {
          const name = actName({ act, server, sharesName: servers.names.isShared(server), isConnector });
          return [name, { act, server }];
        }),
      ),
    ));
  }
}

interface NamedAct {
  readonly act: ServerAct;
  readonly server: string;
}

function keyOf({ act, server }: NamedAct): string {
  return `${act} ${server}`;
}
