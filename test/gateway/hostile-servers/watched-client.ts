import { isObject, type JsonObject, parseJson } from '../../../src/base/json.js';
import { hiddenKind } from '../../../src/model/text/hidden-characters.js';
import { FORGED, SECRET } from '../../../src/testing/expectation.js';
import { Exchange, type Exchanged } from './exchange.js';

/** What entries of servers have, and nobody may see. */
export const PRIVATE = 'tok-4711-of-the-entry';

export type Era = 'legacy' | 'modern';

export interface WatchedClientOptions {
  readonly url: string;
  readonly era: Era;
  readonly name: string;
  readonly capabilities?: JsonObject;
  /** Answers a question; what it returns is the result. Default: declines. */
  readonly answer?: (method: string, params: JsonObject) => JsonObject;
}

/** What became of one request. */
export interface Outcome {
  readonly status: number;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
  /** The bytes of the response, as text. */
  readonly bytes: string;
}

const VERSIONS = { legacy: '2025-11-25', modern: '2026-07-28' };
const ROUNDS = 30; // a gateway passes on as many rounds as its client wants: this one has had enough
export const ENOUGH = 'had enough of questions';

/** A client of either era that looks at every message it gets, and keeps what no client should ever get. */
export class WatchedClient implements Disposable {
  /** What was wrong with messages. */
  readonly faults: string[] = [];
  readonly asked: string[] = [];
  readonly notified: string[] = [];
  /** What the server said of itself. */
  opened: JsonObject = {};
  readonly #options: WatchedClientOptions;
  readonly #exchange: Exchange;
  readonly #streams = new AbortController();
  #session: string | undefined;
  #ids = 0;

  constructor(options: WatchedClientOptions) {
    this.#options = options;
    this.#exchange = new Exchange(options.url);
  }

  /** The status of the first answer: 404 where there is no such server. */
  async open(): Promise<number> {
    const { era, name } = this.#options;
    if (era === 'modern') {
      const { status, result = {} } = await this.request('server/discover');
      this.opened = result;
      return status;
    }
    const { capabilities = {} } = this.#options;
    const clientInfo = { name, version: '1' };
    const opened = await this.request('initialize', { protocolVersion: VERSIONS.legacy, capabilities, clientInfo });
    this.opened = opened.result ?? {};
    if (opened.status === 200) await this.#post({ method: 'notifications/initialized' });
    return opened.status;
  }

  /** Hears what is told outside of calls, until the client is disposed of. Resolves when the stream has begun. */
  listen(): void {
    const { signal } = this.#streams;
    const tell = (text: string): void => void this.#take(text, undefined);
    if (this.#options.era === 'legacy') {
      this.#exchange.send({ method: 'GET', headers: this.#headers({}), signal }, tell).catch(this.#broken);
      return;
    }
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const message = { id: 'listen', method: 'subscriptions/listen', params: this.#enveloped({ notifications }) };
    this.#post(message, tell, signal).catch(this.#broken);
  }

  /** A call, after all that was asked meanwhile. */
  async call(name: string, input: JsonObject): Promise<Outcome> {
    let params: JsonObject = { name, arguments: input };
    for (let round = 0; round < ROUNDS; round++) {
      const outcome = await this.request('tools/call', params);
      const { result } = outcome;
      if (result?.['resultType'] !== 'input_required') return outcome;
      const { inputRequests = {}, requestState } = result;
      const answers = Object.entries(inputRequests as JsonObject).map(([key, question]) => {
        const { method, params: asked } = question as { method: string; params?: JsonObject };
        return [key, this.#answerTo(method, asked ?? {})] as const;
      });
      const state = requestState === undefined ? {} : { requestState };
      params = { name, arguments: input, inputResponses: Object.fromEntries(answers), ...state };
    }
    return { status: 200, error: { message: ENOUGH }, bytes: '' };
  }

  async request(method: string, params: JsonObject = {}): Promise<Outcome> {
    const id = ++this.#ids;
    const token = `${this.#options.name}-${id}`;
    const answers: { message: JsonObject; text: string }[] = [];
    const message = { id, method, params: this.#enveloped({ ...params, _meta: { progressToken: token } }) };
    const { status } = await this.#post(message, (text) => {
      const answer = this.#take(text, { id, token });
      if (answer) answers.push({ message: answer, text });
    });
    const [answer] = answers;
    if (answers.length > 1) this.faults.push(`${answers.length} answers to ${method}`);
    if (!answer) {
      if (status !== NOT_FOUND && status !== TOO_LARGE) this.faults.push(`no answer to ${method}, status ${status}`);
      return { status, error: { message: `status ${status}` }, bytes: '' };
    }
    const { result, error } = answer.message;
    return {
      status,
      ...(isObject(result) && { result }),
      ...(isObject(error) && { error }),
      bytes: answer.text,
    };
  }

  [Symbol.dispose](): void {
    this.#streams.abort();
    this.#exchange[Symbol.dispose]();
  }

  /** What nobody waits for has failed. */
  readonly #broken = (error: unknown): void => {
    if (!this.#streams.signal.aborted) this.faults.push(`a connection broke: ${String(error)}`);
  };

  /** Looks at one message; the response that was waited for, if it is this. */
  #take(text: string, waiting: { readonly id: number; readonly token: string } | undefined): JsonObject | undefined {
    const message: unknown = parseJson(text);
    if (!isObject(message) || message['jsonrpc'] !== '2.0') {
      this.faults.push(`malformed: ${text.slice(0, 200)}`);
      return undefined;
    }
    for (const word of [FORGED, SECRET, PRIVATE])
      if (text.includes(word)) this.faults.push(`${word} in ${text.slice(0, 200)}`);
    const hidden = hiddenIn(message);
    if (hidden !== undefined) this.faults.push(`nobody sees all of ${hidden}`);
    const { id, method, params, result, error } = message;
    if (typeof method === 'string') {
      const told = isObject(params) ? params : {};
      if (id !== undefined) this.#ask(id, method, told).catch(this.#broken);
      else this.#hear(method, told, waiting?.token);
      return undefined;
    }
    if (waiting && id === waiting.id && isObject(result) !== isObject(error)) return message;
    const isNobodys = id === null && isObject(error); // of what is no message at this address, or not yet
    if (!isNobodys && !(waiting === undefined && id === 'listen')) this.faults.push(`foreign: ${text.slice(0, 200)}`);
    return undefined;
  }

