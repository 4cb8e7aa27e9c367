import type { JsonObject } from '../../base/json.js';
import type { InputRelay } from '../../model/tool.js';
import type { RequestId } from '../../wire/message.js';
import { SerializedResult, type Question, type Served } from '../endpoint.js';
import {
  errorResponseText,
  type Outlet,
  resultResponseText,
  toRpcError,
  type ResponseMessage,
  SerializedResponse,
} from '../outgoing.js';
import { toRevision } from '../revision/to-revision.js';
import { toRevisionError } from '../revision/to-revision-error.js';
import { RunningRequest, type RunningRequestOptions } from '../running-request.js';
import type { LegacyClient } from './legacy-client.js';

/** A request of a legacy client: questions go as requests on its own stream, or that of the session. */
export class LegacyRequest extends RunningRequest {
  readonly inputs: InputRelay | undefined = undefined;
  readonly relays = false;
  readonly id: RequestId;
  readonly #client: LegacyClient;
  readonly #outlet: Outlet;
  /** Among the client's requests. */
  #place: Disposable | undefined;
  #isOver = false;

  constructor(options: RunningRequestOptions & { readonly client: LegacyClient }) {
    super(options);
    this.id = options.id;
    this.#client = options.client;
    this.#outlet = options.outlet;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get logLevel(): string | undefined {
    return this.#client.logLevel;
  }

  protected tell(text: string): void {
    this.#outlet.send(text);
  }

  ask(question: Question, signal: AbortSignal): Promise<JsonObject> {
    return this.#client.askOn(this.#isOver ? undefined : this.#outlet, question, signal);
  }

  /** Has the endpoint answer. */
  run(): void {
    this.#place = this.#client.running.add(this);
    this.requestOf(this.#client.endpoint).then(
      (served) => this.#finish(served),
      (error: unknown) => this.#fail(error),
    );
  }

  /** The client cancelled it: by the specification such a request gets no response. */
  override cancel(): void {
    super.cancel();
    if (this.#isOver) return;
    this.#end();
    this.#outlet.drop();
  }

  #finish(served: Served): void {
    if (this.#isOver) return;
    const { revision } = this.#client;
    let response: ResponseMessage;
    try {
      response =
        served instanceof SerializedResult
          ? new SerializedResponse(this.id, served)
          : resultResponseText(this.id, JSON.stringify(toRevision(this.method, served, revision)));
    } catch (error) {
      return this.#fail(error);
    }
    this.#end();
    this.#outlet.reply(response);
    return undefined;
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#end();
    const { method } = this;
    const { revision } = this.#client;
    this.#outlet.reply(errorResponseText(this.id, toRevisionError({ method, error: toRpcError(error), revision })));
  }

  #end(): void {
    this.#isOver = true;
    this.#place?.[Symbol.dispose]();
  }
}
