// A server of the old era, by hand: https://modelcontextprotocol.io/specification/2025-11-25
import { isObject } from '../../../src/base/json.js';
import type { JsonObject, RequestId } from '../../../src/wire/message.js';
import { Diary } from './diary.js';
import { toolLists } from './fixture-lists.js';
import { replies, type Reply, type ReplyName } from './fixture-replies.js';
import { type Text, texts } from './fixture-texts.js';
import { type WrongAnswer, wrongAnswers } from './fixture-wrongs.js';
import { capabilities, instructions, RpcError, runTool, serverInfo, type ToolConnection } from './tools.js';

/** How the fixture differs from a server at its best; goes to another process as JSON. */
export interface FixtureOptions {
  /** What it answers to initialize; the client's own wish by default. */
  readonly version?: unknown;
  readonly refusal?: { readonly code: number; readonly message: string };
  readonly list?: keyof typeof toolLists;
  readonly capabilities?: object;
  /** Over HTTP: there is no stream for what nobody asked for. */
  readonly stream?: 'none';
  /** Over HTTP: a session is forgotten as soon as it is open. */
  readonly memory?: 'none';
  /** What it does instead of greeting back, or before it does. */
  readonly greeting?: 'silence' | 'death' | 'a question first' | 'twice';
}

/** The road back to the client. */
export interface FixtureLine {
  /** `about`: the request that it belongs to, on whose own channel HTTP sends it. */
  send(message: unknown, about?: RequestId): void;
  /** Goes down as a crash would. */
  die(): void;
  /** Bytes as they are, which only a process can send. */
  write?(pieces: readonly (string | Buffer)[]): void;
  /** Responds to a request by itself, which only HTTP can. */
  respond?(about: RequestId, reply: Reply): void;
}

/** The server's side of one connection. Everything it does is legal, but for what it is told to do wrongly. */
export class Fixture implements ToolConnection {
  readonly diary = new Diary();
  readonly gates = new Map<unknown, () => void>();
  readonly #line: FixtureLine;
  readonly #options: FixtureOptions;
  readonly #asked = new Map<RequestId, (reply: JsonObject) => void>();
  #lastId = 0;

  constructor(line: FixtureLine, options: FixtureOptions) {
    this.#line = line;
    this.#options = options;
  }

  take(message: unknown): void {
    this.diary.take(message);
    if (!isObject(message)) return;
    const { id, method, result, error } = message;
    if (typeof method !== 'string') this.#asked.get(id as RequestId)?.(error === undefined ? { result } : { error });
    else if (id !== undefined) void this.#answer(id as RequestId, method, (message['params'] ?? {}) as JsonObject);
  }

  announce(method: string, params?: JsonObject): Promise<void> {
    return this.#notify(method, params);
  }

  die(): void {
    this.#line.die();
  }

  async #answer(id: RequestId, method: string, params: JsonObject): Promise<void> {
    if (method === 'tools/call' && this.#answerOddly(id, params)) return;
    try {
      const result = await this.#resultOf({ id, method, params });
      this.#line.send({ jsonrpc: '2.0', id, result }, id);
    } catch (thrown) {
      const { code, message, data } =
        thrown instanceof RpcError ? thrown : new RpcError({ code: -32603, message: String(thrown) });
      this.#line.send({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }, id);
    }
  }

  #resultOf({ id, method, params }: { id: RequestId; method: string; params: JsonObject }): unknown {
    switch (method) {
      case 'initialize':
        return this.#greet(id, params);
      case 'tools/list':
        return toolLists[this.#options.list ?? 'pages'](params['cursor']);
      case 'tools/call':
        return runTool(String(params['name']), {
          id,
          input: (params['arguments'] ?? {}) as JsonObject,
          meta: (params['_meta'] ?? {}) as JsonObject,
          connection: this,
          notify: (note, sent) => this.#notify(note, sent, id),
          ask: (asked, sent) => this.#ask({ method: asked, params: sent, about: id }),
        });
      case 'ping':
      case 'logging/setLevel':
        return {};
      default:
        throw new RpcError({ code: -32601, message: 'Method not found' });
    }
  }

  async #greet(id: RequestId, { protocolVersion }: JsonObject): Promise<object> {
    const { version = protocolVersion, refusal, greeting, capabilities: offered = capabilities } = this.#options;
    if (refusal) throw new RpcError(refusal);
    if (greeting === 'death') this.die();
    if (greeting === 'death' || greeting === 'silence') await new Promise(() => {});
    if (greeting === 'a question first') await this.#ask({ method: 'ping', params: undefined, about: id });
    const result = { protocolVersion: version, capabilities: offered, serverInfo, instructions };
    if (greeting === 'twice') this.#line.send({ jsonrpc: '2.0', id, result }, id);
    return greeting === 'twice' ? { ...result, instructions: 'Ask for what I need.' } : result;
  }

  /** The tools that are no tools: they answer in ways that a tool could not. */
  #answerOddly(id: RequestId, params: JsonObject): boolean {
    const { name, arguments: input } = params;
    const { kind } = (input ?? {}) as { readonly kind: never };
    if (name === 'wrong')
      for (const message of wrongAnswers[kind as WrongAnswer](id, params)) this.#line.send(message, id);
    else if (name === 'write') this.#line.write?.(texts[kind as Text](id));
    else if (name === 'respond') this.#line.respond?.(id, replies[kind as ReplyName](id));
    else return false;
    return true;
  }

  #notify(method: string, params?: JsonObject, about?: RequestId): Promise<void> {
    this.#line.send({ jsonrpc: '2.0', method, ...(params && { params }) }, about);
    return Promise.resolve();
  }

  #ask({
    method,
    params,
    about,
  }: {
    method: string;
    params: JsonObject | undefined;
    about: RequestId;
  }): Promise<JsonObject> {
    // A text as id is as good as a number, and clients have to give it back as it is.
    const id = this.#lastId++ % 2 === 0 ? `ask-${this.#lastId}` : this.#lastId;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.#line.send({ jsonrpc: '2.0', id, method, ...(params && { params }) }, about);
    });
  }
}
