import type { JsonObject } from '../../base/json.js';
import type { TaskTerms } from '../../model/tool.js';
import type { Client, ClientRequest, Question } from '../../serving/endpoint.js';
import type { CallingRequest } from '../calls/client-callers.js';
import type { LiveTask } from './live-task.js';

/** A call that may become a task: its questions go to the client on the call itself, and later to the task. */
export class TaskCall {
  readonly terms: TaskTerms;
  readonly request: CallingRequest;
  #task: LiveTask | undefined;

  constructor(request: ClientRequest, terms: TaskTerms) {
    this.terms = terms;
    this.request = {
      client: request.client,
      logLevel: request.logLevel,
      log: (message) => request.log(message),
      ask: (question, signal) => this.#ask(request, question, signal),
    };
  }

  get client(): Client {
    return this.request.client;
  }

  /** The call has become this task. */
  become(task: LiveTask): void {
    this.#task = task;
  }

  #ask(request: ClientRequest, question: Question, signal: AbortSignal): Promise<JsonObject> {
    return this.#task ? this.#task.ask(question, signal) : request.ask(question, signal);
  }
}
