// https://modelcontextprotocol.io/specification/2026-07-28/basic/index
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { onAbort } from '../../base/on-abort.js';
import { pause } from '../../base/pause.js';
import type { Caller } from '../../model/caller.js';
import type { Implementation } from '../../model/implementation.js';
import { badResponse, type ResponseContext, shownValue } from '../response.js';
import type { CallOptions } from '../peer.js';
import { HEADER_MISMATCH, INVALID_PARAMS, isRpc } from '../rpc-codes.js';
import { MODERN_VERSIONS, readMeta, SERVER_INFO } from './envelope.js';
import type { Era, OpenPipe, OpenMcpSessionOptions, McpSession, SubscriptionFilter } from './era.js';
import { readImplementation, readInstructions } from './server-info.js';
import {
  answerInputRequests,
  checkInputRequests,
  INPUT_LIMIT,
  type InputRound,
  mayAsk,
  readState,
  isWaitingForVisits,
  ROUND_LIMIT,
} from './input-rounds.js';
import { OwnersTerms } from './request-terms.js';
import { type CachePlace, ResultCache } from './result-cache.js';
import { Subscription } from './subscription.js';
import { type TimedRequest, timeLeft } from './time-left.js';
import { isUnsupportedVersion, noVersion, offeredVersions, toVersions, versionInCommon } from './versions.js';

/** The era without a handshake: every request names its client, and `server/discover` returns the capabilities. */
export const modern: Era = { name: 'modern', open };

async function open(line: OpenPipe, options: OpenMcpSessionOptions): Promise<McpSession> {
  const session = new ModernSession(line, options);
  await session.discover();
  return session;
}

class ModernSession implements McpSession {
  readonly era = 'modern';
  readonly mirrorsArguments: boolean;
  server: Implementation = { name: '', version: '' };
  capabilities: JsonObject = {};
  instructions: string | undefined;
  readonly #line: OpenPipe;
  readonly #options: OpenMcpSessionOptions;
  readonly #cache: ResultCache;
  readonly #subscription: Subscription;
  #terms: OwnersTerms;

