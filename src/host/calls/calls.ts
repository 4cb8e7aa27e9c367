import { HostError } from '../../base/errors.js';
import { allowListeners } from '../../edge/allow-listeners.js';
import { randomHex } from '../../edge/random-hex.js';
import type { Clock } from '../../model/clock.js';
import type { CallContext, Tool, ToolInput, ToolResult } from '../../model/tool.js';
import { gateLine } from '../../model/text/text-gate.js';
import { CALL_BY_NAME, unwrapCall } from '../../tools/call-by-name.js';
import { READ_RESOURCE } from '../../tools/read-resource.js';
import { timeLeftMs } from '../../wire/deadline.js';
import type { CallResult, ToolRequest } from '../host-options.js';
import { composeSteps, type CallTrace, type NextStep, type CallStep, type ToolCall } from './pipeline.js';
import { failed, refusedResult } from '../../model/failed-result.js';
import type { Servers } from '../servers/servers.js';
import type { unknownLine } from '../steps/ledger.js';
import { unknownTool } from '../tools/unknown-tool.js';
import { waitForCatalogsOf, serversWithoutCatalog } from './wait-for-catalog.js';

export interface CallsOptions {
  readonly clock: Clock;
  readonly servers: Servers;
  /** The tool that a model knows by this name, whoever brings it. */
  readonly lookup: (name: string) => Tool | undefined;
  /** What resources of a server are read with. */
  readonly readerOf: (server: string) => Tool | undefined;
  /** All that a call passes through, outermost first. */
  readonly steps: readonly CallStep[];
  /** Those of them that a request passes which nobody is asked about, and nothing is written down of. */
  readonly quietSteps: readonly CallStep[];
  /** Whose tool it was, if a model was told of it and it is gone. */
  readonly formerOwnerOf: (name: string) => { readonly server: string } | undefined;
  /** Names of the tools that a model may know of. */
  readonly shownNames: () => readonly string[];
  /** Whether no rule denies a tool. */
  readonly isPermitted: (tool: Tool) => boolean;
  /** Told of every call that reaches no tool. Contract: must not throw. */
  readonly onUnknown: ReturnType<typeof unknownLine>;
}

/** A call whose tool was found, on its way to it. */
export interface BegunCall extends ToolCall {
  readonly calledAs: string;
  readonly began: number;
}

