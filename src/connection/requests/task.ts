// Tasks: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and SEP-2663 for 2026-07-28
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { pause } from '../../base/pause.js';
import { gateText } from '../../model/text/text-gate.js';
import { badResponse, type ResponseContext, readResponse } from '../../wire/response.js';
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';

/** A call that continues on the server after its response. */
export interface Task {
  readonly id: string;
  readonly status: string;
  /** The other fields: poll interval, status message, result. */
  readonly fields: JsonObject;
}

/** Whether a server of the legacy era makes tasks of calls of tools, by its capabilities. */
export function makesTasks({ tasks }: JsonObject): boolean {
  const { requests } = isObject(tasks) ? tasks : ({} as JsonObject);
  const { tools } = isObject(requests) ? requests : ({} as JsonObject);
  return isObject(tools) && isObject(tools['call']);
}

/** Whether a tool of the legacy era can only be called as a task. */
export function isTaskOnly({ execution }: JsonObject, capabilities: JsonObject): boolean {
  return isObject(execution) && execution['taskSupport'] === 'required' && makesTasks(capabilities);
}

/** The fields of the task that a result is the handle of, as the server sent them; undefined for an ordinary result. */
export function taskFields(answer: JsonObject): JsonObject | undefined {
  const { task, resultType, content } = answer;
  if (resultType === 'task') return answer;
  // Some servers have no result of a tool without content.
  const isEmpty = content === undefined || (Array.isArray(content) && content.length === 0);
  return isObject(task) && isEmpty ? task : undefined;
}

/** The task that a result is the handle of; undefined for an ordinary result. Throws when the handle is malformed. */
export function readTask(answer: JsonObject, question: ResponseContext): Task | undefined {
  const fields = taskFields(answer);
  const found = fields && toTask(fields);
  if (fields && !found) throw badResponse(question, 'it is a task without an id or a status');
  return found;
}

/** Whether a task with this status does nothing any more. */
export function isTaskOver(status: unknown): boolean {
  return typeof status === 'string' && TERMINAL.has(status);
}

function toTask(fields: JsonObject): Task | undefined {
  const { taskId: id, status } = fields;
  if (typeof id !== 'string' || id === '' || id.length > ID_LIMIT || typeof status !== 'string') return undefined;
  return { id, status, fields };
}

/**
 * Polls a task at the interval that the server asks for, and returns its result. Cancels the task when the signal
 * aborts or the deadline passes.
 */
export async function followTask(
  connection: Connection,
  task: Task,
  { passedMs, ...options }: CallOptions & { readonly passedMs: number },
): Promise<JsonObject> {
  const { timeoutMs = TASK_MS } = options;
  const watcher = new TaskWatcher(connection, { ...options, timeoutMs }, passedMs);
  try {
    return await watcher.follow(task);
  } catch (error) {
    if (!watcher.isTerminal && !connection.peer.isClosed) await cancel(connection, task, options);
    throw error;
  } finally {
    connection.peer.endTask(task.id);
  }
}

/** The server may ignore this. Awaited, because a caller that gives up often closes the connection next. */
async function cancel({ session }: Connection, { id }: Task, { owner }: CallOptions): Promise<void> {
  try {
    await session.request('tasks/cancel', { taskId: id }, { timeoutMs: CANCEL_MS, owner });
  } catch {
    // A failed cancellation is not retried.
  }
}

class TaskWatcher {
  /** The task has completed, failed or was cancelled. */
  isTerminal = false;
  readonly #link: Connection;
  readonly #options: CallOptions & { readonly timeoutMs: number };
  /** On the monotonic clock; extended by the time that a user takes to answer. */
  #deadline: number;
  readonly #answered = new Set<string>();
  #polls = 0;
  #failures = 0;

  constructor(connection: Connection, options: CallOptions & { readonly timeoutMs: number }, passedMs: number) {
    this.#link = connection;
    this.#options = options;
    this.#deadline = connection.peer.clock.monotonic() + options.timeoutMs - passedMs;
  }

  async follow(first: Task): Promise<JsonObject> {
    for (let task = first; ; task = await this.#poll(task)) {
      this.#tell(task);
      this.isTerminal = TERMINAL.has(task.status);
      switch (task.status) {
        case 'completed':
          return this.#result(task);
        case 'failed':
          return this.#failure(task);
        case 'cancelled':
          throw new HostError('server-error', `Server "${this.#link.name}" cancelled its task${why(task)}`);
        case 'input_required':
          if (this.#link.session.era === 'legacy') return this.#outcome(task);
          await this.#answer(task);
          break;
        case 'working':
        case 'submitted':
          break;
        default:
          throw this.#unusable('tasks/get', 'it has a status that is none');
      }
    }
  }

  /** The legacy era requests a task's result separately; the request waits, and the server may elicit meanwhile. */
  #outcome({ id }: Task): Promise<JsonObject> {
    return this.#requestWithRetries('tasks/result', { taskId: id }, true);
  }

  #result(task: Task): Promise<JsonObject> | JsonObject {
    if (this.#link.session.era === 'legacy') return this.#outcome(task);
    const { result } = task.fields;
    const type = isObject(result) ? result['resultType'] : undefined;
    if (isObject(result) && (type === undefined || type === 'complete')) return result;
    throw this.#unusable('tasks/get', 'the task is complete and has no result');
  }

