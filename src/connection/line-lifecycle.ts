import { HostError } from '../base/errors.js';
import { isObject, type JsonObject } from '../base/json.js';
import { unreachable } from '../base/never.js';
import { onAbort } from '../base/on-abort.js';
import { toHostError } from '../base/to-host-error.js';
import { Watched } from '../base/watched.js';
import type { Clock } from '../model/clock.js';
import type { DisabledReason, ServerEvent, ServerStatus, StartReason } from '../model/status.js';
import { transition } from '../model/status.js';
import { closeError } from '../wire/close-error.js';
import { isFramed } from '../wire/framing.js';
import type { PipeWarning } from '../wire/pipe.js';
import { isSignIn, needsMoreScopes, toUnavailableError } from './unavailable.js';
import { CallQueue, type QueueWaitOptions } from './call-queue.js';
import { type RetriedOutcome, type RetryTarget, retryUntilOver } from './call-with-retries.js';
import { FirstAttempt } from './first-attempt.js';
import type { ListKind } from './catalog/cached-list.js';
import type { Connection } from './connect.js';
import type { LineOptions, Slot } from './server-lifecycle-options.js';
import type { ConnectableServer } from './connection-factory.js';
import { retryTransient } from './retry-transient.js';
import { ConnectionsInUse } from './connections-in-use.js';
import type { Operation } from './operation.js';
import { prober } from './probe.js';
import { warnOnce } from './warn-once.js';

/** What callers wait for. `isReading`: the catalog is being read after a connect. */
interface Life {
  readonly status: ServerStatus;
  readonly isReading: boolean;
  readonly isClosed: boolean;
}

/** What a line tells of its connections to whatever keeps what the server offers. */
export interface LineCatalog extends AsyncDisposable {
  /** A new connection. Resolves when everything wanted of it has come or failed; never rejects. */
  attach(connection: Connection, signal: AbortSignal): Promise<void>;
  detach(): void;
  onNotification(method: string, params: JsonObject): void;
  /** The server has lost the session and got a new handshake. Never rejects. */
  refresh(): Promise<void>;
}

/** Tells a line that a list could not be read. */
export type OnListProblem = (list: ListKind, error: HostError) => void;

/**
 * The lifecycle of one line to a server, which has one connection after the other: its status and the effects of each,
 * what it offers, and the calls that wait for it.
 */
export class LineLifecycle<Offers extends LineCatalog> implements AsyncDisposable {
  readonly catalog: Offers;
  readonly #options: LineOptions;
  readonly #queue: CallQueue;
  readonly #life = new Watched<Life>({ status: { kind: 'idle' }, isReading: false, isClosed: false });
  /** Aborted when the current status is left. */
  #state = new AbortController();
  #connection: Connection | undefined;
  readonly #connections = new ConnectionsInUse((connection) => connection === this.#connection);
  readonly #retryTarget: RetryTarget;
  /** The latest connect. The next connect and disposal wait until everything that it opened is gone. */
  #opening: Promise<void> = Promise.resolve();
  #serving: ReturnType<NonNullable<LineOptions['serving']>> | undefined;
  #connectMs: number | undefined;
  #isResting = false;
  #lastEra: Connection['session']['era'] | undefined;
  #nonMessage: string | undefined;
  readonly #ask = prober();
  readonly #tell: (note: PipeWarning) => void;
  #disposal: Promise<void> | undefined;

