import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { HostError } from '../base/errors.js';
import type { Secret } from '../base/secret.js';
import type { Clock } from '../model/clock.js';
import { systemClock } from '../edge/clock.js';
import { openPrivatePlace, type PrivatePlace } from '../edge/files/private-place.js';
import { ProcessRegistry } from '../edge/processes/process-registry.js';
import { SandboxHost } from '../edge/sandbox/sandbox.js';
import { SchemaChecker } from '../edge/schema-checker.js';
import { type SpillFolder, spillFolder } from '../edge/spill/spill-folder.js';
import type { FolderLimits } from '../edge/spill/tidy-folder.js';
import type { SchemaOutcome } from '../model/schema/check.js';
import type { ControlChannel } from '../transports/in-process/control-channel.js';
import type { Credentials, RequestCredentials } from '../model/credentials.js';
import type { EmbeddedServer } from '../transports/kind.js';
import { transportKindOf, type ServerConfig } from '../transports/kinds.js';
import type { Pipe } from '../wire/pipe.js';
import { type Connection, connect, type ConnectOptions } from './connect.js';
import { type CachedSignInNeed, signInNeededCache } from '../auth/store/sign-in-needed-cache.js';
import { isSignIn } from './unavailable.js';
import { type CachedEra, eraCache } from './era-cache.js';
import { logFile } from './logs/log-file.js';
import { ServerLogWriter } from './logs/server-log-writer.js';
import { textRedactor } from '../model/redaction/redact-text.js';
import { argumentSecretsOf, entrySecrets } from './entry-secrets.js';

const FORMS = textRedactor();

export interface ConnectionFactoryOptions {
  readonly env: { readonly [name: string]: string | undefined };
  readonly platform: NodeJS.Platform;
  /** PATH for Plugboard's own helper programs, such as bubblewrap, when it differs from that of `env`. */
  readonly programPath?: (() => string | undefined) | undefined;
  readonly cwd: string;
  readonly clock?: Clock | undefined;
  /** Wall-clock time in ms since 1970; `Date.now` by default. */
  readonly wall?: (() => number) | undefined;
  /** Folder for logs and large results; without it neither is kept. */
  readonly state: string | undefined;
  /** How much the folder for large results may hold. */
  readonly resultLimits?: (() => FolderLimits) | undefined;
  /** Folder for caches, such as the detected era of a server. */
  readonly cache?: string | undefined;
  readonly embedded?: ReadonlyMap<string, EmbeddedServer>;
  /** Channel to servers of the embedding process; outlives the factory. */
  readonly control?: ControlChannel | undefined;
  /** Wraps the pipe to a server, to see its messages. */
  readonly tap?: ((server: RecordedServer, pipe: Pipe) => Pipe) | undefined;
}

export interface ConnectableServer {
  readonly name: string;
  readonly config: ServerConfig;
  readonly commandPath?: string | undefined;
  /** Private folder to start the server in, instead of the working directory. */
  readonly place?: PrivatePlace | undefined;
  /** Hash of `config`: the cache key of the detected era and of "needs sign-in". */
  readonly hash?: string | undefined;
  /** Credentials beyond those of the entry. */
  readonly credentials?: Credentials | undefined;
}

export interface RecordedServer extends ConnectableServer {
  /** Secrets that the server receives; a renewed token is added later. */
  readonly secrets: readonly Secret[];
  /** Passwords and the like among the arguments of its command. */
  readonly argumentSecrets: readonly Secret[];
}

/** What the connections of one host share: processes, folders, clock. Disposing of it ends all of them. */
export class ConnectionFactory implements AsyncDisposable {
  /** Where large results are saved, also what is too large for a model only. */
  readonly spill: SpillFolder | undefined;
  readonly #options: ConnectionFactoryOptions;
  readonly #processes: ProcessRegistry;
  readonly #sandbox: SandboxHost;
  readonly #connections = new Set<Connection>();
  /** `connect` calls in flight. */
  readonly #opening = new Set<Promise<Connection>>();
  readonly #closing = new AbortController();
  readonly #schemas = new SchemaChecker(systemClock);
  readonly #clock: Clock;
  readonly #eras: ((hash: string) => CachedEra) | undefined;
  readonly #signIns: ((hash: string) => CachedSignInNeed) | undefined;
  /** Address pins, by server name. */
  readonly #lookups = new Map<string, LookupFunction>();
  readonly #logs = new ServerLogWriter();
  /** Pending writes of the era cache, by config hash. */
  readonly #unwritten = new Map<string, () => Promise<void>>();
  #cacheTimer: Disposable | undefined;
  /** Writes of the era cache in flight. */
  readonly #writing = new Set<Promise<void>>();

