import type { LoadedConfig } from '../../actions/action-place.js';
import { type ModelPort, NO_USAGE, type Said, type Session } from '../../session/index.js';
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { within } from '../../base/within.js';
import { toAgents } from '../input/agents-flag.js';
import type { Invocation } from '../input/arguments.js';
import { mayBypass } from '../input/driver/driver-flags.js';
import { toThinking, tuningFlags } from '../input/driver/tuning-flags.js';
import { toProgramError } from '../fail.js';
import { exitCodes } from '../io.js';
import { loadRun } from '../start/load.js';
import type { RunControl } from '../start/run-control.js';
import { readSessionFlags, type SessionFlags } from '../input/session-flags.js';
import { showLine } from '../../model/show.js';
import { answerRequest } from './control/answer-request.js';
import { checkLate, checkLateHooks, type Initialization, readInitialization } from './control/initialization.js';
import { type ProgramPorts, programPorts } from './control/program-ports.js';
import { toHookLine } from './lines/hook-line.js';
import { openPromptSession, waitForCatalogs } from './open-prompt.js';
import { checkPermissionTool } from './permission-tool.js';
import { openPromptKept, openPromptModel, type PromptRun, takeTurn, withSettings } from './prompt-run.js';
import { LINE_COMMANDS, sayLine } from './say-line.js';
import { StreamInput, type UserLine } from './stream-input.js';
import { StreamSink } from './stream-sink.js';
import { toTurnEnd } from './turn-end.js';
import { TurnRecord } from './turn-record.js';
import { addEndNotes } from './end-notes.js';
import { usageError } from '../input/usage-error.js';
import type { KeptSession } from '../session/resume/open-kept-session.js';

/** A conversation with the program on stdin, up to its end. The first line opens the session: it may bring servers. */
export class StreamRun {
  readonly #run: PromptRun;
  readonly #control: RunControl;
  readonly #input: StreamInput;
  readonly #sink: StreamSink;
  readonly #begun = defer<JsonObject | undefined>();
  readonly #opened = defer<Session>();
  readonly #ending = new AbortController();
  /** Aborts everything: interrupted, timed out, or ended by `#end`. */
  readonly #over: AbortSignal;
  #lost: HostError | undefined;
  #session: Session | undefined;
  #agents: SessionFlags['agents'] = [];
  #ports: ProgramPorts | undefined;
  /** The turn under way. */
  #turn: CurrentTurn | undefined;
  /** Replaces the model at the next turn. */
  #nextModel: ModelPort | undefined;
  #faults = 0;
  #isReceived = false;
  #isBegun = false;
  /** The first turn has waited for the servers. */
  #isChecked = false;
  /** The queued message is not to be answered: an interrupt came before its turn began. */
  #isInterrupted = false;

