// Clients until 2025-11-25: https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/json.js';
import { isObject } from '../../base/json.js';
import { LinkedList } from '../../base/collections/linked-list.js';
import { onAbort } from '../../base/on-abort.js';
import type { Resolvers } from '../../base/resolvers.js';
import type { Implementation } from '../../model/implementation.js';
import { isDeclared } from '../../wire/askable.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { RequestId } from '../../wire/message.js';
import { isAnswerTo } from '../answers.js';
import type { Client, Endpoint, Question, Watch, WatchedChanges } from '../endpoint.js';
import type { Incoming } from '../incoming.js';
import { METHOD_NOT_FOUND, notificationText, type Outlet, requestText } from '../outgoing.js';
import type { LegacyRequest } from './legacy-request.js';
import type { SessionRecord } from './session-record.js';

/** What `initialize` agreed on with a client; small enough for a session id. */
export interface LegacyAgreement {
  readonly principal: string;
  /** Names the session: its upstream connections are kept for it. */
  readonly owner: string;
  readonly revision: string;
  readonly info: Implementation;
  readonly capabilities: JsonObject;
}

/** A place where messages can go that belong to no request: the GET stream of a session, or stdout. */
export type ClientStream = Pick<Outlet, 'send'>;

interface OpenQuestion extends Question, Resolvers<JsonObject> {
  readonly withdrawing: Disposable;
}

/** A client of the legacy era: one session, or the connection of stdio. */
export class LegacyClient implements Client {
  readonly era = 'legacy';
  readonly isDistinct = true;
  readonly principal: string;
  readonly owner: string;
  readonly revision: string;
  readonly info: Implementation;
  readonly capabilities: JsonObject;
  readonly endpoint: Endpoint;
  readonly record: SessionRecord;
  /** The requests being answered. A client may use an id twice: each then has its own response all the same. */
  readonly running = new LinkedList<LegacyRequest>();
  /** Replaced, not changed: most clients have one, and an array that grows has room for 17. */
  #streams: readonly ClientStream[] = [];
  /** Most clients are asked nothing. */
  #questions: Map<RequestId, OpenQuestion> | undefined;
  #watch: Watch | undefined;

  constructor(agreement: LegacyAgreement, endpoint: Endpoint, record: SessionRecord) {
    this.principal = agreement.principal;
    this.owner = agreement.owner;
    this.revision = agreement.revision;
    this.info = agreement.info;
    this.capabilities = agreement.capabilities;
    this.endpoint = endpoint;
    this.record = record;
  }

  get logLevel(): string | undefined {
    return this.record.logLevel;
  }

  get isReachable(): boolean {
    return this.#streams.length > 0;
  }

  /** Whether nothing would be lost if this object were made again from the session id. */
  get isIdle(): boolean {
    return this.#streams.length === 0 && this.running.size === 0 && this.#asked === 0;
  }

  /** The newest request with this id. */
  runningAs(id: RequestId): LegacyRequest | undefined {
    return this.running.findLast((request) => request.id === id);
  }

  ask(question: Question, signal: AbortSignal): Promise<JsonObject> {
    return this.askOn(undefined, question, signal);
  }