  constructor(options: ConnectionFactoryOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const journal = options.state === undefined ? undefined : join(options.state, 'processes');
    this.#processes = new ProcessRegistry({ journal });
    const { env, platform, state, cache, programPath } = options;
    this.#sandbox = new SandboxHost({ env, platform, secret: [state, cache], programPath });
    this.#eras = options.cache === undefined ? undefined : eraCache(join(options.cache, 'eras'));
    this.#signIns = state === undefined ? undefined : signInNeededCache(join(state, 'needs-auth'), options.wall);
    const { resultLimits: limits, wall: now } = options;
    const bounds = { ...(limits && { limits }), ...(now && { now }), clock: this.#clock };
    this.spill = state === undefined ? undefined : spillFolder(join(state, 'results'), bounds);
  }

  async connect(
    server: ConnectableServer,
    options: Omit<ConnectOptions, 'config' | 'context'> = {},
  ): Promise<Connection> {
    const { signal } = this.#closing;
    if (signal.aborted)
      throw new HostError('connection-closed', `Server "${server.name}" is not opened: its host is closed`);
    const both = options.signal ? AbortSignal.any([options.signal, signal]) : signal;
    const opening = this.#openUnlessRefused(server, { ...options, signal: both });
    this.#opening.add(opening);
    return opening.finally(() => this.#opening.delete(opening));
  }

  /** Rejects without connecting while the server's last 401 is cached and no credentials have been stored since. */
  async #openUnlessRefused(
    server: ConnectableServer,
    options: Omit<ConnectOptions, 'config' | 'context'>,
  ): Promise<Connection> {
    const { hash, credentials } = server;
    const cached = credentials?.canSignIn === true && hash !== undefined ? this.#signIns?.(hash) : undefined;
    const refusal = cached?.get();
    if (refusal && !(await credentials?.present(options.signal))) throw stillNeedsSignIn(server, refusal);
    try {
      const connection = await this.#open(server, options);
      if (refusal) await cached?.delete();
      return connection;
    } catch (error) {
      if (cached && error instanceof HostError && isSignIn(error)) {
        await cached.set(error.detail?.kind === 'http' ? error.detail.challenge : undefined);
      }
      throw error;
    }
  }

  async #open(server: ConnectableServer, options: Omit<ConnectOptions, 'config' | 'context'>): Promise<Connection> {
    const { env, platform, cwd, state, embedded, control, tap } = this.#options;
    const { name, config, commandPath, place, hash } = server;
    const secrets = entrySecrets(config);
    const credentials = server.credentials && collectingSecrets(server.credentials, secrets);
    const lookup = transportKindOf(config).locality === 'remote' ? await this.#lookupOf(name) : undefined;
    const stderrFile = state === undefined ? undefined : logFile(state, name);
    const processes = this.#processes;
    const connection = await connect({
      ...options,
      config,
      secrets,
      cachedEra: hash === undefined ? undefined : this.#memoryOf(hash),
      context: {
        name,
        clock: this.#clock,
        env: place?.env ?? env,
        platform,
        cwd: place ? await openPrivatePlace(place, `Server "${name}"`) : cwd,
        ownsCwd: place !== undefined,
        commandPath,
        processes,
        sandbox: this.#sandbox,
        stderrFile,
        secrets,
        embedded,
        control,
        credentials,
        lookup,
      },
      ...(tap && {
        wrapPipe: (pipe: Pipe) => tap({ ...server, secrets, argumentSecrets: argumentSecretsOf(config) }, pipe),
      }),
    });
    this.#connections.add(connection);
    // A connection that ends by itself still has to be disposed of, which closes its log.
    void connection.closed
      .then(() => connection[Symbol.asyncDispose]())
      .then(() => this.#connections.delete(connection));
    return connection;
  }

  /** Kept for the life of the host: a new connection must remember which class of address a name had first. */
  async #lookupOf(name: string): Promise<LookupFunction> {
    const { pinAddresses } = await import('../edge/network/address-pins.js');
    const known = this.#lookups.get(name);
    if (known) return known;
    const lookup = pinAddresses(undefined, { label: `Server "${name}"` });
    this.#lookups.set(name, lookup);
    return lookup;
  }

