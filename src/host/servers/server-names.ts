import type { ConfiguredServer } from '../../config/entries/server.js';
import { nameHeads } from '../../model/permissions/name-heads.js';
import type { Rival } from '../../model/permissions/rivals.js';
import { longerNames, sharedNames } from '../../model/permissions/subject.js';
import { rivalsOf } from '../tools/rivals.js';
import type { Servers } from './servers.js';

/** The names of all servers, and which of them one permission rule could mean alike. Cached until tool lists change. */
export class ServerNames {
  readonly #servers: Servers;
  readonly #longer = new Map<string, readonly string[]>();
  readonly #rivals = new Map<string, readonly Rival[]>();
  #shared: ReadonlySet<string> | undefined;
  #all: AllServers | undefined;

  constructor(servers: Servers) {
    this.#servers = servers;
    servers.onTools(() => {
      this.#shared = undefined;
      this.#all = undefined;
      this.#longer.clear();
      this.#rivals.clear();
    });
  }

  /** All configured servers, also where a run has opened only some of them: rules mean the same in every run. */
  get names(): ReadonlySet<string> {
    return this.#known().names;
  }

  /** Whether another server's name is spelled alike in tool names, so that these do not identify the server. */
  isShared(server: string): boolean {
    this.#shared ??= sharedNames(this.names);
    return this.#shared.has(server);
  }

  /** Servers whose names begin with this one: mostly none. Cached, because each of thousands of tools asks for it. */
  longerThan(server: string): readonly string[] {
    const known = this.#longer.get(server);
    if (known) return known;
    const { names, alike } = this.#known();
    const found = longerNames(
      server,
      [...alike(server)].filter((name) => names.has(name)),
    );
    this.#longer.set(server, found);
    return found;
  }

  /** Servers that a rule for this one may mean as well: mostly none. */
  rivalsOf(server: string): readonly Rival[] {
    const known = this.#rivals.get(server);
    if (known) return known;
    const { entries, alike } = this.#known();
    const meant = [...alike(server)].flatMap((name) => entries.get(name) ?? []);
    const found = rivalsOf(server, meant, (name) => this.#servers.getAny(name));
    this.#rivals.set(server, found);
    return found;
  }

  #known(): AllServers {
    return (this.#all ??= toAll(this.#servers));
  }
}

interface AllServers {
  /** Servers with a usable entry. */
  readonly names: ReadonlySet<string>;
  readonly entries: ReadonlyMap<string, readonly ConfiguredServer[]>;
  /** Servers whose rules could be taken for this one's: of ten thousand mostly itself alone. */
  readonly alike: (server: string) => ReadonlySet<string>;
}

function toAll(servers: Servers): AllServers {
  const entries = new Map<string, ConfiguredServer[]>();
  const names = new Set(servers.all().map(({ name }) => name));
  for (const entry of servers.entries()) {
    const { name, config } = entry;
    if (config !== undefined) names.add(name);
    const known = entries.get(name);
    if (known) known.push(entry);
    else entries.set(name, [entry]);
  }
  return { names, entries, alike: nameHeads([...names, ...entries.keys()]) };
}
