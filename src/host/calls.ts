import { HostError } from '../base/errors.js';
import { toAbsence } from '../connection/absence.js';
import type { Connection } from '../connection/connection.js';
import { randomHex } from '../edge/random-hex.js';
import type { CallContext, Tool, ToolInput, ToolResult } from '../model/tool.js';
import { gateLine } from '../model/text-gate.js';
import { CALL_BY_NAME, unwrapCall } from '../tools/call-by-name.js';
import { READ_RESOURCE } from '../tools/read-resource.js';
import type { ServerTool } from '../tools/server-tool.js';
import { leftOf } from '../wire/deadline.js';
import type { Fleet } from './fleet.js';
import { type CallOrder, callOrder } from './call-order.js';
import { callServer, OutputSchemas, type PlacedCall, type ToolCaller, toResult } from './host-call.js';
import type { CallResult, ToolRequest } from './host-options.js';
import { compose, type CallTrace, type Run, type Step } from './pipeline.js';
import type { Registry } from './registry.js';
import { failed, refused } from '../model/failed-result.js';
import type { unknownLine } from './steps/ledger.js';
import { unknownTool } from './unknown-tool.js';
import { untilTold, untoldOf } from './until-told.js';
import { toolTimeout } from './variables.js';

export interface CallsOptions {
  readonly fleet: Fleet;
  readonly registry: Registry;
  /** What resources of a server are read with. */
  readonly readerOf: (server: string) => Tool | undefined;
  /** All that a call passes through, outermost first. */
  readonly steps: readonly Step[];
  /** Whose tool it was, if a model was told of it and it is gone. */
  readonly isGone: (name: string) => { readonly server: string } | undefined;
  /** Whether a model may know of it. */
  readonly isShown: (tool: ServerTool) => boolean;
  /** Whether no rule denies a tool. */
  readonly isPermitted: (tool: Tool) => boolean;
  /** Told of every call that reaches no tool. Contract: must not throw. */
  readonly onUnknown: ReturnType<typeof unknownLine>;
}

