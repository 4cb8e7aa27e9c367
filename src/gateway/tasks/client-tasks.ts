// Tasks: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and SEP-2663 for 2026-07-28
import { isObject, type JsonObject } from '../../base/json.js';
import { Lru } from '../../base/collections/lru.js';
import { shorten } from '../../base/shorten.js';
import { inside } from '../../host/inside.js';
import type { TaskReply, TaskRequest, TaskRequests } from '../../host/requests/task-requests.js';
import type { Server } from '../../host/servers/server.js';
import type { ServerTool } from '../../host/servers/server-tool.js';
import { isTaskOver, makesTasks } from '../../connection/requests/task.js';
import type { Caller } from '../../model/caller.js';
import { type ServerError, toServerError } from '../../model/server-result.js';
import type { Client, ClientRequest } from '../../serving/endpoint.js';
import { hasLegacyTasks } from '../../serving/revision/revisions.js';
import { TASKS_EXTENSION } from '../../wire/eras/envelope.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { MISSING_CAPABILITY } from '../../wire/rpc-codes.js';
import type { CallParts } from '../calls/call-parts.js';
import type { CallingRequest } from '../calls/client-callers.js';
import { nameAskerIn } from '../calls/named-questions.js';
import { refuseDenied } from '../calls/relayed-questions.js';
import { invalidParams, objectParam, OUTCOME, textParam, toRpcFailure, toServerFailure } from '../calls/failures.js';
import { withoutOurs } from '../calls/own-words.js';
import { toHostResult } from '../calls/tool-call.js';
import { UrlVisits } from '../calls/url-visits.js';
import { TaskCall } from './task-call.js';
import type { LiveTask, TaskOutcome } from './live-task.js';
import type { LiveTasks } from './live-tasks.js';
import { toServedTask, withoutRelatedTask, withRelatedTask } from './task-forms.js';
import { type TaskAddress, TaskIds, type TaskSeals } from './task-ids.js';

export interface ClientTasksOptions {
  readonly parts: Omit<CallParts, 'tasks'>;
  readonly seals: TaskSeals;
  readonly live: LiveTasks;
}

/** What is needed of a request about a task. */
export type AskingRequest = CallingRequest & Pick<ClientRequest, 'params' | 'signal'>;

/** A handle that a server has given for a call. */
export interface TaskHandle {
  readonly tool: ServerTool;
  readonly input: JsonObject;
  readonly caller: Caller;
  readonly fields: JsonObject;
}

/** A task that a client asks about. */
interface KnownTask {
  /** As the client knows it. */
  readonly id: string;
  readonly address: TaskAddress;
  /** What is kept of it here: for servers of 2025-11-25, while it is not over. */
  readonly live: LiveTask | undefined;
  readonly caller: Caller;
}

/** The tasks that clients of one address follow, on the servers that have them. */
export class ClientTasks {
  readonly #options: ClientTasksOptions;
  readonly #ids: TaskIds;
  readonly #requests: TaskRequests;
  /** What was called, for hooks that see the result. */
  readonly #inputs = new Lru<JsonObject>(INPUTS);

  constructor(options: ClientTasksOptions) {
    this.#options = options;
    this.#ids = new TaskIds(options.seals);
    this.#requests = options.parts.offering.host[inside].tasks;
  }

