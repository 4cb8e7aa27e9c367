import { actName, type ServerAct, serverActs } from '../model/permissions/server-act.js';
import type { Tool } from '../model/tool.js';
import type { Servers } from './servers/servers.js';

export interface ServerActsOptions {
  readonly servers: Servers;
  /** What a server's resources are read with. */
  readonly toReader: (server: string, name: string) => Tool;
  /** Whether no rule denies reading, whatever is read. */
  readonly isPermitted: (reader: Tool) => boolean;
}

/** What is asked of servers besides their tools, by the names that rules have for it. Looked up once for each set of servers. */
export class ServerActs {
  readonly #options: ServerActsOptions;
  #known: ReadonlyMap<string, NamedAct> | undefined;
  /** The other way round. */
  #names: ReadonlyMap<string, string> | undefined;
  readonly #readers = new Map<string, Tool>();

  constructor(options: ServerActsOptions) {
    this.#options = options;
    options.servers.onTools(() => {
      this.#known = this.#names = undefined;
      this.#readers.clear();
    });
  }

  /** Names that no tool of a server can have. */
  get names(): readonly string[] {
    return [...this.#named().keys()];
  }

  /** What resources of this server are read with; undefined where there is none of that name. */
  readerOf(server: string): Tool | undefined {
    const known = this.#readers.get(server);
    if (known) return known;
    const name = this.nameOf('resources', server);
    if (name === undefined) return undefined;
    const reader = this.#options.toReader(server, name);
    this.#readers.set(server, reader);
    return reader;
  }

  /** Whether a model may know what there is to read of a server. */
  isReadable(server: string): boolean {
    const reader = this.readerOf(server);
    return !reader || this.#options.isPermitted(reader);
  }

  /** The reader by its name. */
  lookup(name: string): Tool | undefined {
    const found = this.#named().get(name);
    return found?.act === 'resources' ? this.readerOf(found.server) : undefined;
  }

  nameOf(act: ServerAct, server: string): string | undefined {
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
