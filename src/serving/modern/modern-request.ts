// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
import type { InputRelay } from '../../model/tool.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { onAbort } from '../../base/on-abort.js';
import type { Resolvers } from '../../base/resolvers.js';
import type { Clock } from '../../model/clock.js';
import { isDeclared } from '../../wire/askable.js';
import { mayAsk } from '../../wire/eras/input-rounds.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { JsonRpcError, RequestId } from '../../wire/message.js';
import { isAnswerTo } from '../answers.js';
import type { Question, SerializedResult } from '../endpoint.js';
import {
  errorResponseText,
  INTERNAL_ERROR,
  METHOD_NOT_FOUND,
  type Outlet,
  type ResponseMessage,
  resultResponseText,
  SerializedResponse,
} from '../outgoing.js';
import { RunningRequest, type RunningRequestOptions } from '../running-request.js';
import { SEALED_LIMIT } from '../seal.js';
import type { ParkedCalls } from './parked-calls.js';
import { refusedState, type RequestStates, STATE_MS } from './request-state.js';

export interface ModernRequestOptions extends RunningRequestOptions {
  readonly services: ModernServices;
  /** Of the endpoint. */
  readonly path: string;
  readonly logLevel: string | undefined;
  readonly inputs: InputRelay | undefined;
}

export interface ModernServices {
  readonly clock: Clock;
  readonly states: RequestStates;
  readonly parked: ParkedCalls;
  /** Whether a call may wait between two requests of its client. */
  readonly parks: () => boolean;
}

/** The request with which a client answers questions. */
export interface RetriedRequest {
  readonly id: RequestId;
  readonly params: JsonObject;
  readonly outlet: Outlet;
  readonly logLevel: string | undefined;
}

interface OpenQuestion extends Question, Resolvers<JsonObject> {
  readonly withdrawing: Disposable;
}

/**
 * A request of a modern client. A question to the client ends its HTTP request with `input_required`; the call itself
 * goes on, parked, and the client's retry takes it up where it stood.
 */
export class ModernRequest extends RunningRequest {
  readonly inputs: InputRelay | undefined;
  readonly relays: boolean;
  #logLevel: string | undefined;
  readonly #options: ModernRequestOptions;
  #id: RequestId;
  /** The current HTTP request; undefined while the call is parked, and when it is over. */
  #outlet: Outlet | undefined;
  #isOver = false;
  /** In ParkedCalls, from the first question on. */
  #place: string | undefined;
  #round = 0;
  #asked = 0;
  readonly #questions = new Map<string, OpenQuestion>();
  /** The keys that the client was told in the current round. */
  #told: readonly string[] = [];
  /** Runs while several questions are collected, or while the client is awaited. */
  #timer: Disposable | undefined;
  /** The response, when the call ended while it was parked. */
  #outcome: ((id: RequestId) => ResponseMessage) | undefined;

  constructor(options: ModernRequestOptions) {
    super(options);
    this.#options = options;
    this.#id = options.id;
    this.#outlet = options.outlet;
    this.#logLevel = options.logLevel;
    this.inputs = options.inputs;
    this.relays = mayAsk(options.method);
  }

  /** Of the request that waits for the response now. */
  get logLevel(): string | undefined {
    return this.#logLevel;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get round(): number {
    return this.#round;
  }

  protected tell(text: string): void {
    this.#outlet?.send(text);
  }

