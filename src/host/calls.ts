import { HostError } from '../base/errors.js';
import { toAbsence } from '../connection/absence.js';
import type { Connection } from '../connection/connection.js';
import { randomHex } from '../edge/random-hex.js';
import type { CallContext, ToolInput, ToolResult } from '../model/tool.js';
import { gateLine } from '../model/text-gate.js';
import { unwrapCall } from '../tools/call-by-name.js';
import type { ServerTool } from '../tools/server-tool.js';
import { leftOf } from '../wire/deadline.js';
import type { Fleet } from './fleet.js';
import { type CallOrder, callOrder } from './call-order.js';
import { callServer, type ToolCaller } from './host-call.js';
import type { CallResult, ToolRequest } from './host-options.js';
import { compose, type CallTrace, type Run, type Step } from './pipeline.js';
import type { Registry } from './registry.js';
import { refused } from './steps/refused.js';
import { unknownTool } from './unknown-tool.js';
import { untilTold, untoldOf } from './until-told.js';
import { toolTimeout } from './variables.js';

export interface CallsOptions {
  readonly fleet: Fleet;
  readonly registry: Registry;
  /** All that a call passes through, outermost first. */
  readonly steps: readonly Step[];
  /** Whose tool it was, if a model was told of it and it is gone. */
  readonly isGone: (name: string) => { readonly server: string } | undefined;
  /** Whether a model may know of it. */
  readonly isShown: (tool: ServerTool) => boolean;
  /** Told of every call that reaches no tool. Contract: must not throw. */
  readonly onUnknown: (call: {
    readonly callId: string;
    readonly name: string;
    readonly error: HostError;
    readonly ms: number;
  }) => void;
}

/** From a name and an input to a result. Whatever is called goes the same way. */
export class Calls {
  readonly #fleet: Fleet;
  readonly #registry: Registry;
  readonly #run: Run;
  readonly #isGone: CallsOptions['isGone'];
  readonly #isShown: CallsOptions['isShown'];
  readonly #onUnknown: CallsOptions['onUnknown'];
  readonly #prefix = randomHex(4);
  #count = 0;

  constructor({ fleet, registry, steps, isGone, isShown, onUnknown }: CallsOptions) {
    this.#fleet = fleet;
    this.#registry = registry;
    this.#run = compose(steps);
    this.#isGone = isGone;
    this.#isShown = isShown;
    this.#onUnknown = onUnknown;
  }

  /** Never rejects: what goes wrong is the result. */
  async call(request: ToolRequest): Promise<CallResult> {
    const { signal, timeoutMs, onProgress } = request;
    const { name, input } = toMeant(request);
    const { clock } = this.#fleet.ports;
    const began = clock.monotonic();
    const callId = request.callId ?? `${this.#prefix}-${++this.#count}`;
    let tool = this.#registry.lookup(name);
    if (!tool) {
      const late = await this.#discover(name, request);
      tool = late ? undefined : this.#registry.lookup(name);
      if (!tool) {
        const error = late ?? this.#unknown(name);
        const ms = Math.round(clock.monotonic() - began);
        this.#onUnknown({ callId, name, error, ms });
        return { name, calledAs: request.name, server: undefined, tool: undefined, callId, ms, ...refused(error) };
      }
    }
    const passed = clock.monotonic() - began;
    const context: CallContext = {
      callId,
      signal,
      onProgress,
      timeoutMs: timeoutMs === undefined ? undefined : leftOf(timeoutMs, passed),
    };
    const trace: CallTrace = { decision: 'allow', rule: undefined, askedMs: 0, isAllowedByHook: false, mustAsk: false };
    const isTyped = request.isTyped === true;
    const isRaw = request.shape === 'raw';
    const result = await this.#run({ tool, input, context, isTyped, isRaw, trace });
    const ms = Math.round(clock.monotonic() - began);
    const { askedMs } = trace;
    return {
      name: tool.name,
      calledAs: request.name,
      server: tool.server,
      tool: tool.tool,
      callId,
      ms,
      ...(askedMs > 0 && { askedMs }),
      ...result,
    };
  }