  constructor(line: OpenPipe, options: OpenMcpSessionOptions) {
    this.#line = line;
    this.#options = options;
    this.#cache = new ResultCache(line.peer.clock);
    this.#terms = new OwnersTerms(MODERN_VERSIONS[0], line.peer.name, options);
    this.mirrorsArguments = line.pipe.hasHeaders;
    const { onNotification = (): void => {} } = options;
    this.#subscription = new Subscription({
      line,
      around: (params) => this.#terms.own.envelope.around(params),
      tell: (method, params) => {
        this.#cache.invalidate(method, params);
        onNotification(method, params);
      },
    });
  }

  get version(): string {
    return this.#terms.version;
  }

  /** Fetches versions and capabilities. Rejects unless the server supports a version of this era. */
  async discover(): Promise<void> {
    const { peer } = this.#line;
    const { timeoutMs, signal } = this.#options;
    const method = 'server/discover';
    // Only the pipe, whose headers need the version: the peer changes its era when the server has answered.
    this.#line.pipe.adopt({ era: 'modern', version: this.version });
    const result = await this.request(method, undefined, { timeoutMs, signal });
    const question = { server: peer.name, method };
    const { supportedVersions: offered, capabilities } = result;
    if (!Array.isArray(offered)) throw badResponse(question, 'it has no list of supportedVersions');
    const versions = toVersions(offered);
    const version = versionInCommon(versions);
    if (version === undefined) throw noVersion(peer.name, versions);
    this.#adopt(version);
    this.server = readImplementation(readMeta(result, SERVER_INFO) ?? result['serverInfo']);
    this.capabilities = isObject(capabilities) ? capabilities : {};
    this.instructions = readInstructions(result['instructions']);
    peer.setNotificationListener((note, params) => this.#subscription.onNotification(note, params));
  }

  request(method: string, params: object | undefined, options: CallOptions = {}): Promise<JsonObject> {
    const { peer } = this.#line;
    const { envelope, principal } = this.#terms.of(options.owner);
    const place = this.#cache.placeFor(method, params, principal);
    const isWanted = !peer.isClosed && options.signal?.aborted !== true;
    const cached = place && isWanted ? this.#cache.get(place) : undefined;
    if (cached) return Promise.resolve(cached);
    const attempt: TimedRequest = { method, params, options, began: peer.clock.monotonic() };
    // Adds only one promise to the peer's: every call goes through here.
    return peer.request(method, envelope.around(params, options.logLevel), options).then(
      (result) => this.#finish(result, attempt, place),
      (error: unknown) => this.#retry(error, attempt, place),
    );
  }

  watch(wanted: SubscriptionFilter): Promise<void> {
    return this.#subscription.set(wanted, this.capabilities);
  }

  answerInputs(requests: unknown, options: Pick<CallOptions, 'signal' | 'owner'> = {}): Promise<JsonObject> {
    return this.#answer(requests, { server: this.#line.peer.name, method: 'tasks/get' }, options);
  }

  #finish(result: JsonObject, attempt: TimedRequest, place: CachePlace | undefined): JsonObject | Promise<JsonObject> {
    const { resultType } = result;
    if (resultType !== undefined && resultType !== 'complete') return this.#unfinished(result, attempt);
    if (place) this.#cache.keep(place, result);
    return result;
  }

  /** Retries once with a supported version that the error names, when the server has changed its versions. */
  #retry(error: unknown, attempt: TimedRequest, place: CachePlace | undefined): Promise<JsonObject> {
    const { method, params, options, began } = attempt;
    const { peer } = this.#line;
    if (isRpc(error, INVALID_PARAMS) && params !== undefined && 'cursor' in params) this.#cache.forgetPages(method);
    // The tool definitions that we have are outdated.
    if (isRpc(error, HEADER_MISMATCH)) this.#cache.forgetPages('tools/list');
    const version = isUnsupportedVersion(error) ? versionInCommon(offeredVersions(error)) : undefined;
    if (version === undefined) return Promise.reject(error);
    this.#adopt(version);
    const left = timeLeft(options, peer.clock.monotonic() - began);
    return peer
      .request(method, this.#terms.of(options.owner).envelope.around(params, options.logLevel), left)
      .then((result) => this.#finish(result, attempt, place));
  }

  #adopt(version: string): void {
    if (version !== this.version) this.#terms = new OwnersTerms(version, this.#line.peer.name, this.#options);
    this.#line.peer.adopt({ era: 'modern', version });
  }

  async #unfinished(first: JsonObject, { method, params, options, began }: TimedRequest): Promise<JsonObject> {
    const { peer } = this.#line;
    const question = { server: peer.name, method };
    let result = first;
    let userAnswerMs = 0;
    const left = (): CallOptions => timeLeft(options, peer.clock.monotonic() - began - userAnswerMs);
    let rounds = 0;
    while (result['resultType'] === 'input_required') {
      if (!mayAsk(method)) throw badResponse(question, 'it asks for input, which it may not do here');
      if (options.relaysInput === true) return this.#relayed(result, question, options.owner);
      const isWaiting = isWaitingForVisits(result['inputRequests'], options.owner);
      if (!isWaiting && rounds++ === ROUND_LIMIT) throw tooManyRounds(question);
      const requestState = readState(result, question);
      const asked = peer.clock.monotonic();
      const inputResponses = await this.#inputs(result, question, options);
      // The time that the user takes to answer does not count against the server.
      userAnswerMs += peer.clock.monotonic() - asked;
      // The server asked nothing and only wants a retry: wait a little, so as not to retry too fast.
      if (inputResponses === undefined) await peer.within(pause(PAUSE * 2 ** (rounds - 1), peer), method, left());
      const next: InputRound = {
        ...(inputResponses && { inputResponses }),
        ...(requestState !== undefined && { requestState }),
      };
      const { envelope } = this.#terms.of(options.owner);
      result = await peer.request(method, envelope.around({ ...params, ...next }, options.logLevel), left());
    }
    const { resultType } = result;
    if (resultType === undefined || resultType === 'complete') return result;
    if (resultType === 'task' && method === 'tools/call') return result;
    throw badResponse(question, `its resultType is ${shownValue(resultType)}`);
  }

  /** What the server asks, for an owner that answers by itself: bounded, and nothing that was not declared. */
  #relayed(result: JsonObject, question: ResponseContext, owner: Caller | undefined): JsonObject {
    if (readState(result, question) === undefined) refuseNothing(result, question);
    checkInputRequests(result['inputRequests'], { question, terms: this.#terms.answering(owner) });
    return result;
  }

  /** The input responses; undefined when the server asks nothing and only wants a retry. */
  #inputs(result: JsonObject, question: ResponseContext, options: CallOptions): Promise<JsonObject> | undefined {
    const { inputRequests, requestState } = result;
    if (requestState === undefined) refuseNothing(result, question);
    const isEmpty = inputRequests === undefined || (isObject(inputRequests) && Object.keys(inputRequests).length === 0);
    return isEmpty ? undefined : this.#answer(inputRequests, question, options);
  }

  /** Has the owner of this request answer: input requests in a response belong to that request. */
  async #answer(
    requests: unknown,
    question: ResponseContext,
    { signal, owner }: Pick<CallOptions, 'signal' | 'owner'>,
  ): Promise<JsonObject> {
    const { peer } = this.#line;
    const terms = this.#terms.answering(owner);
    const count = isObject(requests) ? Object.keys(requests).length : 0;
    if (terms.questions > 0 && terms.questions + count > INPUT_LIMIT) throw tooManyQuestions(question);
    const abort = new AbortController();
    using _ = onAbort(signal, () => abort.abort());
    if (signal?.aborted === true) abort.abort();
    terms.questions += count;
    try {
      const answers = answerInputRequests(requests, { question, terms, signal: abort.signal });
      return await peer.within(answers, question.method, { timeoutMs: ANSWER_MS, signal });
    } finally {
      // Closes forms that are still shown for it.
      abort.abort();
      terms.questions -= count;
    }
  }
}

/** A server has to ask something, or to give a state with which it is to be asked again. */
function refuseNothing({ inputRequests }: JsonObject, question: ResponseContext): void {
  if (inputRequests === undefined) throw badResponse(question, 'it wants input and does not say which');
}

const ANSWER_MS = 600_000; // ms; bounds forms that are never filled in
const PAUSE = 50;

function tooManyRounds({ server, method }: ResponseContext): HostError {
  const text = `Server "${server}" asked something in return for ${method} more than ${ROUND_LIMIT} times`;
  return new HostError('input-failed', text, {
    hint: 'Tell those who make the server; --record FILE keeps its messages for a report',
  });
}

function tooManyQuestions({ server, method }: ResponseContext): HostError {
  const text = `Server "${server}" has more than ${INPUT_LIMIT} questions open, so that those of ${method} are not asked`;
  return new HostError('input-failed', text, { hint: 'Answer some of the others first, and call again' });
}