  #memoryOf(hash: string): CachedEra | undefined {
    const cached = this.#eras?.(hash);
    const keepLater = (keep: () => Promise<void>): void => this.#keepLater(hash, keep);
    const write = (writing: Promise<void>): Promise<void> => {
      this.#writing.add(writing);
      return writing.finally(() => this.#writing.delete(writing));
    };
    return (
      cached && {
        get: () => cached.get(),
        async set(verdict) {
          keepLater(() => cached.set(verdict));
        },
        delete: () => write(cached.delete()),
      }
    );
  }

  /** Delays the write while hundreds of servers connect; no caller waits for it. */
  #keepLater(hash: string, keep: () => Promise<void>): void {
    this.#unwritten.set(hash, keep);
    this.#cacheTimer ??= systemClock.after(CACHE_WRITE_MS, () => void this.#writeCaches());
  }

  async #writeCaches(): Promise<void> {
    this.#cacheTimer?.[Symbol.dispose]();
    this.#cacheTimer = undefined;
    const keeping = [...this.#unwritten.values()];
    this.#unwritten.clear();
    const writing = keepAll(keeping).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
    await writing;
  }

  /** Registry of all processes of this host, which ends them when the host closes. */
  get processes(): ProcessRegistry {
    return this.#processes;
  }

  /** Deletes the cached era: the next connect detects it again. */
  async forgetEra(hash: string): Promise<void> {
    this.#unwritten.delete(hash);
    const cached = this.#eras?.(hash);
    if (cached?.get()) await cached.delete();
  }

  /** Deletes the cached "needs sign-in": the next connect asks the server. */
  async forgetSignIn(hash: string): Promise<void> {
    const cached = this.#signIns?.(hash);
    // Most servers have no such entry: a reconnect must not wait for a disk write while calls use the old connection.
    if (cached?.get()) await cached.delete();
  }

  /** Appends a line of Plugboard's own to the server's log, where its stderr is kept. */
  log(name: string, line: string): void {
    const { state } = this.#options;
    if (state === undefined || this.#closing.signal.aborted) return;
    this.#logs.push(logFile(state, name), FORMS.redact(line));
  }

  /** Whether a value conforms to a server's schema. Never rejects; bounded in time. */
  check(schema: object, value: unknown): Promise<SchemaOutcome> {
    return this.#schemas.check(schema, value);
  }

  /** As `check`, synchronously; undefined when only `check` can tell. */
  checkNow(schema: object, value: unknown): SchemaOutcome | undefined {
    return this.#schemas.checkNow(schema, value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#opening);
    await Promise.allSettled([this.#writeCaches(), ...this.#writing]);
    await Promise.all([...this.#connections].map((connection) => connection[Symbol.asyncDispose]()));
    await this.#processes[Symbol.asyncDispose]();
    await this.#logs[Symbol.asyncDispose]();
    await this.spill?.[Symbol.asyncDispose]();
  }
}

function stillNeedsSignIn(
  { name, credentials }: ConnectableServer,
  { challenge }: { readonly challenge?: string | undefined },
): HostError {
  const text = `Server "${name}" needs you to sign in: it refused the last connection, and you have not signed in since`;
  return new HostError('unauthorized', text, {
    ...(credentials && { hint: credentials.hint }),
    detail: { kind: 'http', status: 401, ...(challenge !== undefined && { challenge }) },
  });
}

/** The same credentials; their header values are added to `secrets` as soon as they are sent. */
function collectingSecrets(credentials: Credentials, secrets: Secret[]): Credentials {
  const learn = ({ headers }: RequestCredentials): void => {
    for (const value of Object.values(headers)) {
      if (!secrets.some((known) => known.reveal() === value.reveal())) secrets.push(value);
    }
  };
  return {
    hint: credentials.hint,
    renewsAt: credentials.renewsAt,
    failure: () => credentials.failure?.(),
    async present(signal) {
      const sentCredentials = await credentials.present(signal);
      if (sentCredentials) learn(sentCredentials);
      return sentCredentials;
    },
    async renew(refused, denial, signal) {
      const renewal = await credentials.renew(refused, denial, signal);
      if (renewal.kind === 'renewed') learn(renewal.presented);
      return renewal;
    },
  };
}

async function keepAll(keeping: readonly (() => Promise<void>)[]): Promise<void> {
  await Promise.all(keeping.map((keep) => keep()));
}

const CACHE_WRITE_MS = 5_000;
