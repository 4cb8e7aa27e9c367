// Tasks: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and SEP-2663 for 2026-07-28
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { pause } from '../../base/pause.js';
import { gateText } from '../../model/text/text-gate.js';
import { badResponse, type ResponseContext, readResponse } from '../../wire/response.js';
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';

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

/** The task that an answer is the handle of; undefined for an answer that is one itself. Throws for a handle that is none. */
export function readTask(answer: JsonObject, question: ResponseContext): Task | undefined {
  const { task, resultType } = answer;
  const said = resultType === 'task' ? answer : isObject(task) && answer['content'] === undefined ? task : undefined;
  const found = said && toTask(said);
  if (said && !found) throw badResponse(question, 'it is a task without an id or a status');
  return found;
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
export async function followTask(
  link: Connection,
  task: Task,
  { passedMs, ...options }: CallOptions & { readonly passedMs: number },
): Promise<JsonObject> {
  const { timeoutMs = TASK_MS } = options;
  const watcher = new TaskWatcher(link, { ...options, timeoutMs }, passedMs);
  try {
    return await watcher.follow(task);
  } catch (error) {
    if (!watcher.isTerminal && !link.peer.isClosed) await cancel(link, task, options);
    throw error;
  } finally {
    link.peer.endTask(task.id);
  }
}

/** The server may go on all the same. Waited for, because whoever gives up often closes the connection next. */
async function cancel({ session }: Connection, { id }: Task, { owner }: CallOptions): Promise<void> {
  try {
    await session.request('tasks/cancel', { taskId: id }, { timeoutMs: CANCEL_MS, owner });
  } catch {
    // It has been asked to; that is all there is to do.
  }
}

class TaskWatcher {
  /** The task has come to its end, whatever end. */
  isTerminal = false;
  readonly #link: Connection;
  readonly #options: CallOptions & { readonly timeoutMs: number };
  /** On the monotonic clock; moves when a person takes time to answer. */
  #deadline: number;
  readonly #answered = new Set<string>();
  #polls = 0;
  #failures = 0;

  constructor(link: Connection, options: CallOptions & { readonly timeoutMs: number }, passedMs: number) {
    this.#link = link;
    this.#options = options;
    this.#deadline = link.peer.clock.monotonic() + options.timeoutMs - passedMs;
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

  /** In the older revision what came of a task is asked for; it waits, and the server may ask in the meantime. */
  #outcome({ id }: Task): Promise<JsonObject> {
    return this.#requestWithRetries('tasks/result', { taskId: id }, true);
  }

  #result(task: Task): Promise<JsonObject> | JsonObject {
    if (this.#link.session.era === 'legacy') return this.#outcome(task);
    const { result } = task.said;
    const type = isObject(result) ? result['resultType'] : undefined;
    if (isObject(result) && (type === undefined || type === 'complete')) return result;
    throw this.#unusable('tasks/get', 'the task is complete and has no result');
  }

  #failure(task: Task): Promise<JsonObject> {
    if (this.#link.session.era === 'legacy') return this.#outcome(task);
    const { error } = task.said;
    const { name: server, redact } = this.#link;
    const question = { server, method: 'tools/call', redact };
    const told = readResponse({ jsonrpc: '2.0', error: error ?? { message: `its task failed${why(task)}` } }, question);
    throw told;
  }

  /** Each question once, however often the task repeats it. */
  async #answer({ id, said }: Task): Promise<void> {
    const { session } = this.#link;
    const { inputRequests } = said;
    const open = Object.entries(isObject(inputRequests) ? inputRequests : {}).filter(
      ([key]) => !this.#answered.has(key),
    );
    if (open.length === 0) return;
    if (this.#answered.size + open.length > QUESTIONS) throw this.#unusable('tasks/get', 'it asks for ever');
    for (const [key] of open) this.#answered.add(key);
    const { clock } = this.#link.peer;
    const asked = clock.monotonic();
    const inputResponses = await session.answerInputs(Object.fromEntries(open), this.#options);
    // How long a person takes to answer is not the server's time.
    this.#deadline += clock.monotonic() - asked;
    await this.#requestWithRetries('tasks/update', { taskId: id, inputResponses });
  }

  async #poll({ id, said }: Task): Promise<Task> {
    const interval = said['pollIntervalMs'] ?? said['pollInterval'];
    const wanted = typeof interval === 'number' && interval >= 0 ? Math.max(interval, FASTEST) : USUAL_INTERVAL;
    await this.#wait(Math.max(Math.min(wanted * 2 ** this.#failures, SLOWEST, this.#left()), 0));
    if (this.#left() <= 0) throw this.#timeoutError();
    this.#polls++;
    try {
      // What came of it may come with the answer, and be large.
      const task = toTask(await this.#ask('tasks/get', { taskId: id }));
      if (task?.id !== id) throw this.#unusable('tasks/get', 'it is about no task, or another one');
      this.#failures = 0;
      return task;
    } catch (error) {
      if (this.#left() <= 0 && isPassing(error)) throw this.#timeoutError();
      // The task goes on while the network fails: one lost question is no reason to give it up.
      if (!isPassing(error) || ++this.#failures > LOST_POLLS) throw error;
      return { id, status: 'working', said };
    }
  }

  /** What may be asked again without harm is, while the network fails: what somebody has answered is not thrown away. */
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

  #tell({ said }: Task): void {
    const { statusMessage } = said;
    const message = typeof statusMessage === 'string' ? { message: gateText(statusMessage, { limit: 200 }).text } : {};
    try {
      this.#options.onProgress?.({ progress: this.#polls, ...message });
    } catch {
      // A fault in what an embedder listens with is not the task's.
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

const ID_LIMIT = 1_000;
const USUAL_INTERVAL = 1_000;
const FASTEST = 50; // whatever it asks for, it is not asked more often
const SLOWEST = 60_000;
const TASK_MS = 3_600_000; // where nobody says how long to wait
const POLL_MS = 60_000;
const CANCEL_MS = 500;
const LOST_POLLS = 4;
const GRACE = 1_000; // the clock that wakes us is the one that would end the wait
const QUESTIONS = 100;

function isPassing(error: unknown): boolean {
  return error instanceof HostError && PASSING.has(error.code);
}

const PASSING: ReadonlySet<string> = new Set(['http-failed', 'connect-failed', 'call-timeout']);
const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

function why({ said }: Task): string {
  const { statusMessage } = said;
  return typeof statusMessage === 'string' ? `: ${gateText(statusMessage, { limit: 300 }).text}` : '';
}