  #hear(method: string, params: JsonObject, token: string | undefined): void {
    this.notified.push(method);
    if (method === 'notifications/progress' && params['progressToken'] !== token)
      this.faults.push(`progress of another call: ${JSON.stringify(params).slice(0, 200)}`);
    if (!NOTIFICATIONS.has(method)) this.faults.push(`an unknown notification: ${method.slice(0, 100)}`);
  }

  async #ask(id: unknown, method: string, params: JsonObject): Promise<void> {
    if (method === 'ping') return void (await this.#post({ id, result: {} }));
    const result = this.#answerTo(method, params);
    // Refused once the call is over.
    await this.#post({ id, result }, () => {});
  }

  #answerTo(method: string, params: JsonObject): JsonObject {
    this.asked.push(method);
    const { capabilities = {}, answer } = this.#options;
    const needed = QUESTIONS[method];
    if (needed === undefined || capabilities[needed] === undefined) this.faults.push(`asked what it cannot: ${method}`);
    return answer ? answer(method, params) : { action: 'decline' };
  }

  #headers({ method, params }: { readonly method?: unknown; readonly params?: unknown }): Record<string, string> {
    const { era, name: client } = this.#options;
    const name = isObject(params) ? (params['name'] ?? params['uri'] ?? params['taskId']) : undefined;
    return {
      accept: 'application/json, text/event-stream',
      ...(method !== 'initialize' && { 'mcp-protocol-version': VERSIONS[era] }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...(era === 'modern' && {
        'plugboard-session': client,
        ...(typeof method === 'string' && { 'mcp-method': method }),
        ...(typeof name === 'string' && { 'mcp-name': name }),
      }),
    };
  }

  async #post(message: JsonObject, tell: (text: string) => void = () => {}, signal?: AbortSignal): Promise<Exchanged> {
    const headers = { ...this.#headers(message), 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const answered = await this.#exchange.send({ method: 'POST', headers, body, ...(signal && { signal }) }, tell);
    const session = answered.headers['mcp-session-id'];
    if (typeof session === 'string') this.#session = session;
    return answered;
  }

  #enveloped({ _meta: meta, ...params }: JsonObject): JsonObject {
    const { era, name, capabilities = {} } = this.#options;
    if (era === 'legacy') return { ...params, ...(meta !== undefined && { _meta: meta }) };
    return {
      ...params,
      _meta: {
        ...(isObject(meta) && meta),
        'io.modelcontextprotocol/protocolVersion': VERSIONS.modern,
        'io.modelcontextprotocol/clientInfo': { name, version: '1' },
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      },
    };
  }
}

const NOT_FOUND = 404;
const TOO_LARGE = 413;
const NOTIFICATIONS = new Set([
  'notifications/progress',
  'notifications/message',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/subscriptions/acknowledged',
]);
const QUESTIONS: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};
const LOOKED_AT = 100_000; // characters of each text

/** The first text with an invisible character, at any depth. */
function hiddenIn(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const text = value.slice(0, LOOKED_AT);
    for (const character of text) {
      if (character === '\n' || character === '\t') continue;
      if (hiddenKind(character.codePointAt(0)!) !== undefined) return JSON.stringify(text.slice(0, 100));
    }
    return undefined;
  }
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const found = hiddenIn(key) ?? hiddenIn(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
