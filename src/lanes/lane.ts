import { HostError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { LinkedList } from '../base/collections/linked-list.js';
import type { ToolTraits } from '../connection/catalog/tool-traits.js';
import { LineLifecycle } from '../connection/line-lifecycle.js';
import type { LineOptions } from '../connection/server-lifecycle-options.js';
import { type Caller, groupOf } from '../model/caller.js';
import { redactValue } from '../model/redaction/redact-value.js';
import type { ServerStatus } from '../model/status.js';
import { LaneOffers } from './lane-offers.js';
import { LaneOpener } from './lane-opener.js';

/** A server that lanes lead to. One object for as long as the server runs. */
export interface LaneServer {
  readonly name: string;
  /** How a line to it is opened. */
  readonly line: Omit<LineOptions, 'serving' | 'onStatus'>;
  /** The client capabilities that it may be told. */
  readonly declares: (caller: Caller) => Caller['capabilities'];
  readonly traits: () => Iterable<readonly [string, ToolTraits]>;
  /** Its lists have changed: they are read again, over its own line. */
  readonly onListsChanged: (method: string, params: JsonObject) => void;
}

/** The state of a lane, for people and tests. */
export interface LaneState {
  readonly server: string;
  readonly owner: string;
  readonly principal: string;
  /** As the server was told them. */
  readonly capabilities: Caller['capabilities'];
  readonly status: ServerStatus['kind'];
  /** Milliseconds since its last call ended; 0 while there is one. */
  readonly idleMs: number;
  /** Calls that use it or wait for it. */
  readonly inFlight: number;
}

export interface LaneOptions {
  readonly server: LaneServer;
  /** The client that opens the lane. */
  readonly client: Caller;
  readonly owner: string;
  readonly capabilities: Caller['capabilities'];
  /** The owner had such a lane before: what the server kept for it is gone. */
  readonly isAnew: boolean;
  /** The owner has another lane to this server, which keeps what its calls leave there. */
  readonly isFurther: boolean;
  /** Called when the last call has ended. */
  readonly onIdle: () => void;
  /** The server asks, and does not say for which call. */
  readonly onUnmarkedQuestion: () => void;
}

/** One client's line to a server that keeps state for a session, opened by its first call. */
export class Lane implements AsyncDisposable {
  readonly line: LineLifecycle<LaneOffers>;
  readonly owner: string;
  readonly principal: string;
  readonly #options: LaneOptions;
  /** The calls that use it, oldest first. */
  readonly #uses = new LinkedList<Caller>();
  #client: Caller;
  #calls = 0;
  #isAnew: boolean;
  /** When the last call ended, on the monotonic clock. */
  #idleSince: number;
  #endedAt: number | undefined;

  constructor(options: LaneOptions) {
    const { server, client, owner, capabilities, isAnew } = options;
    const { clock } = server.line;
    this.#options = options;
    this.#client = client;
    this.#isAnew = isAnew;
    this.#idleSince = clock.monotonic();
    this.owner = owner;
    this.principal = this.#client.principal;
    const opener = new LaneOpener(owner, capabilities, this);
    const lineOptions: LineOptions = {
      ...server.line,
      serving: () => ({
        opener,
        capabilities,
        declares: () => capabilities,
        onUnmarkedQuestion: () => this.#options.onUnmarkedQuestion(),
        onNotification: (method, params) => this.#onNotification(method, params),
      }),
      onStatus: ({ after }) => {
        const isOver = after.kind === 'failed' || after.kind === 'needs-auth';
        this.#endedAt = isOver ? clock.monotonic() : undefined;
      },
    };
    this.line = new LineLifecycle(
      lineOptions,
      () =>
        new LaneOffers({
          clock,
          traits: server.traits,
          onListsChanged: server.onListsChanged,
          onAnew: () => (this.#isAnew = true),
        }),
    );
  }

  get server(): LaneServer {
    return this.#options.server;
  }

  get client(): Caller {
    return this.#client;
  }

  get newest(): Caller | undefined {
    return this.#uses.last;
  }

  get count(): number {
    return this.#uses.size;
  }

  /** Whether a question on it would be that of the next call: watches and tasks name theirs. */
  get isFree(): boolean {
    return this.#calls === 0 && !this.hasAbandoned;
  }

  /** Whether the server may still process what was given up. */
  get hasAbandoned(): boolean {
    return (this.line.connection?.peer.requests.abandoned ?? 0) > 0;
  }

  get isFurther(): boolean {
    return this.#options.isFurther;
  }

  get isIdle(): boolean {
    return this.#uses.size === 0;
  }

  get idleSince(): number {
    return this.#idleSince;
  }

  /** Since when the server cannot be reached over it, and will not be without a new lane. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  get state(): LaneState {
    const { server, capabilities } = this.#options;
    return {
      server: server.name,
      owner: this.owner,
      principal: this.principal,
      capabilities,
      status: this.line.status.kind,
      idleMs: this.isIdle ? Math.round(server.line.clock.monotonic() - this.#idleSince) : 0,
      inFlight: this.#uses.size,
    };
  }

  ambiguous(): void {
    this.#options.onUnmarkedQuestion();
  }

  /** Counts as idle from now on. */
  rest(): void {
    this.#idleSince = this.#options.server.line.clock.monotonic();
  }

  /** Begins a call. Until it is disposed of, the lane is not idle. */
  use(caller: Caller): LaneUse {
    const use = this.#take(caller, true);
    this.#calls++;
    return use;
  }

  /** Keeps the lane open for a watch or a task, until it is disposed of. */
  hold(caller: Caller): LaneUse {
    return this.#take(caller, false);
  }

  #take(caller: Caller, isCall: boolean): LaneUse {
    if (this.line.isClosed) throw new HostError('connection-closed', `A line to server "${this.line.name}" was closed`);
    this.#client = groupOf(caller);
    return new LaneUse({ lane: this, caller, isCall, place: this.#uses.add(caller) });
  }

  /** For a use alone. */
  ended(isCall: boolean): void {
    if (isCall) this.#calls--;
    if (this.#uses.size > 0) return;
    this.rest();
    this.#options.onIdle();
  }

  /** Whether this is the first result since the lane was opened anew. */
  takeAnew(): boolean {
    const isAnew = this.#isAnew;
    this.#isAnew = false;
    return isAnew;
  }

  /** The client's level for log messages may have changed. */
  relevel(): void {
    this.line.connection?.session.relevel?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.line[Symbol.asyncDispose]();
  }

  #onNotification(method: string, params: JsonObject): void {
    const { name: server, connection } = this.line;
    const { elicitationId, taskId } = params;
    if (method === 'notifications/elicitation/complete' && typeof elicitationId === 'string')
      this.#client.onElicitationComplete?.({ server, elicitationId });
    else if (method === 'notifications/tasks/status' && typeof taskId === 'string' && connection) {
      const task = redactValue(params, connection.redact) as JsonObject;
      this.#client.onTaskStatus?.({ server, task: { ...task, taskId } });
    }
  }
}

/** A call that uses a lane, or waits for it; or what keeps it open. */
export class LaneUse implements Disposable {
  readonly lane: Lane;
  readonly caller: Caller;
  readonly #isCall: boolean;
  readonly #place: Disposable;
  #isOver = false;

  constructor({ lane, caller, isCall, place }: { lane: Lane; caller: Caller; isCall: boolean; place: Disposable }) {
    this.lane = lane;
    this.caller = caller;
    this.#isCall = isCall;
    this.#place = place;
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#place[Symbol.dispose]();
    this.lane.ended(this.#isCall);
  }
}
