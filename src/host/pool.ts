import { catalogStore } from '../connection/catalog-store.js';
import type { CatalogChange } from '../connection/catalog.js';
import { Connection, type ConnectionOptions, type StatusChange } from '../connection/connection.js';
import type { DockedServer } from '../connection/dock.js';
import { type DisabledReason, RECONNECT_LIMITS } from '../model/status.js';
import { kindOf } from '../transports/kinds.js';
import type { PipeNote } from '../wire/pipe.js';
import { Slots } from './slots.js';

/** One server that there is to be a connection for. */
export interface PooledServer {
  readonly server: DockedServer & { readonly hash: string };
  /** Under which its catalog is kept: its config, and whose account it is used with. */
  readonly catalogKey: string;
  /** What it starts, it starts in a private folder. */
  readonly isApart: boolean;
  /** Why it may not run; undefined when it may. */
  readonly disabled: DisabledReason | undefined;
  /** It is started by its first use. */
  readonly isLazy: boolean;
}

export interface PoolOptions extends Pick<ConnectionOptions, 'dock' | 'clock' | 'random' | 'timeoutMs' | 'listMs'> {
  /** The folder of the catalogs; without it none is kept. */
  readonly catalogs: string | undefined;
  /** How many start at the same time; undefined: as many as is good for most. */
  readonly localLimit?: number | undefined;
  readonly remoteLimit?: number | undefined;
  /** What this host does for the server of that name. */
  readonly serving: (server: string) => NonNullable<ConnectionOptions['serving']>;
  readonly onStatus: (connection: Connection, change: StatusChange) => void;
  /** It is being closed, because its config has changed, or because nobody wants it any more. */
  readonly onRetired: (connection: Connection, isReplaced: boolean) => void;
  readonly onCatalog: (connection: Connection, change: CatalogChange) => void;
  readonly onNote: (connection: Connection, note: PipeNote) => void;
  /** What a server says by itself. */
  readonly onNotification: (connection: Connection, method: string, params: Readonly<Record<string, unknown>>) => void;
}

/** The connections of one host: one for each name, started a few at a time, and exchanged when their config changes. */
export class Pool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #slots: { readonly local: Slots; readonly remote: Slots };
  readonly #connections = new Map<string, Connection>();
  #identities: ReadonlyMap<string, string> = new Map();
  /** Ends of connections under way, by name: the next of that name waits for it. */
  readonly #retiring = new Map<string, Promise<void>>();
  readonly #catalogs: ReturnType<typeof catalogStore> | undefined;
  #disposal: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { clock, localLimit, remoteLimit, catalogs } = options;
    const slots = (limit: number | undefined, usual: number): Slots =>
      new Slots({ limit: limit ?? usual, isStrict: limit !== undefined, clock });
    this.#slots = { local: slots(localLimit, LOCAL_SLOTS), remote: slots(remoteLimit, REMOTE_SLOTS) };
    this.#catalogs = catalogs === undefined ? undefined : catalogStore(catalogs);
  }

  get(name: string): Connection | undefined {
    return this.#connections.get(name);
  }

  /** In the order in which they were configured. */
  get connections(): readonly Connection[] {
    return [...this.#connections.values()];
  }

  /** Starts what is new, stops what is gone, exchanges what has another config, and touches nothing else. */
  sync(wanted: readonly PooledServer[]): void {
    if (this.#disposal) return;
    const identities = new Map(wanted.map((one) => [one.server.name, identityOf(one)]));
    for (const [name, connection] of this.#connections) {
      if (identities.get(name) === this.#identities.get(name)) continue;
      this.#options.onRetired(connection, identities.has(name));
      this.#retire(name);
    }
    this.#identities = identities;
    for (const one of wanted) {
      const known = this.#connections.get(one.server.name);
      const connection = known ?? this.#create(one);
      if (one.disabled !== undefined) connection.disable(one.disabled);
      else if (!known || known.status.kind === 'disabled') begin(connection, one);
    }
    // As configured, whoever was there first.
    const order = wanted.map(({ server }) => [server.name, this.#connections.get(server.name)!] as const);
    this.#connections.clear();
    for (const [name, connection] of order) this.#connections.set(name, connection);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#disposal ??= this.#dispose());
  }

  async #dispose(): Promise<void> {
    for (const name of this.#connections.keys()) this.#retire(name);
    await Promise.all(this.#retiring.values());
  }

  #create({ server, catalogKey }: PooledServer): Connection {
    const { dock, clock, random, timeoutMs, listMs, serving, ...told } = this.#options;
    const slots = this.#slots[kindOf(server.config).locality];
    const { name } = server;
    const connection: Connection = new Connection({
      server,
      dock,
      clock,
      random,
      timeoutMs,
      listMs,
      limits: RECONNECT_LIMITS,
      note: this.#catalogs?.(catalogKey),
      takeSlot: async (signal) => {
        await this.#retiring.get(name);
        return slots.take(signal);
      },
      serving: serving(name),
      onStatus: (change) => told.onStatus(connection, change),
      onCatalog: (change) => told.onCatalog(connection, change),
      onNote: (note) => told.onNote(connection, note),
      onNotification: (method, params) => told.onNotification(connection, method, params),
    });
    connection.catalog.recall();
    this.#connections.set(name, connection);
    return connection;
  }

  #retire(name: string): void {
    const connection = this.#connections.get(name);
    if (!connection) return;
    this.#connections.delete(name);
    const retiring = this.#end(connection, this.#retiring.get(name)).finally(() => {
      if (this.#retiring.get(name) === retiring) this.#retiring.delete(name);
    });
    this.#retiring.set(name, retiring);
  }

  async #end(connection: Connection, before: Promise<void> | undefined): Promise<void> {
    await Promise.all([before, connection[Symbol.asyncDispose]()]);
  }
}

/** Another config, another account, or another place for what it starts, makes it another connection. */
function identityOf({ server, catalogKey, isApart }: PooledServer): string {
  return `${server.hash} ${catalogKey} ${isApart ? 'apart' : ''}`;
}

function begin(connection: Connection, { isLazy }: PooledServer): void {
  connection.enable();
  if (!isLazy) connection.start('host');
}

const LOCAL_SLOTS = 3;
const REMOTE_SLOTS = 20;