  /** A call that may become a task which its client follows; undefined where the client gets the result in any case. */
  begin(request: ClientRequest, { server }: ServerTool): TaskCall | undefined {
    const { client, params } = request;
    if (client.era === 'modern') {
      return declaresTasks(client) && this.#options.live.hasRoom(client.principal)
        ? new TaskCall(request, MODERN_TERMS)
        : undefined;
    }
    const { task } = params;
    if (!isObject(task) || !hasLegacyTasks(client.revision)) return undefined;
    const owner = this.#options.parts.offering.server(server);
    // Who makes no tasks has not said so, and ignores that one is wanted.
    if (!owner || !offersTasks(owner)) return undefined;
    if (!this.#options.live.hasRoom(client.principal)) throw new JsonRpcFailure(REFUSED, 'Too many tasks are running');
    const { ttl } = task;
    return new TaskCall(request, { params: typeof ttl === 'number' ? { ttl } : {} });
  }

  /** The result of a call that has become a task. */
  adopt(begun: TaskCall, { tool: { server, tool }, input, caller, fields }: TaskHandle): JsonObject {
    const { client } = begun;
    const address = { server, owner: client.owner, id: String(fields['taskId']), tool };
    const id = this.#ids.seal(client.principal, address);
    this.#inputs.set(id, input, JSON.stringify(input).length);
    const served = toServedTask(this.#options.parts.clean()(fields), id);
    // A server of 2026-07-28 is asked by every instance; the questions of an older one come to this one.
    if (fields['resultType'] !== 'task') {
      const task = this.#options.live.add({ id, address, client, caller });
      begun.become(task);
      void this.#requests.hold(server, caller).then((line) => task.keep(line));
    }
    return { ...served, ...dated(served), resultType: 'task' };
  }

  /** tasks/get */
  async get(request: AskingRequest): Promise<JsonObject> {
    const task = this.#find(request);
    const { era, result } = await this.#ask(request, task, { method: 'tasks/get' });
    const served = toServedTask(this.#options.parts.clean()(result), task.id);
    if (era === 'modern') {
      const { offering } = this.#options.parts;
      const { server } = task.address;
      refuseDenied(served, { server, offering });
      return this.#withServedResult(request, task, nameAskerIn(served, server, offering));
    }
    if (request.client.era === 'legacy') return served;
    return this.#detailed(request, task, { ...served, ...dated(served) });
  }

  /** tasks/result of a client of 2025-11-25. Questions of the task are asked on this request. */
  async result(request: AskingRequest): Promise<JsonObject> {
    const task = this.#find(request);
    const { id, address, live } = task;
    using _ = live?.await(request);
    const { result } = await this.#ask(request, task, { method: 'tasks/result', timeoutMs: RESULT_MS });
    this.#options.live.end(id);
    return withRelatedTask(await this.#served(request, task, result), address.id, id);
  }

  /** tasks/update */
  async update(request: AskingRequest): Promise<JsonObject> {
    const task = this.#find(request);
    const inputResponses = objectParam(request.params, 'inputResponses');
    // The questions of a server of 2025-11-25 are asked by this program.
    if (task.live) {
      task.live.answer(inputResponses);
      return {};
    }
    const { result } = await this.#ask(request, task, { method: 'tasks/update', inputResponses });
    return withoutTask(result);
  }

  /** tasks/cancel */
  async cancel(request: AskingRequest): Promise<JsonObject> {
    const task = this.#find(request);
    const { result } = await this.#ask(request, task, { method: 'tasks/cancel' });
    this.#options.live.end(task.id);
    if (request.client.era === 'modern') return withoutTask(result);
    return toServedTask(this.#options.parts.clean()(result), task.id);
  }

  /** Whether a client may ask about a task by this id. */
  knows(client: Client, id: string): boolean {
    if (!declaresTasks(client)) return false;
    const address = this.#ids.open(client.principal, id);
    return address !== undefined && this.#options.parts.offering.server(address.server) !== undefined;
  }

  #find(request: AskingRequest): KnownTask {
    const { client, params } = request;
    if (client.era === 'modern' && !declaresTasks(client)) throw missingTasks();
    const id = textParam(params, 'taskId');
    const { parts, live } = this.#options;
    const address = this.#ids.open(client.principal, id);
    if (!address || !parts.offering.server(address.server)) throw invalidParams(`Unknown task: ${shorten(id, 100)}`);
    const known = live.get(id);
    if (known) return { id, address, live: known, caller: known.caller };
    const caller = parts.callers.call(request, new UrlVisits(request, parts.clock));
    return { id, address, live: undefined, caller: { ...caller, lane: address.owner } };
  }

  async #ask(
    { signal }: Pick<ClientRequest, 'signal'>,
    task: KnownTask,
    asked: Pick<TaskRequest, 'method' | 'inputResponses' | 'timeoutMs'>,
  ): Promise<TaskReply> {
    const { address, caller } = task;
    const answered = await this.#requests.ask({ ...asked, server: address.server, id: address.id, caller, signal });
    return this.#replyOf(answered, task);
  }

  #replyOf(answered: TaskOutcome, { address, id }: KnownTask): TaskReply {
    if (answered.ok) return answered;
    const told = toServerError(answered.error);
    if (!told) throw toRpcFailure(answered.error, 'error');
    const { server } = address;
    throw toServerFailure(withId(told, address.id, id), { server, clean: this.#options.parts.clean() });
  }

  /** A task of a server of 2025-11-25 as a modern client knows it: with its result, its error or its questions. */
  async #detailed(request: AskingRequest, task: KnownTask, served: JsonObject): Promise<JsonObject> {
    const { status } = served;
    const { live } = task;
    if (status === 'cancelled') {
      this.#options.live.end(task.id);
      return served;
    }
    if (status !== 'input_required' && !isTaskOver(status)) return served;
    if (!live) {
      if (!isTaskOver(status)) return { ...served, status: 'working' };
      return this.#ended(request, task, { served, outcome: await this.#askResult(task, request.signal) });
    }
    live.begin((signal) => this.#askResult(task, signal));
    do await live.news(request.signal);
    while (isTaskOver(status) && !live.outcome && !request.signal.aborted && !live.inputRequests);
    if (live.outcome) return this.#ended(request, task, { served, outcome: live.outcome });
    const { inputRequests } = live;
    return inputRequests ? { ...served, status: 'input_required', inputRequests } : { ...served, status: 'working' };
  }

  #askResult({ address: { server, id }, caller }: KnownTask, signal: AbortSignal): Promise<TaskOutcome> {
    return this.#requests.ask({ method: 'tasks/result', server, id, caller, signal, timeoutMs: RESULT_MS });
  }

  /** What has become of a task, by the answer to tasks/result. */
  async #ended(request: AskingRequest, task: KnownTask, ended: EndedTask): Promise<JsonObject> {
    const { served, outcome } = ended;
    const told = outcome.ok ? undefined : toServerError(outcome.error);
    if (!outcome.ok && !told) {
      // It may be well: it is asked for again.
      task.live?.forget();
      throw toRpcFailure(outcome.error, 'unknown');
    }
    const { live, parts } = this.#options;
    live.end(task.id);
    if (!outcome.ok) {
      const { server, id } = task.address;
      const said = { server, clean: parts.clean() };
      const { code, message, data } = toServerFailure(withId(told!, id, task.id), said);
      return { ...served, status: 'failed', error: { code, message, ...(data !== undefined && { data }) } };
    }
    const result = withoutRelatedTask(await this.#served(request, task, outcome.result));
    return { ...served, status: 'completed', result: { resultType: 'complete', ...result } };
  }

  /** The result of the tool as clients know it, after what the result of any call goes through. */
  async #served({ client }: AskingRequest, task: KnownTask, result: JsonObject): Promise<JsonObject> {
    const { server, tool } = task.address;
    const { parts } = this.#options;
    const seen = await parts.offering.host[inside].taskResult({
      server,
      tool,
      input: this.#inputs.get(task.id) ?? {},
      callId: task.id.slice(0, CALL_ID_LENGTH),
      caller: task.caller,
      conversation: client.owner,
      result,
    });
    const isChanged = seen.changedByHook === true || !seen.serverResult;
    const own = isChanged ? toHostResult(seen) : parts.uris(server).inContent(parts.clean()(result));
    return { ...own, _meta: { ...withoutOurs(objectOf(own['_meta'])), [OUTCOME]: seen.outcome } };
  }

  async #withServedResult(request: AskingRequest, task: KnownTask, served: JsonObject): Promise<JsonObject> {
    const { result } = served;
    if (!isObject(result)) return served;
    return { ...served, result: { resultType: 'complete', ...(await this.#served(request, task, result)) } };
  }
}

interface EndedTask {
  readonly served: JsonObject;
  readonly outcome: TaskOutcome;
}

/** Whether a client of 2026-07-28 takes a task for the result of a call. */
function declaresTasks({ capabilities: { extensions } }: Client): boolean {
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}

/** Whether a server makes tasks of 2025-11-25. */
export function offersTasks({ catalog: { capabilities } }: Server): boolean {
  return capabilities !== undefined && makesTasks(capabilities);
}

/** https://modelcontextprotocol.io/seps/2663-tasks-extension */
function missingTasks(): JsonRpcFailure {
  return new JsonRpcFailure(MISSING_CAPABILITY, `The client does not declare ${TASKS_EXTENSION}`, {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}

/** An acknowledgement says nothing of the task. */
function withoutTask({ _meta: meta }: JsonObject): JsonObject {
  return isObject(meta) ? { _meta: meta } : {};
}

/** Servers may name the task in their words. */
function withId({ message, ...error }: ServerError, from: string, to: string): ServerError {
  return { ...error, message: from === '' ? message : message.replaceAll(from, to) };
}

/** The times that a task has to have. */
function dated({ createdAt, lastUpdatedAt }: JsonObject): JsonObject {
  if (typeof createdAt === 'string' && typeof lastUpdatedAt === 'string') return {};
  const known = [createdAt, lastUpdatedAt].find((time) => typeof time === 'string') ?? new Date().toISOString();
  return { createdAt: known, lastUpdatedAt: known };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

const MODERN_TERMS = {} as const;
const INPUTS = { count: 1_000, size: 10_000_000 } as const; // characters of JSON
const CALL_ID_LENGTH = 32;
const RESULT_MS = 86_400_000; // ms; as long as the client wants to wait
const REFUSED = -32_000;