  #failure(task: Task): Promise<JsonObject> {
    if (this.#link.session.era === 'legacy') return this.#outcome(task);
    const { error } = task.fields;
    const { name: server, redact } = this.#link;
    const question = { server, method: 'tools/call', redact };
    const told = readResponse({ jsonrpc: '2.0', error: error ?? { message: `its task failed${why(task)}` } }, question);
    throw told;
  }

  /** Answers each input request once, however often the task repeats it. */
  async #answer({ id, fields }: Task): Promise<void> {
    const { session } = this.#link;
    const { inputRequests } = fields;
    const open = Object.entries(isObject(inputRequests) ? inputRequests : {}).filter(
      ([key]) => !this.#answered.has(key),
    );
    if (open.length === 0) return;
    if (this.#answered.size + open.length > QUESTIONS) throw this.#unusable('tasks/get', 'it asks for ever');
    for (const [key] of open) this.#answered.add(key);
    const { clock } = this.#link.peer;
    const asked = clock.monotonic();
    const inputResponses = await session.answerInputs(Object.fromEntries(open), this.#options);
    // The user's time to answer does not count against the server's timeout.
    this.#deadline += clock.monotonic() - asked;
    await this.#requestWithRetries('tasks/update', { taskId: id, inputResponses });
  }

  async #poll({ id, fields }: Task): Promise<Task> {
    const interval = fields['pollIntervalMs'] ?? fields['pollInterval'];
    const wanted = typeof interval === 'number' && interval >= 0 ? Math.max(interval, FASTEST) : USUAL_INTERVAL;
    await this.#wait(Math.max(Math.min(wanted * 2 ** this.#failures, SLOWEST, this.#left()), 0));
    if (this.#left() <= 0) throw this.#timeoutError();
    this.#polls++;
    try {
      // The response may carry the result, and be large: `#ask` passes the spill store.
      const task = toTask(await this.#ask('tasks/get', { taskId: id }));
      if (task?.id !== id) throw this.#unusable('tasks/get', 'it is about no task, or another one');
      this.#failures = 0;
      return task;
    } catch (error) {
      if (this.#left() <= 0 && isPassing(error)) throw this.#timeoutError();
      // The task continues while the network fails: a lost poll is no reason to give it up.
      if (!isPassing(error) || ++this.#failures > LOST_POLLS) throw error;
      return { id, status: 'working', fields };
    }
  }

  /** Retries requests that are safe to repeat while the network fails, so that the user's answers are not lost. */
  async #requestWithRetries(method: string, params: object, isLong = false): Promise<JsonObject> {
    for (let failures = 0; ; failures++) {
      try {
        return await this.#ask(method, params, isLong);
      } catch (error) {
        if (!isPassing(error) || failures >= LOST_POLLS || this.#left() <= 0) throw error;
        await this.#wait(Math.min(USUAL_INTERVAL * 2 ** failures, this.#left()));
      }
    }
  }

  async #wait(waitMs: number): Promise<void> {
    const { peer } = this.#link;
    await peer.within(pause(waitMs, peer), 'tools/call', { signal: this.#options.signal, timeoutMs: waitMs + GRACE });
  }

  #tell({ fields }: Task): void {
    const { statusMessage } = fields;
    const message = typeof statusMessage === 'string' ? { message: gateText(statusMessage, { limit: 200 }).text } : {};
    try {
      this.#options.onProgress?.({ progress: this.#polls, ...message });
    } catch {
      // An error of an embedder's callback must not end the task.
    }
  }

  #ask(method: string, params: object, isLong = false): Promise<JsonObject> {
    const { signal, spill, owner } = this.#options;
    const timeoutMs = Math.max(Math.min(this.#left(), isLong ? Infinity : POLL_MS), 1);
    return this.#link.session.request(method, params, { signal, timeoutMs, spill, owner });
  }

  #left(): number {
    return Math.ceil(this.#deadline - this.#link.peer.clock.monotonic());
  }

  #timeoutError(): HostError {
    const { name } = this.#link;
    const text = `The task of server "${name}" was not done within ${this.#options.timeoutMs} ms`;
    return new HostError('call-timeout', text, {
      hint: 'Give it more time with --timeout MS or "timeout" in its entry',
    });
  }

  #unusable(method: string, reason: string): HostError {
    return badResponse({ server: this.#link.name, method }, reason);
  }
}

/** A longer id of a task is none. */
export const ID_LIMIT = 1_000; // characters
const USUAL_INTERVAL = 1_000;
const FASTEST = 50; // lower bound, whatever interval the server asks for
const SLOWEST = 60_000;
const TASK_MS = 3_600_000; // when the caller gives no timeout
const POLL_MS = 60_000;
const CANCEL_MS = 500;
const LOST_POLLS = 4;
const GRACE = 1_000; // ms beyond the pause, so that the pause ends before the timeout of `within`
const QUESTIONS = 100;

function isPassing(error: unknown): boolean {
  return error instanceof HostError && PASSING.has(error.code);
}

const PASSING: ReadonlySet<string> = new Set(['http-failed', 'connect-failed', 'call-timeout']);
const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

function why({ fields }: Task): string {
  const { statusMessage } = fields;
  return typeof statusMessage === 'string' ? `: ${gateText(statusMessage, { limit: 300 }).text}` : '';
}
