// SEP-2663: https://modelcontextprotocol.io/seps/2663-tasks-extension
import type { JsonObject } from '../../base/json.js';
import { pause } from '../../base/pause.js';
import { isTaskOver } from '../../connection/requests/task.js';
import type { Client, EndpointChange } from '../../serving/endpoint.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { INVALID_PARAMS } from '../../wire/rpc-codes.js';
import type { CallParts } from '../calls/call-parts.js';

export interface TaskWatchesOptions {
  readonly parts: CallParts;
  readonly client: Client;
  /** As the client knows them. */
  readonly ids: readonly string[];
  readonly tell: (change: EndpointChange) => void;
}

/**
 * The tasks of which one client hears whenever they are otherwise. Their servers are asked at the pace that they want:
 * those of 2025-11-25 tell nobody, and the others need not.
 */
export class TaskWatches implements Disposable {
  /** The ids that are those of tasks of this client. */
  readonly watched: readonly string[];
  readonly #options: TaskWatchesOptions;
  readonly #ending = new AbortController();

  constructor(options: TaskWatchesOptions) {
    this.#options = options;
    const { parts, client, ids } = options;
    this.watched = [...new Set(ids)].slice(0, TASK_LIMIT).filter((id) => parts.tasks.knows(client, id));
    for (const id of this.watched) void this.#watch(id);
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
  }

  /** Never rejects. */
  async #watch(id: string): Promise<void> {
    const { parts, tell } = this.#options;
    const { signal } = this.#ending;
    let told = '';
    let failures = 0;
    for (;;) {
      const task = await this.#look(id);
      if (signal.aborted || task === 'unknown') return;
      failures = task ? 0 : failures + 1;
      const text = task ? JSON.stringify(task) : told;
      if (task && text !== told) tell({ method: 'notifications/tasks', params: task });
      if (isTaskOver(task?.['status'])) return;
      told = text;
      const wanted = task?.['pollIntervalMs'];
      const interval = typeof wanted === 'number' && wanted >= 0 ? Math.max(wanted, FASTEST_MS) : USUAL_MS;
      await pause(Math.min(interval * 2 ** failures, SLOWEST_MS), { clock: parts.clock, signal });
    }
  }

  /** Undefined when the server did not say. */
  async #look(taskId: string): Promise<JsonObject | 'unknown' | undefined> {
    const { parts, client } = this.#options;
    const { signal } = this.#ending;
    try {
      const asking = { client, params: { taskId }, signal, ask: askNobody, log: () => {}, logLevel: undefined };
      const { resultType: _, ...task } = await parts.tasks.get(asking);
      return task;
    } catch (error) {
      return error instanceof JsonRpcFailure && error.code === INVALID_PARAMS ? 'unknown' : undefined;
    }
  }
}

function askNobody(): Promise<JsonObject> {
  return Promise.reject(new JsonRpcFailure(METHOD_NOT_FOUND, 'The client cannot be asked outside of a request'));
}

const TASK_LIMIT = 100; // for each stream
const FASTEST_MS = 250;
const USUAL_MS = 1_000;
const SLOWEST_MS = 60_000;
const METHOD_NOT_FOUND = -32_601;