  /** The calls of one turn: those that only read run together, the others one after the other, each in its place. */
  callAll(requests: readonly ToolRequest[]): Promise<readonly CallResult[]> {
    const { call } = this.inOrder();
    return Promise.all(requests.map((request) => call(request)));
  }

  /** The same for whoever gets the calls of a turn one by one: what only reads waits for what does more, and that for all. */
  inOrder(): CallOrder {
    return callOrder({
      call: (request) => this.call(request),
      isReading: (request) => this.#registry.lookup(toMeant(request).name)?.hints.readOnly === true,
    });
  }

  /** For a call that nobody has given an end. */
  timeoutOf(server: string): number {
    const { env } = this.#fleet.loaded.context;
    return this.#fleet.connection(server)?.server.config.timeout ?? toolTimeout(env);
  }

  /** Why nobody is there to call, and will not be. */
  barred(server: string): HostError | undefined {
    const status = this.#fleet.connection(server)?.status;
    return status?.kind === 'disabled' ? toAbsence(server, status) : undefined;
  }

  /** A server that nobody has asked yet may have it, or one that has not told yet. Why that was not waited for, if so. */
  async #discover(name: string, { timeoutMs, signal }: ToolRequest): Promise<HostError | undefined> {
    await this.#fleet.begun;
    const unasked = untoldOf(this.#fleet.connections(), name);
    const [first] = unasked;
    if (!first) return undefined;
    for (const connection of unasked) if (connection.status.kind === 'idle') connection.start('use');
    const { clock } = this.#fleet.ports;
    return untilTold(unasked, { clock, timeoutMs: timeoutMs ?? this.timeoutOf(first.name), signal });
  }

  #unknown(name: string): HostError {
    const shown = gateLine(name, { limit: NAME_SHOWN }).text;
    if (this.#fleet.isClosed) {
      return new HostError('connection-closed', `Tool "${shown}" is not called: its host is closed`);
    }
    const former = this.#isGone(name);
    if (former) {
      return new HostError('unknown-tool', `Tool "${shown}" is gone: server "${former.server}" no longer offers it`, {
        hint: 'Look for another one with ToolSearch',
      });
    }
    const { serverTools, builtIns } = this.#registry;
    const tools = [...serverTools.filter((tool) => this.#isShown(tool)), ...builtIns].map((tool) => tool.name);
    return unknownTool(shown, { tools, connections: this.#fleet.connections() });
  }
}

const NAME_SHOWN = 200; // a model may make up any name

/** What a request means. Models and programs make mistakes that no type keeps from them. */
function toMeant({ name: given, input: wanted }: ToolRequest): { readonly name: string; readonly input: ToolInput } {
  const name = typeof given === 'string' ? given : '';
  const input = wanted ?? {};
  return unwrapCall(name, input) ?? { name, input };
}

/** What stands behind the tools of servers. */
export class ServerCalls {
  readonly #fleet: Fleet;
  #callTool: ToolCaller | undefined;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** Contract of `Tool.call`: never rejects. */
  async call(
    server: string,
    placed: { readonly tool: string; readonly input: ToolInput },
    context: CallContext,
  ): Promise<ToolResult> {
    const { clock } = this.#fleet.ports;
    const began = clock.monotonic();
    this.#callTool ??= (await import('../connection/call-tool.js')).callTool;
    for (;;) {
      const connection = this.#fleet.connection(server);
      if (!connection) return refused(gone(server));
      const left = context.timeoutMs === undefined ? undefined : leftOf(context.timeoutMs, clock.monotonic() - began);
      const parts = { connection, dock: this.#fleet.dock, callTool: this.#callTool };
      const result = await callServer(parts, placed, { ...context, timeoutMs: left });
      if (!this.#isOvertaken(result, connection)) return result;
    }
  }

  /** It waited for a server whose entry was edited meanwhile: another connection has taken its place. */
  #isOvertaken({ attempts, error }: ToolResult, connection: Connection): boolean {
    const isUnsent = attempts === 0 && error?.code === 'connection-closed' && !this.#fleet.isClosed;
    return isUnsent && (this.#fleet.connection(connection.name) ?? connection) !== connection;
  }
}

function gone(server: string): HostError {
  return new HostError('unknown-server', `Server "${server}" is no longer configured`, { hint: 'plugboard list' });
}