  /** Asks on the stream of a request, where it takes one; else on the newest stream of the session. */
  askOn(outlet: Outlet | undefined, { method, params }: Question, signal: AbortSignal): Promise<JsonObject> {
    if (!isDeclared(method, params, this.capabilities)) {
      return Promise.reject(new JsonRpcFailure(METHOD_NOT_FOUND, `The client has not declared what ${method} needs`));
    }
    if (this.#asked >= QUESTION_LIMIT || signal.aborted) {
      return Promise.reject(new JsonRpcFailure(REFUSED, 'The client has too many questions open'));
    }
    return new Promise<JsonObject>((resolve, reject) => {
      // Unguessable: an answer is taken for whatever question it names.
      const id = randomUUID();
      const text = requestText(id, method, params);
      if (outlet?.send(text) !== true && !this.#send(text)) {
        return reject(new JsonRpcFailure(REFUSED, 'The client cannot be asked: it has no open stream'));
      }
      const withdrawing = onAbort(signal, () => {
        if (this.#questions?.delete(id) !== true) return;
        const withdrawn = notificationText('notifications/cancelled', { requestId: id });
        if (outlet?.send(withdrawn) !== true) this.#send(withdrawn);
        reject(new JsonRpcFailure(REFUSED, 'The question was withdrawn'));
      });
      (this.#questions ??= new Map()).set(id, { method, params, resolve, reject, withdrawing });
      return undefined;
    });
  }

  /** The client's answer to a question; one that nobody waits for is dropped. */
  answered({ id, result, error }: Extract<Incoming, { kind: 'response' }>): void {
    const question = this.#questions?.get(id);
    if (!question) return;
    this.#questions?.delete(id);
    // A call may ask thousands of times, all with one signal.
    question.withdrawing[Symbol.dispose]();
    if (isObject(result) && isAnswerTo(question, result)) return question.resolve(result);
    if (result !== undefined) {
      return question.reject(new JsonRpcFailure(REFUSED, `The client's answer to ${question.method} is none`));
    }
    const { code, message, data } = isObject(error) ? error : ({} as JsonObject);
    return question.reject(
      new JsonRpcFailure(
        typeof code === 'number' && Number.isSafeInteger(code) ? code : REFUSED,
        typeof message === 'string' ? message.slice(0, MESSAGE_LIMIT) : 'The client sent no usable answer',
        data,
      ),
    );
  }

  notify(method: string, params: JsonObject): void {
    this.#send(notificationText(method, params));
  }

  /** A stream for messages outside of requests is open until it is `closed`. */
  opened(stream: ClientStream): void {
    this.#streams = this.#streams.length === 0 ? [stream] : [...this.#streams, stream];
    if (this.#streams.length === 1) this.#beginWatch();
  }

  closed(stream: ClientStream): void {
    if (!this.#streams.includes(stream)) return;
    this.#streams = this.#streams.filter((one) => one !== stream);
    if (this.#streams.length === 0) this.#endWatch();
  }

  /**
   * Subscribes to a resource, until the session ends. Resolves when its server has been asked, and never rejects; undefined:
   * the session has subscribed to as much as it may.
   */
  subscribe(uri: string): Promise<void> | undefined {
    if (!this.record.subscribe(uri)) return undefined;
    return this.#watch?.add(uri) ?? Promise.resolve();
  }

  unsubscribe(uri: string): void {
    this.record.unsubscribe(uri);
    this.#watch?.remove(uri);
  }

  /** The session has ended: all of its requests are cancelled, and its upstream connections may close. */
  end(): void {
    this.#endWatch();
    for (const request of this.running.values()) request.cancel();
    for (const question of this.#questions?.values() ?? []) {
      question.withdrawing[Symbol.dispose]();
      question.reject(new JsonRpcFailure(REFUSED, 'The client is gone'));
    }
    this.#questions?.clear();
    this.#streams = [];
    this.endpoint.left(this);
  }

  /** How many questions are open. */
  get #asked(): number {
    return this.#questions?.size ?? 0;
  }

  /** Tells the client of changes from now on, of the resources too that it has subscribed to. */
  #beginWatch(): void {
    const { uris } = this.record;
    const wanted = uris.size === 0 ? ALL_LISTS : { ...ALL_LISTS, uris: [...uris] };
    this.#watch = this.endpoint.watch(this, wanted, ({ method, params }) => this.notify(method, params));
  }

  #endWatch(): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }

  /** On one stream only, the newest: the specification forbids to send a message twice. */
  #send(text: string): boolean {
    for (let at = this.#streams.length - 1; at >= 0; at--) {
      if (this.#streams[at]!.send(text)) return true;
    }
    return false;
  }
}

const ALL_LISTS: WatchedChanges = { tools: true, prompts: true, resources: true, uris: [], tasks: [] };
const QUESTION_LIMIT = 100;
const MESSAGE_LIMIT = 4_000; // characters
const REFUSED = -32000;