/** From a name and an input to a result. Whatever is called goes the same way. */
export class Calls {
  readonly #fleet: Fleet;
  readonly #registry: Registry;
  readonly #options: CallsOptions;
  readonly #run: Run;
  readonly #prefix = randomHex(4);
  /** Reading the environment of a process takes as long as all the steps together. */
  #timeout: { readonly env: object; readonly ms: number } | undefined;
  #count = 0;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#fleet = options.fleet;
    this.#registry = options.registry;
    this.#run = compose(options.steps);
  }

  /** Never rejects: what goes wrong is the result. */
  call(request: ToolRequest): Promise<CallResult> {
    try {
      return this.#call(request).catch((cause: unknown) => this.#broken(request, cause));
    } catch (cause) {
      return Promise.resolve(this.#broken(request, cause));
    }
  }

  #call(request: ToolRequest): Promise<CallResult> {
    const { name, input } = this.#toMeant(request);
    const began = this.#fleet.ports.clock.monotonic();
    const callId = request.callId ?? this.#nextId();
    const tool = this.#reader(name, input) ?? this.#registry.lookup(name);
    if (!tool) return this.#callLate(request, { name, input, callId, began });
    return this.#make(request, { tool, input, callId, began, timeoutMs: request.timeoutMs });
  }

  /** Calls a tool that was found by other means than its name. Never rejects. */
  callTool(
    tool: Tool,
    { input = {}, callId = this.#nextId(), ...rest }: Omit<ToolRequest, 'name'>,
  ): Promise<CallResult> {
    const request = { name: tool.name, ...rest };
    const began = this.#fleet.ports.clock.monotonic();
    return this.#make(request, { tool, input, callId, began, timeoutMs: rest.timeoutMs }).catch((cause: unknown) =>
      this.#broken(request, cause),
    );
  }

  #nextId(): string {
    return `${this.#prefix}-${++this.#count}`;
  }

  /** Reading a resource is a call of its server. Whoever denies the tool that models do it with means all servers. */
  #reader(name: string, { server, uri }: ToolInput): Tool | undefined {
    if (name !== READ_RESOURCE || typeof server !== 'string' || typeof uri !== 'string') return undefined;
    const wrapper = this.#registry.lookup(READ_RESOURCE);
    return wrapper && !this.#options.isPermitted(wrapper) ? undefined : this.#options.readerOf(server);
  }

  /** Nothing on the way is meant to throw; what an embedder hands in may, when it is looked at. */
  #broken({ name, callId = '' }: ToolRequest, cause: unknown): CallResult {
    const shown = gateLine(typeof name === 'string' ? name : '', { limit: NAME_SHOWN }).text;
    const error = new HostError('internal', `The call of ${shown} failed inside Plugboard: ${String(cause)}`, {
      hint: 'Look at its input: reading it may be what throws',
      cause,
    });
    return {
      name: shown,
      calledAs: shown,
      server: undefined,
      tool: undefined,
      callId,
      ms: 0,
      ...failed('unknown', error, 0),
    };
  }

  #make({ name: calledAs, signal, onProgress, isTyped, shape }: ToolRequest, found: FoundCall): Promise<CallResult> {
    const { tool, input, callId, began, timeoutMs } = found;
    const context: CallContext = { callId, signal, onProgress, timeoutMs };
    const trace: CallTrace = { decision: 'allow', rule: undefined, askedMs: 0, isAllowedByHook: false, mustAsk: false };
    const call = { tool, input, context, isTyped: isTyped === true, isRaw: shape === 'raw', trace };
    return this.#run(call).then((result) => {
      const ms = Math.round(this.#fleet.ports.clock.monotonic() - began);
      const { askedMs } = trace;
      const more = askedMs > 0 ? { askedMs } : undefined;
      return { name: tool.name, calledAs, server: tool.server, tool: tool.tool, callId, ms, ...more, ...result };
    });
  }

  /** Whose tool it is nobody knows yet. */
  async #callLate(request: ToolRequest, { name, input, callId, began }: LateCall): Promise<CallResult> {
    const { clock } = this.#fleet.ports;
    const { timeoutMs } = request;
    const late = await this.#discover(name, request);
    const tool = late ? undefined : this.#registry.lookup(name);
    const passed = clock.monotonic() - began;
    if (tool) {
      const left = timeoutMs === undefined ? undefined : leftOf(timeoutMs, passed);
      return this.#make(request, { tool, input, callId, began, timeoutMs: left });
    }
    const error = late ?? this.#unknown(name);
    const ms = Math.round(passed);
    this.#options.onUnknown({ callId, name, error, ms });
    return { name, calledAs: request.name, server: undefined, tool: undefined, callId, ms, ...refused(error) };
  }

  /** The calls of one turn: those that only read run together, the others one after the other, each in its place. */
  callAll(requests: readonly ToolRequest[]): Promise<readonly CallResult[]> {
    const { call } = this.inOrder();
    return Promise.all(requests.map((request) => call(request)));
  }

  /** The same for whoever gets the calls of a turn one by one: what only reads waits for what does more, and that for all. */
  inOrder(): CallOrder {
    return callOrder(
      (request) => this.call(request),
      (request) => this.#registry.lookup(this.#toMeant(request).name)?.hints.readOnly === true,
    );
  }

  /** For a call that nobody has given an end. */
  timeoutOf(server: string): number {
    const { env } = this.#fleet.loaded.context;
    if (this.#timeout?.env !== env) this.#timeout = { env, ms: toolTimeout(env) };
    return this.#fleet.connection(server)?.server.config.timeout ?? this.#timeout.ms;
  }

  /** Why nobody is there to call, and will not be. */
  barred(server: string): HostError | undefined {
    const status = this.#fleet.connection(server)?.status;
    return status?.kind === 'disabled' ? toAbsence(server, status) : undefined;
  }

  /** A server that nobody has asked yet may have it, or one that has not told yet. Why that was not waited for, if so. */
  async #discover(name: string, { timeoutMs, signal }: ToolRequest): Promise<HostError | undefined> {
    await this.#fleet.begun;
    const unasked = untoldOf(this.#fleet.connections(), name, 'tools');
    const [first] = unasked;
    if (!first) return undefined;
    for (const connection of unasked) if (connection.status.kind === 'idle') connection.start('use');
    const { clock } = this.#fleet.ports;
    return untilTold(unasked, { kind: 'tools', clock, timeoutMs: timeoutMs ?? this.timeoutOf(first.name), signal });
  }

  /** What a request means. Models and programs make mistakes that no type keeps from them. */
  #toMeant({ name: given, input: wanted }: ToolRequest): { readonly name: string; readonly input: ToolInput } {
    const name = typeof given === 'string' ? given : '';
    const input = wanted ?? {};
    const meant = unwrapCall(name, input);
    // Whoever denies calls by name means all of them.
    const wrapper = meant && this.#registry.lookup(CALL_BY_NAME);
    return meant && (!wrapper || this.#options.isPermitted(wrapper)) ? meant : { name, input };
  }

  #unknown(name: string): HostError {
    const shown = gateLine(name, { limit: NAME_SHOWN }).text;
    if (this.#fleet.isClosed) {
      return new HostError('connection-closed', `Tool "${shown}" is not called: its host is closed`);
    }
    const former = this.#options.isGone(name);
    const isSignedOut = former && this.#fleet.connection(former.server)?.status.kind === 'needs-auth';
    if (former && !isSignedOut) {
      return new HostError('unknown-tool', `Tool "${shown}" is gone: server "${former.server}" no longer offers it`, {
        hint: 'Look for another one with ToolSearch',
      });
    }
    const { serverTools, builtIns } = this.#registry;
    const tools = [...serverTools.filter((tool) => this.#options.isShown(tool)), ...builtIns].map((tool) => tool.name);
    return unknownTool(shown, { tools, connections: this.#fleet.connections() });
  }
}

interface LateCall {
  readonly name: string;
  readonly input: ToolInput;
  readonly callId: string;
  readonly began: number;
}

interface FoundCall extends Omit<LateCall, 'name'> {
  readonly tool: Tool;
  readonly timeoutMs: number | undefined;
}

const NAME_SHOWN = 200; // a model may make up any name

/** What stands behind the tools of servers. */
export class ServerCalls {
  readonly #fleet: Fleet;
  readonly #outputs = new OutputSchemas();
  #callTool: ToolCaller | undefined;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** Contract of `Tool.call`: never rejects. */
  call(server: string, placed: PlacedCall, context: CallContext): Promise<ToolResult> {
    const connection = this.#fleet.connection(server);
    const callTool = this.#callTool;
    const output = connection && this.#outputs.of(connection, placed.tool);
    const began = this.#fleet.ports.clock.monotonic();
    if (!connection || !callTool || output instanceof Promise) return this.#insist(server, placed, { context, began });
    return callServer({ connection, dock: this.#fleet.dock, callTool, output }, placed, context).then((carried) => {
      const result = this.#note(server, toResult(carried));
      return this.#isOvertaken(result, connection) ? this.#insist(server, placed, { context, began }) : result;
    });
  }

  /** With all that a call may have to wait for before it is made. */
  async #insist(server: string, placed: PlacedCall, { context, began }: Insistence): Promise<ToolResult> {
    const { timeoutMs } = context;
    const { clock } = this.#fleet.ports;
    const callTool = (this.#callTool ??= (await import('../connection/call-tool.js')).callTool);
    for (;;) {
      const connection = this.#fleet.connection(server);
      if (!connection) return refused(gone(server));
      const output = await this.#outputs.of(connection, placed.tool);
      const left = timeoutMs === undefined ? undefined : leftOf(timeoutMs, clock.monotonic() - began);
      const parts = { connection, dock: this.#fleet.dock, callTool, output };
      const result = this.#note(server, toResult(await callServer(parts, placed, { ...context, timeoutMs: left })));
      if (!this.#isOvertaken(result, connection)) return result;
    }
  }

  /** Whoever was just signed in is let in. */
  #note(server: string, result: ToolResult): ToolResult {
    if (result.outcome === 'ok') this.#fleet.identities.worked(server);
    return result;
  }

  /** It waited for a server whose entry was edited meanwhile: another connection has taken its place. */
  #isOvertaken({ attempts, error }: ToolResult, connection: Connection): boolean {
    const isUnsent = attempts === 0 && error?.code === 'connection-closed' && !this.#fleet.isClosed;
    return isUnsent && (this.#fleet.connection(connection.name) ?? connection) !== connection;
  }
}

interface Insistence {
  readonly context: CallContext;
  readonly began: number;
}

function gone(server: string): HostError {
  return new HostError('unknown-server', `Server "${server}" is no longer configured`, { hint: 'plugboard list' });
}