  ask({ method, params }: Question, signal: AbortSignal): Promise<JsonObject> {
    const why = this.#whyNot(method, params);
    if (why !== undefined) return Promise.reject(new JsonRpcFailure(METHOD_NOT_FOUND, why));
    if (this.#questions.size >= QUESTION_LIMIT)
      return Promise.reject(new JsonRpcFailure(REFUSED, 'The client has too many questions open'));
    this.#place ??= this.#options.services.parked.admit(this);
    if (this.#place === undefined) {
      return Promise.reject(new JsonRpcFailure(REFUSED, 'Too many calls wait for answers: this one cannot ask'));
    }
    const key = `q${++this.#asked}`;
    return new Promise<JsonObject>((resolve, reject) => {
      const withdrawing = onAbort(signal, () => {
        if (this.#questions.delete(key)) reject(new JsonRpcFailure(REFUSED, 'The question was withdrawn'));
      });
      this.#questions.set(key, { method, params, resolve, reject, withdrawing });
      this.#collect();
    });
  }

  /** The client's retry. Answers that are missing, or are none, are asked for again. */
  resume(round: number, { id, params, outlet, logLevel }: RetriedRequest): void {
    // The same state, used twice: the first retry goes on.
    if (this.#outlet || round !== this.#round || this.#isOver) {
      return outlet.reply(errorResponseText(id, refusedState('used', 'the call has gone on since')));
    }
    this.#endTimer();
    this.#id = id;
    this.#outlet = outlet;
    this.#logLevel = logLevel;
    this.continueWith(params);
    const { inputResponses: answers } = params;
    const given = isObject(answers) ? answers : {};
    const open = this.#told.filter((key) => this.#questions.has(key));
    if (!open.every((key) => this.#isAnswered(key, given))) return this.#tellQuestions(open);
    this.#told = [];
    for (const key of open) {
      const question = this.#questions.get(key)!;
      this.#questions.delete(key);
      // A call may ask thousands of times, all with one signal.
      question.withdrawing[Symbol.dispose]();
      question.resolve(given[key] as JsonObject);
    }
    const { isOver } = this;
    if (!isOver && this.#outcome) return this.#deliver(this.#outcome);
    if (this.#questions.size > 0) this.#collect();
    return undefined;
  }

  /** The call has ended. `json`: its result; `requestState` in it is a server's own. */
  finish(json: string): void {
    this.#deliver((id) => resultResponseText(id, json), { size: json.length });
  }

  finishSerialized(result: SerializedResult): void {
    this.#deliver((id) => new SerializedResponse(id, result));
  }

  /** The call has ended with `input_required` of a modern server, which is relayed. */
  finishRelayed(result: JsonObject): void {
    const { states } = this.#options.services;
    const { requestState } = result;
    const state = typeof requestState === 'string' ? requestState : undefined;
    // A state of ours only where there is something to remember: the client may rightly send none.
    const isSealed = state !== undefined || this.isPermitted;
    const sealed = isSealed
      ? states.seal({ kind: 'relayed', state, isPermitted: this.isPermitted }, this.#binding)
      : undefined;
    if (sealed !== undefined && sealed.length > SEALED_LIMIT) {
      return this.fail({ code: INTERNAL_ERROR, message: 'The requestState of the server is too large to be relayed' });
    }
    const { requestState: _, ...others } = result;
    return this.finish(JSON.stringify(sealed === undefined ? others : { ...others, requestState: sealed }));
  }

  fail(failure: JsonRpcError, status?: number): void {
    this.#deliver((id) => errorResponseText(id, failure), status === undefined ? {} : { status });
  }

  /** The client closed the connection: in this era that cancels the call. */
  gone(outlet: Outlet): void {
    if (outlet !== this.#outlet) return;
    this.#outlet = undefined;
    this.#end();
  }

  /** Nobody came back with answers. */
  expire(): void {
    if (this.#outlet || this.#isOver) return;
    this.#isOver = true;
    for (const question of this.#questions.values()) {
      if (question.method === 'elicitation/create') question.resolve({ action: 'cancel' });
    }
    // The server is to have that answer before it hears that the call is cancelled.
    this.#options.services.clock.soon(() => this.#end());
  }

  #end(): void {
    this.#isOver = true;
    this.#endTimer();
    this.#rejectQuestions('The client is gone');
    if (this.#place !== undefined) this.#options.services.parked.release(this.#place);
    this.cancel();
  }

  #isAnswered(key: string, given: JsonObject): boolean {
    const answer = Object.hasOwn(given, key) ? given[key] : undefined;
    return isObject(answer) && isAnswerTo(this.#questions.get(key)!, answer);
  }

  #rejectQuestions(why: string): void {
    for (const question of this.#questions.values()) {
      question.withdrawing[Symbol.dispose]();
      question.reject(new JsonRpcFailure(REFUSED, why));
    }
    this.#questions.clear();
  }

  #whyNot(method: string, params: JsonObject): string | undefined {
    if (this.#isOver) return 'The call is over';
    if (!this.relays) return `The client cannot be asked during ${this.method}`;
    if (!isDeclared(method, params, this.client.capabilities))
      return `The client has not declared what ${method} needs`;
    if (!this.#options.services.parks())
      return 'Calls do not wait for answers here: "park" is off in the settings of the gateway';
    return undefined;
  }

  get #binding(): Parameters<RequestStates['seal']>[1] {
    const { path, method, params } = this.#options;
    return { principal: this.client.principal, path, method, params };
  }

  /** A server may ask several things at once: what comes in a moment goes into one answer. */
  #collect(): void {
    if (!this.#outlet || this.#timer) return;
    this.#timer = this.#options.services.clock.after(COLLECT_MS, () => {
      this.#timer = undefined;
      // All were withdrawn: the call goes on, over the same connection.
      if (this.#questions.size > 0) this.#tellQuestions([...this.#questions.keys()]);
    });
  }

  #tellQuestions(keys: readonly string[]): void {
    const { states, parked, clock } = this.#options.services;
    this.#round++;
    const inputRequests = Object.fromEntries(
      keys.map((key) => {
        const { method, params } = this.#questions.get(key)!;
        return [key, { method, params }];
      }),
    );
    const { instance } = parked;
    const state = { kind: 'parked', instance, call: this.#place!, round: this.#round } as const;
    const requestState = states.seal(state, this.#binding);
    let text: string;
    try {
      text = resultResponseText(
        this.#id,
        JSON.stringify({ resultType: 'input_required', inputRequests, requestState }),
      );
    } catch {
      // What is asked is no JSON: nobody can answer it.
      return this.#rejectQuestions('The question cannot be told to the client');
    }
    const outlet = this.#outlet!;
    this.#outlet = undefined;
    this.#told = keys;
    this.#timer = clock.after(STATE_MS, () => this.expire());
    return outlet.reply(text);
  }

  #deliver(
    outcome: (id: RequestId) => ResponseMessage,
    { status, size = 0 }: { status?: number; size?: number } = {},
  ): void {
    if (this.#isOver) return;
    const outlet = this.#outlet;
    if (!outlet) {
      // Parked: kept for the retry, until the timer of the round ends.
      this.#outcome ??= size <= OUTCOME_LIMIT ? outcome : tooLarge;
      return;
    }
    this.#outlet = undefined;
    this.#isOver = true;
    this.#endTimer();
    this.#rejectQuestions('The call is over');
    if (this.#place !== undefined) this.#options.services.parked.release(this.#place);
    outlet.reply(outcome(this.#id), status);
  }

  #endTimer(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}

const COLLECT_MS = 25;
const QUESTION_LIMIT = 100;
const REFUSED = -32000;
/** As many calls may be parked as there are places, and each keeps its result until the client comes back. */
const OUTCOME_LIMIT = 1_000_000; // characters
const TOO_LARGE: JsonRpcError = {
  code: INTERNAL_ERROR,
  message: 'The call has ended while it waited for answers, with a result too large to be kept',
};

function tooLarge(id: RequestId): string {
  return errorResponseText(id, TOO_LARGE);
}
