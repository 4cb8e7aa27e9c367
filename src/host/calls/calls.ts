import { attempt } from '../../base/attempt.js';
import { callback, milliseconds, textOption, wrongOption } from '../../base/check-options.js';
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { thrownText } from '../../base/thrown-text.js';
import { allowListeners } from '../../edge/allow-listeners.js';
import { randomHex } from '../../edge/random-hex.js';
import type { Clock } from '../../model/clock.js';
import type { CallContext, Tool, ToolInput, ToolResult } from '../../model/tool.js';
import { gateLine } from '../../model/text/text-gate.js';
import { SKILL_TOOL } from '../../model/view/skill-names.js';
import { CALL_BY_NAME, unwrapCall } from '../../tools/call-by-name.js';
import { READ_RESOURCE } from '../../tools/read-resource.js';
import { timeLeftMs } from '../../wire/deadline.js';
import type { CallResult, ToolRequest } from '../host-options.js';
import { resultInOptionWords } from '../options/option-words.js';
import { composeSteps, type NextStep, type CallStep, newTrace, type ToolCall } from './pipeline.js';
import { failed, refusedResult } from '../../model/failed-result.js';
import type { Servers } from '../servers/servers.js';
import type { unknownLine } from './call-record.js';
import { unknownTool } from '../tools/unknown-tool.js';
import { waitForCatalogsOf, serversWithoutCatalog } from './wait-for-catalog.js';

export interface CallsOptions {
  readonly clock: Clock;
  readonly servers: Servers;
  /** Finds the tool that a model knows by this name: built-in, the embedder's, or a server's. */
  readonly lookup: (name: string) => Tool | undefined;
  /** The tool that reads resources of this server. */
  readonly readerOf: (server: string) => Tool | undefined;
  /** The call of a server that `Skill` means with this input. */
  readonly skillCall: (input: ToolInput) => { readonly tool: Tool; readonly input: ToolInput } | undefined;
  /** All steps of a call, outermost first. */
  readonly steps: readonly CallStep[];
  /** The steps of a completion: nobody is asked. */
  readonly completionSteps: readonly CallStep[];
  /** The steps of a list: nobody is asked, no hook is run, and the ledger gets no line. */
  readonly listSteps: readonly CallStep[];
  /** The server of a tool that a model was shown and that no longer exists. */
  readonly formerOwnerOf: (name: string) => { readonly server: string } | undefined;
  /** Names of the tools that a model may see. */
  readonly shownNames: () => readonly string[];
  /** Whether no rule denies a tool. */
  readonly isPermitted: (tool: Tool) => boolean;
  /** Whether errors name flags and commands; otherwise options and methods of the library. */
  readonly isCommandLine: boolean;
  /** Called for every call that reaches no tool. Contract: must not throw. */
  readonly onUnknown: ReturnType<typeof unknownLine>;
  /** Called for every call that has ended, also for one that was not made. `ms`: how long it took. */
  readonly onEnd: (call: ToolCall, result: ToolResult, ms: number) => void;
}

/** Which steps a request goes through: all, or those of a completion or a list. */
export type StepsOf = 'call' | 'completion' | 'list';

/** A call whose tool was found. */
export interface BegunCall extends ToolCall {
  readonly calledAs: string;
}

