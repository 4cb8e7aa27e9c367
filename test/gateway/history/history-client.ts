import { isObject, type JsonObject } from '../../../src/base/json.js';
import { HttpExchange } from './http-exchange.js';

export interface HistoryClientOptions {
  readonly url: string;
  readonly name: string;
  readonly era: 'legacy' | 'modern';
  /** The header `Plugboard-Session` of a modern client. */
  readonly session?: string;
  /** Answers a question; what it returns is the result. */
  readonly answer: (method: string, params: JsonObject) => JsonObject;
}

const capabilities = { elicitation: { form: {} }, sampling: {} };
const VERSIONS = { legacy: '2025-11-25', modern: '2026-07-28' };
const ROUND_LIMIT = 10;

/** A client of either era, as small as can be. Every client counts its ids from 1, a modern one uses nothing but 1. */
export class HistoryClient implements Disposable {
  readonly #options: HistoryClientOptions;
  readonly #exchange: HttpExchange;
  #session: string | undefined;
  #ids = 0;

  constructor(options: HistoryClientOptions) {
    this.#options = options;
    this.#exchange = new HttpExchange(options.url);
  }

  async open(): Promise<void> {
    if (this.#options.era === 'modern') return;
    const { name: client } = this.#options;
    const clientInfo = { name: client, version: '1' };
    const opened: { headers?: NodeJS.Dict<string | string[]> } = {};
    await this.#request('initialize', { protocolVersion: VERSIONS.legacy, capabilities, clientInfo }, opened);
    const id = opened.headers?.['mcp-session-id'];
    if (typeof id === 'string') this.#session = id;
    await this.#post({ method: 'notifications/initialized' });
  }

  /** The result of a call, after all that was asked meanwhile. Rejects with the error that came instead. */
  async call(name: string, input: JsonObject): Promise<JsonObject> {
    let params: JsonObject = { name, arguments: input };
    for (let round = 0; round < ROUND_LIMIT; round++) {
      const result = await this.#request('tools/call', params);
      if (result['resultType'] !== 'input_required') return result;
      const { inputRequests = {}, requestState } = result as { inputRequests?: JsonObject; requestState?: string };
      const answers = Object.entries(inputRequests).map(([key, question]) => {
        const { method, params: asked } = question as { method: string; params: JsonObject };
        return [key, this.#options.answer(method, asked)] as const;
      });
      params = {
        name,
        arguments: input,
        inputResponses: Object.fromEntries(answers),
        ...(requestState !== undefined && { requestState }),
      };
    }
    throw new Error('There was no end of questions');
  }

  async #request(
    method: string,
    params: JsonObject,
    opened: { headers?: NodeJS.Dict<string | string[]> } = {},
  ): Promise<JsonObject> {
    const id = this.#options.era === 'modern' ? 1 : ++this.#ids;
    const answers: JsonObject[] = [];
    const posted = await this.#post({ id, method, params: this.#enveloped(params) }, (message) => {
      if (typeof message['method'] !== 'string') answers.push(message);
      else if (message['id'] !== undefined) void this.#answer(message);
    });
    opened.headers = posted.headers;
    const [answer] = answers;
    if (answers.length !== 1 || answer?.['id'] !== id) {
      throw new Error(`${answers.length} answers to ${method}, status ${posted.status}: ${JSON.stringify(answers)}`);
    }
    if (isObject(answer['result'])) return answer['result'];
    throw new Error(`${method}: ${JSON.stringify(answer['error'])}`);
  }

  async #answer({ id, method, params }: JsonObject): Promise<void> {
    await this.#post({ id, result: this.#options.answer(String(method), isObject(params) ? params : {}) });
  }

  #post(message: JsonObject, tell: (message: JsonObject) => void = () => {}) {
    const { era, session } = this.#options;
    const { method, params } = message as { method?: string; params?: { name?: string } };
    const headers = {
      ...(message['method'] !== 'initialize' && { 'mcp-protocol-version': VERSIONS[era] }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...(era === 'modern' && method !== undefined && { 'mcp-method': method }),
      ...(era === 'modern' && params?.name !== undefined && { 'mcp-name': params.name }),
      ...(session !== undefined && { 'plugboard-session': session }),
    };
    return this.#exchange.post({ jsonrpc: '2.0', ...message }, headers, tell);
  }

  #enveloped(params: JsonObject): JsonObject {
    if (this.#options.era === 'legacy') return params;
    return {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': VERSIONS.modern,
        'io.modelcontextprotocol/clientInfo': { name: this.#options.name, version: '1' },
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      },
    };
  }

  [Symbol.dispose](): void {
    this.#exchange[Symbol.dispose]();
  }
}