/** From a request to a call of a tool, and from its result to what whoever asked gets. Whatever is called goes the same way. */
export class Calls {
  /** All steps around a tool. Contract: never rejects, unless something that an embedder handed in throws. */
  readonly run: NextStep;
  readonly #options: CallsOptions;
  readonly #signals = new WeakSet<AbortSignal>();
  readonly #runQuietly: NextStep;
  readonly #prefix = randomHex(4);
  #count = 0;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.run = composeSteps(options.steps);
    this.#runQuietly = composeSteps(options.quietSteps);
  }

  /** A promise where nobody knows yet whose tool it is, or nobody has it: then of the result. */
  begin(request: ToolRequest): BegunCall | Promise<CallResult> {
    const { name, input } = this.#toMeant(request);
    const began = this.#options.clock.monotonic();
    const { callId = this.#nextId(), signal } = request;
    if (signal && !this.#signals.has(signal)) {
      this.#signals.add(signal);
      allowListeners(signal);
    }
    const tool = this.#reader(name, input) ?? this.#options.lookup(name);
    if (!tool) return this.#callLater(request, { name, input, callId, began });
    return toCall(request, { tool, input, callId, began, timeoutMs: request.timeoutMs });
  }

  end({ tool, calledAs, context: { callId }, trace: { askedMs }, began }: BegunCall, result: ToolResult): CallResult {
    const ms = Math.round(this.#options.clock.monotonic() - began);
    const more = askedMs > 0 ? { askedMs } : undefined;
    return { name: tool.name, calledAs, server: tool.server, tool: tool.tool, callId, ms, ...more, ...result };
  }

  /** Nothing on the way is meant to throw; what an embedder hands in may, when it is looked at. */
  broken({ name, callId = '' }: ToolRequest, cause: unknown): CallResult {
    const shown = gateLine(typeof name === 'string' ? name : '', { limit: NAME_SHOWN }).text;
    const error = new HostError('internal', `The call of ${shown} failed inside Plugboard: ${String(cause)}`, {
      hint: 'Look at its input: reading it may be what throws',
      cause,
    });
    const none = { server: undefined, tool: undefined };
    return { name: shown, calledAs: shown, ...none, callId, ms: 0, ...failed('unknown', error, 0) };
  }

  /** Calls a tool that was found by other means than its name. Never rejects. */
  async callTool(
    tool: Tool,
    { input = {}, callId = this.#nextId(), ...rest }: Omit<ToolRequest, 'name'>,
    isQuiet = false,
  ): Promise<CallResult> {
    const request = { name: tool.name, ...rest };
    const began = this.#options.clock.monotonic();
    const call = toCall(request, { tool, input, callId, began, timeoutMs: rest.timeoutMs });
    return this.#finish(request, call, isQuiet ? this.#runQuietly : this.run);
  }

  /** Whether a request only reads, so that others may run beside it. */
  isReading(request: ToolRequest): boolean {
    return this.#options.lookup(this.#toMeant(request).name)?.hints.readOnly === true;
  }

  async #finish(request: ToolRequest, call: BegunCall, run = this.run): Promise<CallResult> {
    try {
      return this.end(call, await run(call));
    } catch (cause) {
      return this.broken(request, cause);
    }
  }

  #nextId(): string {
    return `${this.#prefix}-${++this.#count}`;
  }

  /** Reading a resource is a call of its server. Whoever denies the tool that models do it with means all servers. */
  #reader(name: string, { server, uri }: ToolInput): Tool | undefined {
    if (name !== READ_RESOURCE || typeof server !== 'string' || typeof uri !== 'string') return undefined;
    const { lookup, isPermitted, readerOf } = this.#options;
    const wrapper = lookup(READ_RESOURCE);
    return wrapper && !isPermitted(wrapper) ? undefined : readerOf(server);
  }

  /** Whose tool it is nobody knows yet. */
  async #callLater(request: ToolRequest, { name, input, callId, began }: UnknownCall): Promise<CallResult> {
    const { clock, lookup, onUnknown } = this.#options;
    const { timeoutMs } = request;
    const late = await this.#discover(name, request);
    const tool = late ? undefined : lookup(name);
    const passed = clock.monotonic() - began;
    if (tool) {
      const left = timeoutMs === undefined ? undefined : timeLeftMs(timeoutMs, passed);
      return this.#finish(request, toCall(request, { tool, input, callId, began, timeoutMs: left }));
    }
    const error = late ?? this.#unknown(name);
    const ms = Math.round(passed);
    onUnknown({ callId, name, error, ms });
    return { name, calledAs: request.name, server: undefined, tool: undefined, callId, ms, ...refusedResult(error) };
  }

  /** A server that nobody has asked yet may have it, or one that has not told yet. Why that was not waited for, if so. */
  async #discover(name: string, { timeoutMs, signal }: ToolRequest): Promise<HostError | undefined> {
    const { clock, servers } = this.#options;
    await servers.configured();
    const unasked = serversWithoutCatalog(servers.all(), name, 'tools');
    const [first] = unasked;
    if (!first) return undefined;
    for (const server of unasked) if (server.status.kind === 'idle') server.start('use');
    return waitForCatalogsOf(unasked, { kind: 'tools', clock, timeoutMs: timeoutMs ?? first.callTimeoutMs, signal });
  }

  /** What a request means. Models and programs make mistakes that no type keeps from them. */
  #toMeant({ name: given, input: wanted }: ToolRequest): { readonly name: string; readonly input: ToolInput } {
    const name = typeof given === 'string' ? given : '';
    const input = wanted ?? {};
    const meant = unwrapCall(name, input);
    const { lookup, isPermitted } = this.#options;
    // Whoever denies calls by name means all of them.
    const wrapper = meant && lookup(CALL_BY_NAME);
    return meant && (!wrapper || isPermitted(wrapper)) ? meant : { name, input };
  }

  #unknown(name: string): HostError {
    const { servers, formerOwnerOf, shownNames } = this.#options;
    const shown = gateLine(name, { limit: NAME_SHOWN }).text;
    if (servers.isClosed) {
      return new HostError('connection-closed', `Tool "${shown}" is not called: its host is closed`);
    }
    const former = formerOwnerOf(name);
    const isSignedOut = former && servers.get(former.server)?.status.kind === 'needs-auth';
    if (former && !isSignedOut) {
      return new HostError('unknown-tool', `Tool "${shown}" is gone: server "${former.server}" no longer offers it`, {
        hint: 'Look for another one with ToolSearch',
      });
    }
    return unknownTool(shown, { tools: shownNames(), connections: servers.all() });
  }
}

function toCall(request: ToolRequest, found: FoundCall): BegunCall {
  const { name: calledAs, signal, onProgress, caller, isTyped, shape, keepServerResult } = request;
  const { tool, input, callId, began, timeoutMs } = found;
  const context: CallContext = { callId, signal, onProgress, timeoutMs, caller, keepServerResult };
  const trace: CallTrace = { decision: 'allow', rule: undefined, askedMs: 0, isAllowedByHook: false, mustAsk: false };
  return { tool, input, context, isTyped: isTyped === true, isRaw: shape === 'raw', trace, calledAs, began };
}

interface UnknownCall {
  readonly name: string;
  readonly input: ToolInput;
  readonly callId: string;
  readonly began: number;
}

interface FoundCall extends Omit<UnknownCall, 'name'> {
  readonly tool: Tool;
  readonly timeoutMs: number | undefined;
}

const NAME_SHOWN = 200; // a model may make up any name