  constructor(run: PromptRun, control: RunControl) {
    this.#run = run;
    this.#control = control;
    this.#over = AbortSignal.any([run.deadline.signal, this.#ending.signal]);
    this.#input = new StreamInput({
      onRequest: (key, request) => void this.#answer(key, request),
      onFault: (reason) => this.tellFault(reason),
    });
    this.#sink = new StreamSink({
      io: run.io,
      control,
      session: () => this.#session,
      isPartial: run.flags.isPartial,
      isAsked: (callId) => this.#ports?.isAsked(callId) === true,
      lost: (error) => this.#end(error),
    });
  }

  /** Contract of `onOther`: always true, because an unusable line is reported too. */
  take(message: unknown): true {
    const isTaken = this.#input.take(message);
    if (!isTaken || !opens(message)) return true;
    this.#isReceived = true;
    this.#begin(undefined);
    return true;
  }

  end(): void {
    this.#input.end();
    this.#begin(undefined);
  }

  /** Only the first call counts. False: the conversation has begun before. */
  #begin(request: JsonObject | undefined): boolean {
    const isFirst = !this.#isBegun;
    this.#isBegun = true;
    this.#begun.resolve(request);
    return isFirst;
  }

  /** Tells every request that waits for the session why there is none. */
  fail(error: HostError): void {
    this.#opened.reject(error);
  }

  /** Reports an unusable line, at most FAULTS_TOLD times. The conversation goes on. */
  tellFault(reason: string): void {
    if (this.#faults++ >= FAULTS_TOLD) return;
    this.#sink.write({ type: 'system', subtype: 'input_error', message: reason });
    this.#run.notes.push(showLine(`warning: stdin: ${reason}`));
  }

  /** Reports a line that cannot be read. If it is a message of the user, that message has its result. */
  refuseLine(line: string): void {
    const reason = `a line is not a message: ${line}`;
    if (!USER_LINE.test(line)) return this.tellFault(reason);
    this.#isReceived = true;
    this.#input.refuse(reason);
    this.#begin(undefined);
  }

  /** Returns the exit code. Rejects with a HostError when there was no conversation at all. */
  async start(): Promise<number> {
    this.#control.channel?.listen();
    const request = await within(this.#begun.promise, { signal: this.#over, instead: () => undefined });
    // No server is started for a run that is already over.
    if (this.#over.aborted) return await this.#leave(exitCodes.done);
    if (!this.#isReceived) {
      throw usageError('no message came on stdin', {
        hint: 'Write {"type":"user","message":{"role":"user","content":"..."}} to stdin',
      });
    }
    const beginning = readInitialization(request);
    const { loaded, flags } = await this.#read(beginning);
    this.#agents = flags.agents;
    const model = await openPromptModel(this.#run, flags.model);
    await using kept = await openPromptKept({ ...this.#run, loaded });
    const isInitialized = request !== undefined;
    await using session = await this.#open(beginning, { loaded, flags, model, kept, isInitialized });
    this.#session = session;
    const showsHooks = this.#run.invocation.has('include-hook-events');
    using _ = showsHooks ? session.host.on('hook', (run) => this.#sink.write(toHookLine(run))) : undefined;
    this.#opened.resolve(session);
    let exitCode: number = exitCodes.done;
    for (;;) {
      const line = await this.#input.next(this.#over);
      if (!line) break;
      if (line.kind === 'unusable') exitCode = this.#refuse(line.reason);
      else exitCode = await this.#say(session, line, { loaded, flags, isFirst: !this.#isChecked });
    }
    addEndNotes(this.#run.notes, session.host);
    // Awaited here: a rejection would be unhandled for as long as the session closes.
    return await this.#leave(exitCode);
  }

  /** Ends the conversation with this error, such as when stdout has no reader any more. */
  #end(error: HostError): void {
    this.#lost ??= error;
    this.#ending.abort();
  }

  /** Returns the exit code once everything that was written is flushed. */
  async #leave(exitCode: number): Promise<number> {
    const { deadline, io } = this.#run;
    if (this.#lost) throw this.#lost;
    await within(this.#control.channel?.flush() ?? Promise.resolve(), { signal: deadline.signal, instead: () => {} });
    this.#control.check();
    if (!deadline.signal.aborted) return exitCode;
    io.stderr.write(deadline.isTimedOut ? `--timeout ${deadline.timeoutMs} ms is over\n` : '');
    return deadline.isTimedOut ? exitCodes.timedOut : exitCodes.interrupted;
  }

  /** The configuration and the flags, with what the first line adds. */
  async #read(beginning: Initialization): Promise<Opening> {
    const { servers, agents, systemPrompt, appendSystemPrompt, notes } = beginning;
    const { invocation, io, loaded: before } = this.#run;
    // A server of another's by this name must not stand in for the program's own.
    const added = servers.filter((name) => !before.servers.some((server) => isProgramServer(server, name)));
    const loaded = added.length === 0 ? before : await loadRun(withServers(invocation, added), io);
    const flags = withSettings(this.#run, await readSessionFlags(invocation, loaded.context.cwd));
    for (const note of notes) this.#note(note);
    const told = [flags.appendSystemPrompt ?? '', appendSystemPrompt].filter((text) => text !== '').join('\n\n');
    const brought = agents ? toAgents(agents) : [];
    const names = new Set(brought.map(({ name }) => name));
    return {
      loaded,
      flags: {
        ...flags,
        systemPrompt: systemPrompt ?? flags.systemPrompt,
        appendSystemPrompt: told === '' ? undefined : told,
        agents: [...brought, ...flags.agents.filter(({ name }) => !names.has(name))],
      },
    };
  }

  #open({ hooks }: Initialization, { loaded, flags, model, kept, isInitialized }: OpeningSession): Promise<Session> {
    const { io, deadline, notes } = this.#run;
    const program = programPorts({
      channel: this.#control.channel!,
      permissionTool: this.#run.flags.permissionTool,
      mayBypass: mayBypass(this.#run.invocation),
      hooks,
      isInitialized,
      host: () => this.#session?.host,
      stop: (reason) => this.#stop(reason),
      onNote: (note) => this.#note(note),
    });
    this.#ports = program;
    return openPromptSession({
      io,
      loaded,
      flags,
      model,
      kept,
      control: this.#control,
      deadline,
      notes,
      ports: program.ports,
      hookCallbacks: program.hookCallbacks,
      watches: true,
      onEvent: (event) => {
        this.#turn?.record.take(event);
        this.#sink.event(event);
      },
    });
  }

  async #check({ host }: Session, signal: AbortSignal): Promise<void> {
    const { io, flags } = this.#run;
    await waitForCatalogs(host, { io, signal });
    const { permissionTool: tool } = flags;
    if (tool !== undefined && tool !== 'stdio') await checkPermissionTool(host, tool);
  }

  /** The result of a message that no model gets. */
  #refuse(reason: string): number {
    const error = new HostError('usage', `The message cannot be used: ${reason}`);
    const said: Said = { kind: 'not-sent', error, notes: [] };
    const record = new TurnRecord(() => performance.now());
    this.#sink.end(toTurnEnd({ said, record, ms: 0, usage: NO_USAGE, explain: () => error }));
    return exitCodes.failed;
  }

  async #say(session: Session, line: UserLine, { loaded, flags, isFirst }: Beginning): Promise<number> {
    const stop = new AbortController();
    const record = new TurnRecord(() => performance.now());
    const current: CurrentTurn = { stop, record };
    this.#turn = current;
    if (this.#nextModel) session.useModel(this.#nextModel);
    this.#nextModel = undefined;
    const signal = AbortSignal.any([this.#over, stop.signal]);
    if (this.#isInterrupted) stop.abort();
    this.#isInterrupted = false;
    this.#isChecked = true;
    if (isFirst) await this.#check(session, signal);
    await this.#sink.begin({ cwd: loaded.context.cwd, agents: flags.agents, commands: LINE_COMMANDS });
    const say = (): Promise<Said> => sayLine(session, line, signal);
    const turn = await takeTurn(this.#run, { session, record, say, stopped: () => this.#lost ?? current.stopped });
    this.#turn = undefined;
    this.#sink.end(turn);
    // Denied calls are listed in the result line, so the exit code need not report them.
    return turn.error || turn.incompleteAnswer ? exitCodes.failed : exitCodes.done;
  }

  #stop(reason: HostError): void {
    if (!this.#turn) return;
    this.#turn.stopped = reason;
    this.#turn.stop.abort();
  }

  /** Stops the current turn, or the queued message that no turn has taken yet. */
  #interrupt(cancelsQueued: boolean): object {
    if (this.#turn) this.#turn.stop.abort();
    else if (!cancelsQueued) this.#isInterrupted = this.#input.isWaiting;
    const cancelled = cancelsQueued ? this.#input.drop() : undefined;
    return { still_queued: this.#input.waiting, ...(cancelled && { cancelled }) };
  }

  /** A line for stderr at the end, once. */
  #note(text: string): void {
    const note = `note: ${showLine(text)}`;
    const { notes } = this.#run;
    // A program gives the same option by a flag and by `initialize`: both have the same reason.
    const [reason] = / has no effect: .*$/u.exec(note) ?? [note];
    if (notes.length < NOTES && !notes.some((one) => one.endsWith(reason))) notes.push(note);
  }

  /** Ends the conversation when hooks come too late: nothing must run that they were to stop. Throws a HostError. */
  #checkHooks(request: JsonObject): void {
    try {
      checkLateHooks(request);
    } catch (cause) {
      this.#end(toProgramError(cause));
      throw cause;
    }
  }

  async #answer(key: unknown, request: JsonObject): Promise<void> {
    const isRepeated = request['subtype'] === 'initialize' && !this.#begin(request);
    const { channel } = this.#control;
    const { invocation, loaded, io } = this.#run;
    try {
      if (isRepeated) this.#checkHooks(request);
      if (isRepeated) checkLate(request, await this.#opened.promise);
      const response = await answerRequest(request, {
        session: () => this.#opened.promise,
        agents: () => this.#agents,
        cwd: loaded.context.cwd,
        mayBypass: mayBypass(invocation),
        useModel: async (name) => {
          await this.#opened.promise;
          this.#nextModel = await openPromptModel(this.#run, name);
        },
        useThinking: async (most) => {
          const model = this.#nextModel ?? (await this.#opened.promise).model;
          if (!model?.tuned) throw new HostError('unsupported', 'how much this model thinks cannot be changed');
          this.#nextModel = model.tuned({ ...tuningFlags(invocation), thinking: toThinking(most) });
        },
        interrupt: (cancelsQueued) => this.#interrupt(cancelsQueued),
        onMode: () => this.#session && this.#sink.mode(this.#session.host),
        waitForServers: (host) => waitForCatalogs(host, { io, signal: this.#over }),
      });
      channel?.reply(key, { response });
    } catch (cause) {
      const { message, code } = toProgramError(cause);
      channel?.reply(key, { error: message, ...(code === 'unsupported' && { error_code: 'unsupported_request' }) });
    }
  }
}

interface CurrentTurn {
  readonly stop: AbortController;
  readonly record: TurnRecord;
  /** Why the turn was stopped, unless the program asked for it. */
  stopped?: HostError;
}

interface Opening {
  readonly loaded: LoadedConfig;
  readonly flags: SessionFlags;
}

interface OpeningSession extends Opening {
  readonly model: ModelPort;
  readonly kept: KeptSession;
  /** The program has sent `initialize`: it knows the questions that it may be asked. */
  readonly isInitialized: boolean;
}

interface Beginning extends Opening {
  readonly isFirst: boolean;
}

/** Whether this line opens a session. */
function opens(message: unknown): boolean {
  const { type, request } = isObject(message) ? message : {};
  if (type === 'control_request') return isObject(request) && request['subtype'] !== 'interrupt';
  return type === 'user';
}

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: HostError) => void;
}

function defer<Value>(): Deferred<Value> {
  let settle: Pick<Deferred<Value>, 'resolve' | 'reject'>;
  const promise = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }));
  promise.catch(() => {}); // callers that await it get the rejection
  return { promise, resolve: (value) => settle.resolve(value), reject: (error) => settle.reject(error) };
}

/** Whether this is the server that the program on stdin serves under this name, as a flag gave it. */
function isProgramServer({ name: own, scope, written }: LoadedConfig['servers'][number], name: string): boolean {
  return own === name && scope === 'dynamic' && written?.['type'] === 'sdk';
}

/** The invocation with servers that the program on stdin serves. The last `--mcp-config` is stronger than all else. */
function withServers(invocation: Invocation, names: readonly string[]): Invocation {
  const mcpServers = Object.fromEntries(names.map((name) => [name, { type: 'sdk', name }]));
  const added = JSON.stringify({ mcpServers });
  return {
    ...invocation,
    values: (option) => [...invocation.values(option), ...(option === 'mcp-config' ? [added] : [])],
  };
}

/** A user message at the start of a line that may be cut, or behind the words on what is wrong with the line. */
const USER_LINE = /^(?:it [^{]{1,100}: )?\{\s{0,8}"type"\s{0,8}:\s{0,8}"user"/u;
const FAULTS_TOLD = 20;
const NOTES = 100;
