import { HostError } from '../../base/errors.js';
import { parseJson } from '../../base/json.js';
import { onAbort } from '../../base/on-abort.js';
import { VERSION } from '../../base/version.js';
import { HttpClient, type HttpExchange, type HttpHeaders } from '../../edge/network/http-client.js';
import { toRetryAfter } from '../../edge/network/retry-after.js';
import { findRoute } from '../../edge/network/route.js';
import type { Clock } from '../../model/clock.js';
import { AnswerStream } from './answer-stream.js';
import { type ModelLimits, toKeyHeaders } from './model-endpoint.js';
import { contextTokensOf, type ListedModel, parseModelList, readContextTokens } from './model-list.js';
import { type RequestedModel, ModelError, answerError, connectionError, statusError, toLabel } from './model-error.js';

export interface ModelFetchOptions extends RequestedModel {
  /** Headers of every request besides program and key; names and values alternating. */
  readonly headers?: readonly string[];
  readonly limits: ModelLimits;
  readonly clock: Clock;
}

/**
 * Sends requests to a model's API: over kept connections, by the same routes as to any server (proxies, certificate
 * authorities, addresses), bounded in time and size. Anything but a successful response is a ModelError.
 */
export class ModelFetch {
  readonly #options: ModelFetchOptions;
  #client: Promise<HttpClient> | undefined;

  constructor(options: ModelFetchOptions) {
    this.#options = options;
  }

  /** A POST whose response is a stream of events. */
  async post(path: string, body: object, signal: AbortSignal): Promise<AnswerStream> {
    const headers = [...this.#headers(), 'content-type', 'application/json'];
    const { head, stream } = await this.#send({ method: 'POST', path, headers, body: JSON.stringify(body) }, signal);
    const type = head.headers.get('content-type')?.toLowerCase() ?? '';
    if (head.status >= 200 && head.status < 300 && !/json|html/u.test(type)) return stream;
    const text = await stream.readText(BODY_LIMIT);
    if (head.status >= 200 && head.status < 300) throw this.#noStream(type, text);
    throw statusError(
      {
        status: head.status,
        text,
        afterMs: toPause(head.headers),
        shouldRetry: toVerdict(head.headers.get('x-should-retry')),
        models: head.status === 404 ? (await this.listModels(signal)).map(({ name }) => name) : [],
      },
      this.#options,
    );
  }

  /** The endpoint's models; empty when it does not list them. Rejects only if `isNeeded`. */
  async listModels(signal: AbortSignal, { isNeeded = false } = {}): Promise<readonly ListedModel[]> {
    try {
      return parseModelList(await this.#get('/models', AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)])));
    } catch (error) {
      if (isNeeded) throw error;
      return [];
    }
  }

  /** The context window of the model, as the endpoint's list has it; undefined when it does not. May reject. */
  async findContextTokens(): Promise<number | undefined> {
    const { endpoint, model } = this.#options;
    const signal = AbortSignal.timeout(FIND_MS);
    if (endpoint.api === 'anthropic')
      return readContextTokens(parseJson(await this.#get(`/models/${encodeURIComponent(model)}`, signal)));
    // The list of OpenAI itself has names only.
    if (endpoint.provider === 'OpenAI') return undefined;
    return contextTokensOf(parseModelList(await this.#get('/models', signal)), model);
  }

  /** The body of a GET, as text. */
  async #get(path: string, signal: AbortSignal): Promise<string> {
    const headers = [...this.#headers(), 'accept', 'application/json'];
    const { head, stream } = await this.#send({ method: 'GET', path, headers, body: null }, signal);
    const text = await stream.readText(LIST_LIMIT);
    if (head.status !== 200) throw statusError({ status: head.status, text }, this.#options);
    return text;
  }

  /** The headers of every request: program, those of the API, and key. */
  #headers(): readonly string[] {
    const { endpoint, headers = [] } = this.#options;
    return ['user-agent', `plugboard/${VERSION}`, ...headers, ...Object.entries(toKeyHeaders(endpoint.key)).flat()];
  }

  /** The client, once the route to the endpoint is known. */
  #open(): Promise<HttpClient> {
    const { endpoint } = this.#options;
    const label = toLabel(endpoint);
    const url = new URL(endpoint.baseUrl);
    return (this.#client ??= findRoute(url, { label, env: endpoint.env, cwd: endpoint.cwd }).then(
      (route) => new HttpClient({ origin: url.origin, label, route }),
    ));
  }

  async #send(
    request: { method: 'GET' | 'POST'; path: string; headers: string[]; body: string | null },
    signal: AbortSignal,
  ): Promise<{ readonly head: Head; readonly stream: AnswerStream }> {
    let client: HttpClient;
    try {
      client = await this.#open();
    } catch (cause) {
      this.#client = undefined;
      throw cause instanceof HostError ? connectionError(cause, this.#options) : cause;
    }
    const { limits, clock, endpoint } = this.#options;
    const { pathname } = new URL(`${endpoint.baseUrl}${request.path}`);
    return new Promise((resolve, reject) => {
      let listening: Disposable | undefined;
      const stream = new AnswerStream({
        limits,
        clock,
        toModelError: (what) => answerError(what, this.#options),
        onOver: () => listening?.[Symbol.dispose](),
      });
      const abort = (): void => {
        const error = new HostError('cancelled', `${toLabel(this.#options.endpoint)}: the request was cancelled`);
        exchange.abort();
        reject(error);
        stream.fail(error);
      };
      const exchange: HttpExchange = client.send(
        {
          method: request.method,
          path: pathname,
          headers: request.headers,
          body: request.body === null ? null : Buffer.from(request.body, 'utf8'),
          headersTimeoutMs: limits.firstByteMs,
        },
        {
          headers: (status, headers) => {
            stream.begin();
            resolve({ head: { status, headers }, stream });
          },
          data: (bytes) => stream.push(bytes),
          end: () => stream.end(),
          failed: (cause) => {
            const error = connectionError(cause, this.#options);
            reject(error);
            stream.fail(error);
          },
        },
      );
      stream.attach(exchange);
      if (signal.aborted) abort();
      else listening = onAbort(signal, abort);
    });
  }

  /** Some endpoints report an error with status 200; others do not stream, or are no model API at all. */
  #noStream(type: string, text: string): ModelError {
    if (type.includes('json') && text.includes('"error"')) return statusError({ status: 200, text }, this.#options);
    const { baseUrl, api } = this.#options.endpoint;
    const failure = new HostError(
      'model-failed',
      `${toLabel(this.#options.endpoint)} answered with ${type.split(';')[0]?.slice(0, 60)} instead of a stream of events`,
      { hint: `Is ${baseUrl} the address of an API like ${api === 'anthropic' ? "Anthropic's" : "OpenAI's"}?` },
    );
    return new ModelError(failure, { isTransient: false, reason: 'no stream' });
  }
}

interface Head {
  readonly status: number;
  readonly headers: HttpHeaders;
}

const BODY_LIMIT = 65_536; // bytes; only one sentence of an error is shown
const LIST_LIMIT = 4_194_304; // some endpoints list thousands of models, each with a long description
const LIST_MS = 10_000;
const FIND_MS = 5_000; // nobody waits for it, except a conversation that is about to be made shorter

function toPause(headers: HttpHeaders): number | undefined {
  const exact = headers.get('retry-after-ms')?.trim() ?? '';
  return /^\d{1,9}$/u.test(exact) ? Number(exact) : toRetryAfter(headers);
}

function toVerdict(value: string | undefined): boolean | undefined {
  return value === 'true' ? true : value === 'false' ? false : undefined;
}
