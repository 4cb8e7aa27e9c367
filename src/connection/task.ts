// Tasks: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and SEP-2663 for 2026-07-28
import { HostError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { gateText } from '../model/text-gate.js';
import { badAnswer, readAnswer } from '../wire/answer.js';
import { timeLeft } from '../wire/eras/time-left.js';
import type { JsonObject } from '../wire/message.js';
import type { CallOptions } from '../wire/peer.js';
import type { Connection } from './connect.js';

/** A call that the server goes on with by itself. */
export interface Task {
  readonly id: string;
  readonly status: string;
  /** What else it says: when to ask again, what it is doing, what came of it. */
  readonly said: JsonObject;
}

/** Whether a legacy tool refuses to be called in any other way. */
export function isTaskOnly({ execution }: JsonObject, { tasks }: JsonObject): boolean {
  const { requests } = isObject(tasks) ? tasks : ({} as JsonObject);
  const { tools } = isObject(requests) ? requests : ({} as JsonObject);
  return isObject(execution) && execution['taskSupport'] === 'required' && isObject(tools) && isObject(tools['call']);
}

/** The task that an answer is the handle of; undefined for an answer that is one itself. */
export function readTask(answer: JsonObject): Task | undefined {
  const { task, resultType } = answer;
  return resultType === 'task'
    ? toTask(answer)
    : isObject(task) && answer['content'] === undefined
      ? toTask(task)
      : undefined;
}

function toTask(said: JsonObject): Task | undefined {
  const { taskId: id, status } = said;
  if (typeof id !== 'string' || id === '' || id.length > ID_LIMIT || typeof status !== 'string') return undefined;
  return { id, status, said };
}

/**
 * Waits for a task, at the pace that the server asks for, and gives its result. Whoever stops waiting, by a signal or because
 * time is up, has it cancelled.
 */
export async function followTask(connection: Connection, task: Task, options: CallOptions): Promise<JsonObject> {
  const watcher = new TaskWatcher(connection, { ...options, timeoutMs: options.timeoutMs ?? TASK_MS });
  try {
    return await watcher.follow(task);
  } catch (error) {
    const isOver = error instanceof HostError && (error.code === 'cancelled' || error.code === 'call-timeout');
    // The server may go on all the same; nobody waits for what it says to that.
    if (isOver)
      connection.session.request('tasks/cancel', { taskId: task.id }, { timeoutMs: CANCEL_MS }).catch(() => {});
    throw error;
  }
}

class TaskWatcher {
  readonly #connection: Connection;
  readonly #options: CallOptions;
  readonly #began: number;
  readonly #answered = new Set<string>();
  #polls = 0;
  #failures = 0;

  constructor(connection: Connection, options: CallOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#began = connection.peer.clock.monotonic();
  }

  async follow(first: Task): Promise<JsonObject> {
    for (let task = first; ; task = await this.#poll(task)) {
      this.#tell(task);
      switch (task.status) {
        case 'completed':
          return this.#result(task);
        case 'failed':
          return this.#failure(task);
        case 'cancelled':
          throw new HostError('server-error', `Server "${this.#connection.name}" cancelled its task${why(task)}`);
        case 'input_required':
          if (this.#connection.session.era === 'legacy') return this.#outcome(task);
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

  /** In the older revision what came of a task is asked for; it waits, and the server may ask in the meantime. */
  #outcome({ id }: Task): Promise<JsonObject> {
    return this.#ask('tasks/result', { taskId: id }, true);
  }

  #result(task: Task): Promise<JsonObject> | JsonObject {
    if (this.#connection.session.era === 'legacy') return this.#outcome(task);
    const { result } = task.said;
    if (isObject(result)) return result;
    throw this.#unusable('tasks/get', 'the task is complete and has no result');
  }

  #failure(task: Task): Promise<JsonObject> {
    if (this.#connection.session.era === 'legacy') return this.#outcome(task);
    const { error } = task.said;
    const question = { server: this.#connection.name, method: 'tools/call' };
    const told = readAnswer({ jsonrpc: '2.0', error: error ?? { message: `its task failed${why(task)}` } }, question);
    throw told;
  }

  /** Each question once, however often the task repeats it. */
  async #answer({ id, said }: Task): Promise<void> {
    const { session } = this.#connection;
    const { inputRequests } = said;
    const open = Object.entries(isObject(inputRequests) ? inputRequests : {}).filter(
      ([key]) => !this.#answered.has(key),
    );
    if (open.length === 0) return;
    if (this.#answered.size + open.length > QUESTIONS) throw this.#unusable('tasks/get', 'it asks for ever');
    for (const [key] of open) this.#answered.add(key);
    const inputResponses = await session.answerInputs(Object.fromEntries(open), this.#options);
    await this.#ask('tasks/update', { taskId: id, inputResponses });
  }

  async #poll({ id, said }: Task): Promise<Task> {
    const { peer } = this.#connection;
    const pace = said['pollIntervalMs'] ?? said['pollInterval'];
    const wanted = typeof pace === 'number' && pace >= 0 ? pace : USUAL_PACE;
    const waitMs = Math.min(Math.max(wanted, FASTEST), SLOWEST) * 2 ** this.#failures;
    const waited = new Promise<void>((resolve) => void peer.clock.after(waitMs, resolve));
    await peer.within(waited, 'tools/call', this.#left());
    this.#polls++;
    try {
      const task = toTask(await this.#ask('tasks/get', { taskId: id }));
      if (task?.id !== id) throw this.#unusable('tasks/get', 'it is about no task, or another one');
      this.#failures = 0;
      return task;
    } catch (error) {
      // The task goes on while the network fails: one lost question is no reason to give it up.
      if (!isPassing(error) || ++this.#failures > LOST_POLLS) throw error;
      return { id, status: 'working', said };
    }
  }

  #tell({ said }: Task): void {
    const { statusMessage } = said;
    const message = typeof statusMessage === 'string' ? { message: gateText(statusMessage, { limit: 200 }).text } : {};
    this.#options.onProgress?.({ progress: this.#polls, ...message });
  }

  #ask(method: string, params: object, isLong = false): Promise<JsonObject> {
    const { signal, spill } = this.#options;
    const { timeoutMs } = this.#left();
    const longest = isLong ? Infinity : POLL_MS;
    return this.#connection.session.request(method, params, {
      signal,
      ...(isLong && { spill }),
      timeoutMs: Math.min(timeoutMs ?? longest, longest),
    });
  }

  #left(): CallOptions {
    const { signal, timeoutMs } = this.#options;
    const given = { signal, ...(timeoutMs !== undefined && { timeoutMs }) };
    return timeLeft(given, this.#connection.peer.clock.monotonic() - this.#began);
  }

  #unusable(method: string, reason: string): HostError {
    return badAnswer({ server: this.#connection.name, method }, reason);
  }
}

const ID_LIMIT = 1_000;
const USUAL_PACE = 1_000;
const FASTEST = 50; // whatever it asks for, it is not asked more often
const SLOWEST = 60_000;
const TASK_MS = 3_600_000; // where nobody says how long to wait
const POLL_MS = 60_000;
const CANCEL_MS = 5_000;
const LOST_POLLS = 4;
const QUESTIONS = 100;

function isPassing(error: unknown): boolean {
  return error instanceof HostError && (error.code === 'http-failed' || error.code === 'connect-failed');
}

function why({ said }: Task): string {
  const { statusMessage } = said;
  return typeof statusMessage === 'string' ? `: ${gateText(statusMessage, { limit: 300 }).text}` : '';
}
