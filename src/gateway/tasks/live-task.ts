import type { JsonObject } from '../../base/json.js';
import { onAbort } from '../../base/on-abort.js';
import type { Resolvers } from '../../base/resolvers.js';
import { within } from '../../base/within.js';
import type { Answered } from '../../host/answered.js';
import type { TaskReply } from '../../host/requests/task-requests.js';
import type { Caller } from '../../model/caller.js';
import type { Clock } from '../../model/clock.js';
import type { Client, ClientRequest, Question } from '../../serving/endpoint.js';
import { isDeclared } from '../../wire/askable.js';
import { deadlineIn } from '../../wire/deadline.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { TaskAddress } from './task-ids.js';
import { withoutRelatedTask, withRelatedTask } from './task-forms.js';

/** How the server answered tasks/result. */
export type TaskOutcome = Answered<TaskReply>;

export interface LiveTaskOptions {
  /** As the client knows it. */
  readonly id: string;
  readonly address: TaskAddress;
  readonly client: Client;
  /** Whom the call was made for: the server's questions about the task come to it. */
  readonly caller: Caller;
  readonly clock: Clock;
}

/**
 * A task of a server of 2025-11-25 that its client follows: its questions wait here until they are answered, and its
 * line stays open.
 */
export class LiveTask implements Disposable {
  readonly id: string;
  readonly address: TaskAddress;
  readonly caller: Caller;
  readonly client: Client;
  readonly #clock: Clock;
  readonly #questions = new Map<string, OpenQuestion>();
  readonly #ending = new AbortController();
  /** Requests of the client that wait for the result: the task's questions go there. */
  readonly #waiting = new Set<Pick<ClientRequest, 'ask'>>();
  #asked = 0;
  #outcome: TaskOutcome | undefined;
  #isBegun = false;
  /** Wake requests of the client that wait for news. */
  readonly #waiters = new Set<() => void>();
  #line: Disposable | undefined;

  constructor({ id, address, client, caller, clock }: LiveTaskOptions) {
    this.id = id;
    this.address = address;
    this.client = client;
    this.caller = caller;
    this.#clock = clock;
  }

  /** Aborts when the task is not followed any more. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Keeps a line open as long as this. */
  keep(line: Disposable | undefined): void {
    if (this.signal.aborted) line?.[Symbol.dispose]();
    else this.#line = line;
  }

  /** The questions that are open, as `inputRequests`. */
  get inputRequests(): JsonObject | undefined {
    if (this.#questions.size === 0) return undefined;
    return Object.fromEntries(Array.from(this.#questions, ([key, { method, params }]) => [key, { method, params }]));
  }

  /** Asks the client on behalf of the task. Rejects with a `JsonRpcFailure` where it cannot be asked. */
  async ask({ method, params }: Question, signal: AbortSignal): Promise<JsonObject> {
    const { client, address, id } = this;
    if (client.era === 'legacy') {
      const told = { method, params: withRelatedTask(params, address.id, id) };
      const waiting = [...this.#waiting].at(-1) ?? client;
      return withRelatedTask(await waiting.ask(told, signal), id, address.id);
    }
    if (!isDeclared(method, params, client.capabilities))
      throw new JsonRpcFailure(METHOD_NOT_FOUND, `The client has not declared what ${method} needs`);
    if (this.#questions.size >= QUESTION_LIMIT || signal.aborted || this.signal.aborted)
      throw new JsonRpcFailure(REFUSED, 'The task cannot ask any more');
    return this.#put({ method, params: withoutRelatedTask(params) }, signal);
  }

  /** The client's answers, by key. Those to nothing are dropped. */
  answer(responses: JsonObject): void {
    for (const [key, question] of this.#questions) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (typeof response !== 'object' || response === null || Array.isArray(response)) continue;
      this.#questions.delete(key);
      question.resolve(response as JsonObject);
    }
  }

  /** The server has said how the task is. Modern clients are told in another way, by a subscription. */
  told(task: JsonObject): void {
    const { client, address, id } = this;
    if (client.era !== 'legacy') return;
    client.notify('notifications/tasks/status', { ...withRelatedTask(task, address.id, id), taskId: id });
  }

  /** A request of the client waits for the result until the returned value is disposed of. */
  await(request: Pick<ClientRequest, 'ask'>): Disposable {
    this.#waiting.add(request);
    return { [Symbol.dispose]: () => void this.#waiting.delete(request) };
  }

  /** Has the server asked for its result, over which it asks its questions: once. `ask`: never rejects. */
  begin(ask: (signal: AbortSignal) => Promise<TaskOutcome>): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    const take = async (): Promise<void> => {
      this.#outcome = await ask(this.signal);
      this.#tell();
    };
    void take();
  }

  /** How the server answered, if it was asked and has. */
  get outcome(): TaskOutcome | undefined {
    return this.#outcome;
  }

  /** The answer to an earlier `begin` cannot be used: the next one asks again. */
  forget(): void {
    this.#outcome = undefined;
    this.#isBegun = false;
  }

  /** Waits a moment for a question or for the result, whatever comes first. Never rejects. */
  async news(signal: AbortSignal): Promise<void> {
    if (this.#questions.size > 0 || this.#outcome) return;
    let wake: (() => void) | undefined;
    const told = new Promise<void>((resolve) => {
      wake = resolve;
      this.#waiters.add(resolve);
    });
    await within(told, { signal, deadline: deadlineIn(this.#clock, NEWS_MS), instead: () => undefined });
    if (wake) this.#waiters.delete(wake);
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
    for (const question of this.#questions.values()) question.reject(new JsonRpcFailure(REFUSED, 'The task is over'));
    this.#questions.clear();
    this.#line?.[Symbol.dispose]();
    this.#line = undefined;
    this.#tell();
  }

  #put({ method, params }: Question, signal: AbortSignal): Promise<JsonObject> {
    const key = `q${++this.#asked}`;
    return new Promise((resolve, reject) => {
      this.#questions.set(key, { method, params, resolve, reject });
      onAbort(signal, () => {
        if (this.#questions.delete(key)) reject(new JsonRpcFailure(REFUSED, 'The question was withdrawn'));
      });
      this.#tell();
    });
  }

  #tell(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }
}

interface OpenQuestion extends Question, Resolvers<JsonObject> {}

const QUESTION_LIMIT = 100;
const NEWS_MS = 500; // ms; a client asks again anyway
const METHOD_NOT_FOUND = -32_601;
const REFUSED = -32_000;