/** Makes a tool call of a request, and a `CallResult` of the tool's result. Every call of a host goes through here. */
export class Calls {
  /** Runs all steps around a tool. Contract: never rejects, unless something that an embedder passed in throws. */
  readonly run: NextStep;
  readonly #options: CallsOptions;
  readonly #signals = new WeakSet<AbortSignal>();
  readonly #runs: Readonly<Record<StepsOf, NextStep>>;
  readonly #prefix = randomHex(4);
  #count = 0;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.run = composeSteps(options.steps);
    const { completionSteps, listSteps } = options;
    this.#runs = { call: this.run, completion: composeSteps(completionSteps), list: composeSteps(listSteps) };
  }

  /** Returns the call; for an unknown name the result, after waiting for servers that have not listed their tools. */
  begin(request: ToolRequest): BegunCall | Promise<CallResult> {
    const { tool, name, input } = this.resolve(request);
    const began = this.#options.clock.monotonic();
    const { callId = this.#nextId(), signal } = request;
    // A client's call has a signal of its own, which few listen to.
    if (signal && request.caller?.group === undefined && !this.#signals.has(signal)) {
      this.#signals.add(signal);
      allowListeners(signal);
    }
    if (!tool) return this.#callLater(request, { name, input, callId, began });
    return toCall(request, { tool, input, callId, began, timeoutMs: request.timeoutMs });
  }

  /** The tool and the input that a request means: `CallMcpTool`, `ReadMcpResource` and `Skill` name another one. */
  resolve(request: Pick<ToolRequest, 'name' | 'input'>): ResolvedCall {
    const { name: given } = request;
    if (WRAPPERS.has(given)) return this.#resolveWrapped(request);
    // Callers may pass values of wrong types. The step `input` refuses what is no object.
    const name = typeof given === 'string' ? given : '';
    return { tool: this.#options.lookup(name), name, input: (request.input ?? {}) as ToolInput };
  }

  #resolveWrapped(request: Pick<ToolRequest, 'name' | 'input'>): ResolvedCall {
    const { name, input } = this.#toMeant(request);
    const skill = this.#skill(name, input);
    if (skill) return { ...skill, name };
    return { tool: this.#reader(name, input) ?? this.#options.lookup(name), name, input };
  }

  /** Ends a call. Never throws, although an object that an embedder passed in may. */
  end(call: BegunCall, result: ToolResult): CallResult {
    const ms = this.#passed(call);
    try {
      this.#options.onEnd(call, result, ms);
      return this.#toCallResult(call, result, ms);
    } catch (cause) {
      const { calledAs, input, context } = call;
      return this.broken({ name: calledAs, input, callId: context.callId }, cause);
    }
  }

  #passed({ began }: BegunCall): number {
    return Math.round(this.#options.clock.monotonic() - began);
  }

  #toCallResult(
    { tool, calledAs, context: { callId }, trace: { askedMs } }: BegunCall,
    result: ToolResult,
    ms: number,
  ): CallResult {
    const told = this.#tell(result);
    const { name, server } = tool;
    return askedMs > 0
      ? { name, calledAs, server, tool: tool.tool, callId, ms, askedMs, ...told }
      : { name, calledAs, server, tool: tool.tool, callId, ms, ...told };
  }

  /** The result of a request that is none: nothing was called. */
  refused(request: unknown): CallResult | undefined {
    const error = whyNoRequest(request);
    if (!error) return undefined;
    const { name, callId } = textsOf(request);
    const none = { server: undefined, tool: undefined };
    return { name, calledAs: name, ...none, callId: callId ?? this.#nextId(), ms: 0, ...refusedResult(error) };
  }

  /** The result of a request that cannot be read: a getter of it threw, or it is a Proxy. Nothing was called. */
  unreadable(request: unknown, cause: unknown): CallResult {
    return this.#thrown(request, 'error', cause);
  }

  /** The result of a call that threw. No step throws, but a getter of an object that an embedder passed in may. */
  broken(request: unknown, cause: unknown): CallResult {
    // What cannot be written as JSON was not sent.
    const isSendable = attempt(() => JSON.stringify((request as Partial<ToolRequest>).input) ?? '') !== undefined;
    return this.#thrown(request, isSendable ? 'unknown' : 'error', cause);
  }

  #thrown(request: unknown, outcome: 'error' | 'unknown', cause: unknown): CallResult {
    const { name, callId } = textsOf(request);
    const error = new HostError('internal', `The call of ${name} failed inside Plugboard: ${thrownText(cause)}`, {
      hint: 'Look at its input: reading it may be what throws',
      cause,
    });
    const none = { server: undefined, tool: undefined };
    return { name, calledAs: name, ...none, callId: callId ?? this.#nextId(), ms: 0, ...failed(outcome, error, 0) };
  }

  /** Calls a tool that was not looked up by its name. Never rejects. */
  async callTool(
    tool: Tool,
    {
      input = {},
      callId = this.#nextId(),
      ...rest
    }: Omit<ToolRequest, 'name' | 'input'> & { readonly input?: ToolInput },
    steps: StepsOf = 'call',
  ): Promise<CallResult> {
    const request = { name: tool.name, ...rest };
    const began = this.#options.clock.monotonic();
    const call = toCall(request, { tool, input, callId, began, timeoutMs: rest.timeoutMs });
    return this.#finish(request, call, steps);
  }

  /** Whether a request only reads, so that other calls may run beside it. */
  isReading(request: ToolRequest): boolean {
    const readOnly = (): boolean | undefined =>
      isObject(request) ? this.#options.lookup(this.#toMeant(request).name)?.hints.readOnly : false;
    return attempt(readOnly) === true;
  }

  async #finish(request: ToolRequest, call: BegunCall, steps: StepsOf = 'call'): Promise<CallResult> {
    try {
      const result = await this.#runs[steps](call);
      return steps === 'list' ? this.#toCallResult(call, result, this.#passed(call)) : this.end(call, result);
    } catch (cause) {
      return this.broken(request, cause);
    }
  }

  #tell(result: ToolResult): ToolResult {
    return result.error === undefined || this.#options.isCommandLine ? result : resultInOptionWords(result);
  }

  #nextId(): string {
    return `${this.#prefix}-${++this.#count}`;
  }

  /**
   * The named server's reader for a `ReadMcpResource` call. A rule that denies `ReadMcpResource` denies all servers.
   */
  #reader(name: string, { server, uri }: ToolInput): Tool | undefined {
    if (name !== READ_RESOURCE || typeof server !== 'string' || typeof uri !== 'string') return undefined;
    const { lookup, isPermitted, readerOf } = this.#options;
    const wrapper = lookup(READ_RESOURCE);
    return wrapper && !isPermitted(wrapper) ? undefined : readerOf(server);
  }

  /** The call of a server's reader for a `Skill` call. A rule that denies `Skill` denies all servers. */
  #skill(name: string, input: ToolInput): ReturnType<CallsOptions['skillCall']> {
    if (name !== SKILL_TOOL) return undefined;
    const { lookup, isPermitted, skillCall } = this.#options;
    const wrapper = lookup(SKILL_TOOL);
    return wrapper && !isPermitted(wrapper) ? undefined : skillCall(input);
  }

  /** Handles a name that no known tool has: looks again after servers have listed their tools. */
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
    return {
      name,
      calledAs: request.name,
      server: undefined,
      tool: undefined,
      callId,
      ms,
      ...this.#tell(refusedResult(error)),
    };
  }

  /** Starts and waits for servers that may have this tool and have not listed any. Returns the error if they do not. */
  async #discover(name: string, { timeoutMs, signal }: ToolRequest): Promise<HostError | undefined> {
    const { clock, servers } = this.#options;
    await servers.configured();
    const unasked = serversWithoutCatalog(servers.all(), name, 'tools');
    const [first] = unasked;
    if (!first) return undefined;
    for (const server of unasked) if (server.status.kind === 'idle') server.start('use');
    return waitForCatalogsOf(unasked, { kind: 'tools', clock, timeoutMs: timeoutMs ?? first.callTimeoutMs, signal });
  }

  /** The tool name and input that a request means, `CallMcpTool` unwrapped. */
  #toMeant({ name, input: wanted }: Pick<ToolRequest, 'name' | 'input'>): {
    readonly name: string;
    readonly input: ToolInput;
  } {
    const input = (wanted ?? {}) as ToolInput;
    const meant = unwrapCall(name, input);
    const { lookup, isPermitted } = this.#options;
    // A rule that denies `CallMcpTool` denies every call that is made through it.
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

/** What can be read of a request that is refused: its name, for a message, and its id. */
function textsOf(request: unknown): { readonly name: string; readonly callId: string | undefined } {
  const read = (field: 'name' | 'callId'): unknown => attempt(() => (isObject(request) ? request[field] : undefined));
  const [name, callId] = [read('name'), read('callId')];
  return {
    name: typeof name === 'string' ? gateLine(name, { limit: NAME_SHOWN }).text : '',
    callId: typeof callId === 'string' ? callId : undefined,
  };
}

/** Why a request cannot be made, whatever tools there are. */
function whyNoRequest(request: unknown): HostError | undefined {
  return isOrdinary(request) ? undefined : whyUnusual(request);
}

/** Whether a request has a name, an object as input, and nothing else that could be of a wrong type. */
function isOrdinary(request: unknown): boolean {
  if (!isObject(request)) return false;
  const { name, input, callId, conversation, signal, timeoutMs, onProgress } = request as {
    readonly [Field in keyof ToolRequest]: unknown;
  };
  return (
    typeof name === 'string' &&
    typeof input === 'object' &&
    callId === undefined &&
    conversation === undefined &&
    signal === undefined &&
    timeoutMs === undefined &&
    onProgress === undefined &&
    isObject(input)
  );
}

function whyUnusual(request: unknown): HostError | undefined {
  const hint = 'Write host.call({ name: "mcp__server__tool", input: { ... } })';
  if (!isObject(request)) {
    const what = request === null ? 'null' : Array.isArray(request) ? 'a list' : typeof request;
    return new HostError('usage', `A call has to be an object with the name of a tool; it is ${what}`, { hint });
  }
  const { name, input, isTyped, callId, conversation, signal, timeoutMs, onProgress } = request as {
    readonly [Field in keyof ToolRequest]: unknown;
  };
  // What a model wrote is refused with the tool's schema; what is forced would pass that check.
  if (typeof name === 'string' && isTyped === true && input !== undefined && !isObject(input))
    return new HostError(
      'bad-input',
      `The input of ${gateLine(name, { limit: NAME_SHOWN }).text} has to be an object`,
      { hint },
    );
  try {
    if (callId !== undefined) textOption(callId, 'callId');
    if (conversation !== undefined) textOption(conversation, 'conversation');
    if (timeoutMs !== undefined) milliseconds(timeoutMs, 'timeoutMs');
    if (onProgress !== undefined) callback(onProgress, 'onProgress');
    if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrongOption('signal', 'an AbortSignal', signal);
    return undefined;
  } catch (error) {
    return error as HostError;
  }
}

function toCall(request: ToolRequest, found: FoundCall): BegunCall {
  const { name: calledAs, signal, onProgress, caller, conversation, isUnread, ask, shape, keepServerResult } = request;
  // Both are read here: a getter of an embedder's object that throws has to throw before anything is sent.
  const { isTyped: wasTyped, isForced: wasForced, isExact } = request;
  const isTyped = wasTyped === true;
  const isForced = isExact === true || (isTyped && wasForced === true);
  const { tool, input, callId, began, timeoutMs } = found;
  const { relay, task, meta, logLevel, isInMemory } = request;
  // Few calls have any of these: the context of others is no larger for them. Not by a spread, which takes longer.
  const isPlain = !relay && !task && !meta && logLevel === undefined && isInMemory === undefined;
  // prettier-ignore
  const context: CallContext = isPlain
    ? { callId, signal, onProgress, timeoutMs, caller, conversation, isUnread, keepServerResult }
    : { callId, signal, onProgress, timeoutMs, caller, conversation, isUnread, keepServerResult, relay, task, meta, logLevel, isInMemory };
  return { tool, input, context, isTyped, isForced, ask, isRaw: shape === 'raw', trace: newTrace(), calledAs, began };
}

interface ResolvedCall {
  readonly tool: Tool | undefined;
  readonly name: string;
  readonly input: ToolInput;
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

/** Tools whose calls mean another tool, by name. */
const WRAPPERS: ReadonlySet<unknown> = new Set([CALL_BY_NAME, READ_RESOURCE, SKILL_TOOL]);
const NAME_SHOWN = 200; // a model may invent a name of any length