  constructor(options: LineOptions, toCatalog: (onProblem: OnListProblem) => Offers) {
    this.#options = options;
    this.#tell = warnOnce(options.onWarning);
    const { server, clock } = options;
    this.#queue = new CallQueue(server.name, clock);
    this.#retryTarget = {
      clock,
      connected: (wait) => this.whenConnected(wait),
      onFailure: (connection, error) => this.#onFailure(connection, error),
      begin: (connection) => this.#connections.begin(connection),
      end: (connection) => this.#connections.end(connection),
    };
    this.catalog = toCatalog((list, error) => {
      const connection = this.#connection;
      // A 401 for prompts or resources alone does not disconnect a server whose tools can be listed.
      if (connection && isSignIn(error) && list !== 'tools' && isObject(connection.session.capabilities['tools']))
        void this.#probe(connection);
      else if (connection) this.#onFailure(connection, error);
    });
  }

  get name(): string {
    return this.#options.server.name;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get server(): ConnectableServer {
    return this.#options.server;
  }

  get status(): ServerStatus {
    return this.#life.value.status;
  }

  get isClosed(): boolean {
    return this.#disposal !== undefined;
  }

  /** The current connection, for requests that only a connected server can answer. */
  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Counts idle periods: grows by one each time the last call in flight ends. */
  get idlePeriods(): number {
    return this.#connections.idlePeriods;
  }

  /** Milliseconds that the last connect took. */
  get connectMs(): number | undefined {
    return this.#connectMs;
  }

  /** The server's last line on stdout that is not a message. */
  get noise(): string | undefined {
    return this.#nonMessage;
  }

  start(why: StartReason): void {
    this.#apply({ kind: 'start', why, at: this.#now() });
  }

  /** Closes the connection, if nothing but the catalog has ever used this line. The next use opens another. */
  rest(): void {
    if (this.#connections.isAnyInUse || this.idlePeriods > 0) return;
    this.#isResting = this.#apply({ kind: 'rest', at: this.#now() });
  }

  /** Whether the connection was closed by `rest`, and none has been opened since. */
  get isResting(): boolean {
    return this.#isResting && this.status.kind === 'idle';
  }

  /** Makes the next attempt of a lost server now. */
  retryNow(): void {
    this.#apply({ kind: 'retry', at: this.#now() });
  }

  disable(reason: DisabledReason): void {
    const { status } = this;
    if (status.kind === 'disabled' && status.reason === reason) return;
    this.#apply({ kind: 'disable', reason, at: this.#now() });
  }

  enable(): void {
    this.#apply({ kind: 'enable', at: this.#now() });
  }

  /** Resolves when the server is not `pending` (in its first connect). Never rejects. */
  async decided(): Promise<void> {
    using _ = this.clock.hold();
    await this.#life.until(({ status, isClosed }) => isClosed || status.kind !== 'pending');
  }

  /** Resolves when the server is neither `pending` nor is its catalog being read. Never rejects. */
  async settled(): Promise<void> {
    // Keeps the event loop alive: between two attempts nothing else does.
    using _ = this.clock.hold();
    await this.#life.until(({ status, isReading, isClosed }) => isClosed || (status.kind !== 'pending' && !isReading));
  }

  /**
   * Runs an operation, with retries as model/retries.ts allows; waits for a disconnected server. `began`: when the time
   * began to count. Never rejects.
   */
  ask<Result>(
    operation: Operation<Result>,
    wait: QueueWaitOptions,
    began = this.#now(),
  ): Promise<RetriedOutcome<Result>> {
    const { signal } = wait;
    const connection = this.whenConnected(wait);
    if (connection instanceof Promise || signal?.aborted === true)
      return retryUntilOver(this.#retryTarget, operation, { ...wait, began, connection });
    const target = this.#retryTarget;
    return new Promise((resolve) => new FirstAttempt({ target, operation, wait, began, connection, resolve }).begin());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#disposal ??= this.#dispose());
  }

  async #dispose(): Promise<void> {
    const { name } = this;
    this.#life.set({ ...this.#life.value, isClosed: true });
    this.#leave();
    this.#connections.closeAll();
    this.#queue.fail(new HostError('connection-closed', `Server "${name}" was closed before the call was made`));
    await Promise.all([this.#opening, this.#connections.closed(), this.catalog[Symbol.asyncDispose]()]);
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  /** False when the entry itself has the credentials: then a sign-in does not help. */
  get #canSignIn(): boolean {
    const { credentials } = this.#options.server;
    return credentials !== undefined && credentials.canSignIn !== false;
  }

  /** The only writer of the status. False: nothing changed. `connection`: the one of the new status. */
  #apply(event: ServerEvent, connection?: Connection): boolean {
    const { status: before, isClosed } = this.#life.value;
    const after = transition(before, event, this.#options.limits);
    if (after === before || isClosed) return false;
    this.#isResting = false;
    this.#leave();
    this.#connection = connection;
    const { signal } = (this.#state = new AbortController());
    this.#life.set({ status: after, isReading: after.kind === 'connected', isClosed });
    this.#options.onStatus({ before, after, event });
    // A listener of `onStatus` may already have caused the next transition.
    if (!signal.aborted) this.#enter(after, signal);
    return true;
  }

  #leave(): void {
    this.#state.abort(LEFT);
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    this.catalog.detach();
    this.#connections.close(connection);
  }

  #enter(status: ServerStatus, signal: AbortSignal): void {
    switch (status.kind) {
      case 'idle':
        return;
      case 'pending':
        return this.#begin(signal);
      case 'reconnecting': {
        const wait = Math.max(status.retryAt - this.#now(), 0);
        const timer = this.#options.clock.after(wait, () => this.#begin(signal));
        onAbort(signal, () => timer[Symbol.dispose]());
        return;
      }
      case 'connected':
        return this.#serve(this.#connection!, signal);
      case 'disabled':
      case 'needs-auth':
      case 'failed':
        return this.#queue.fail(toUnavailableError(this.name, status));
      default:
        return unreachable(status);
    }
  }

  #begin(signal: AbortSignal): void {
    this.#opening = this.#open(signal, this.#opening);
  }

  async #open(signal: AbortSignal, before: Promise<void>): Promise<void> {
    try {
      // A server is not started again before its old process has ended.
      await before;
      await this.#connections.closed();
      if (signal.aborted) return;
      const slot = await this.#options.takeSlot(signal);
      const began = this.#now();
      const connection = await this.#connect(signal, slot).finally(() => slot.release());
      if (signal.aborted) return await connection[Symbol.asyncDispose]();
      const at = this.#now();
      this.#connectMs = at - began;
      this.#lastEra = connection.session.era;
      if (!this.#apply({ kind: 'opened', protocol: connection.session.version, at }, connection))
        await connection[Symbol.asyncDispose]();
    } catch (cause) {
      if (signal.aborted) return;
      const error = toHostError(cause, `Server "${this.name}" could not be connected`);
      const at = this.#now();
      // Without a handshake nothing of the server is usable, so a 403 for missing scopes counts like a 401.
      const isRefused = isSignIn(error) || (this.#canSignIn && needsMoreScopes(error));
      if (isRefused) this.#apply({ kind: 'unauthorized', error, canSignIn: this.#canSignIn, at });
      else this.#apply({ kind: 'lost', error, jitter: this.#options.random(), at });
    }
  }

  /** The first connect makes three attempts on transient errors; a reconnect makes one, because it backs off anyway. */
  async #connect(signal: AbortSignal, slot: Slot): Promise<Connection> {
    const { connectionFactory, server, clock, timeoutMs } = this.#options;
    const { onNotification, ...serving } = (this.#serving ??= this.#options.serving?.() ?? {});
    const deadline = this.#now() + (server.config.startTimeout ?? timeoutMs);
    const isFirst = this.status.kind === 'pending';
    let opened: Connection | undefined;
    const connect = (): Promise<Connection> =>
      connectionFactory.connect(server, {
        ...serving,
        timeoutMs: Math.max(Math.ceil(deadline - this.#now()), 1),
        signal,
        previousEra: isFirst ? undefined : this.#lastEra,
        onFirstResponse: () => slot.received(),
        onNotification: (method, params) => {
          if (!signal.aborted || this.#connection) this.catalog.onNotification(method, params);
          onNotification?.(method, params);
        },
        onWarning: (note) => this.#note(note, opened),
        // A session of a connection that was given up is not renewed: retries use the new connection.
        mayRenew: () => opened === undefined || opened === this.#connection,
        onRenewal: () => void this.catalog.refresh(),
      });
    const waits = isFirst ? TRY_AGAIN_MS : [];
    opened = await retryTransient(connect, { clock, signal, deadline, waits, onWait: () => slot.received() });
    return opened;
  }

  #serve(connection: Connection, signal: AbortSignal): void {
    void this.#watchClose(connection, signal);
    void this.catalog.attach(connection, signal).finally(() => {
      if (!signal.aborted) this.#life.set({ ...this.#life.value, isReading: false });
    });
    this.#queue.flush(connection);
  }

  async #watchClose(connection: Connection, signal: AbortSignal): Promise<void> {
    const error = closeError(await connection.closed, this.name);
    if (!signal.aborted) this.#apply({ kind: 'lost', error, jitter: this.#options.random(), at: this.#now() });
  }

  /** The connection; waits for a server that is connecting, and starts an idle one. */
  whenConnected(options: QueueWaitOptions): Connection | Promise<Connection> {
    const { status, isClosed } = this.#life.value;
    if (isClosed) return Promise.reject(new HostError('connection-closed', `Server "${this.name}" was closed`));
    switch (status.kind) {
      case 'connected':
        // A connection that has just closed: the transition to reconnecting follows.
        return this.#connection?.peer.isClosed === false ? this.#connection : this.#queue.wait(options);
      case 'pending':
      case 'reconnecting':
        return this.#queue.wait(options);
      case 'idle': {
        const waiting = this.#queue.wait(options);
        this.start('use');
        return waiting;
      }
      case 'disabled':
      case 'needs-auth':
      case 'failed':
        return Promise.reject(toUnavailableError(this.name, status));
      default:
        return unreachable(status);
    }
  }

  /** Changes the status if the error of a request means that the server is gone or needs a sign-in. */
  #onFailure(connection: Connection, error: HostError): void {
    if (connection !== this.#connection) return;
    // Over HTTP only a failed request shows that the server is gone.
    const isLost = error.code === 'connect-failed';
    if (!isLost && !isSignIn(error)) return;
    const at = this.#now();
    // Other requests may be in flight on this connection: they get their own outcome before it closes.
    this.#connection = undefined;
    this.catalog.detach();
    this.#connections.giveUp(connection);
    if (isLost) this.#apply({ kind: 'lost', error, jitter: this.#options.random(), at });
    else this.#apply({ kind: 'unauthorized', error, canSignIn: this.#canSignIn, at });
  }

  /** `connection`: the one of the warning; warnings of an abandoned connection start no probe. */
  #note(note: PipeWarning, connection: Connection | undefined): void {
    // Kept: a Content-Length header (language-server framing) explains more than the lines after it.
    if (note.kind === 'noise' && !(this.#nonMessage !== undefined && isFramed(this.#nonMessage)))
      this.#nonMessage = note.text;
    this.#tell(note);
    if (note.kind === 'stream-off' && connection && connection === this.#connection) void this.#probe(connection);
  }

  /** A stream was refused or has ended: sends a request to see whether the server still responds. */
  async #probe(connection: Connection): Promise<void> {
    const error = await this.#ask(connection);
    if (error) this.#onFailure(connection, error);
  }
}

const TRY_AGAIN_MS = [200, 600] as const;
/** Passed to `abort`: without a reason it creates an exception, whose stack costs more than the rest of the change. */
const LEFT = 'the state was left';
