import { isObject, type JsonObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';
import { Diary } from './diary.js';
import { toolLists } from './fixture-lists.js';
import type { FixtureOptions } from './fixture-options.js';
import { replies, type Reply, type ReplyName } from './fixture-replies.js';
import { type Text, texts } from './fixture-texts.js';
import { type WrongAnswer, wrongAnswers } from './fixture-wrongs.js';
import { LegacyManners } from './legacy-manners.js';
import type { FixtureRequest, Manners } from './manners.js';
import { ModernManners, type Whisper } from './modern-manners.js';
import { listResources, readResource } from './resources.js';
import { runTool } from './tools.js';
import { RpcError, text, type ToolConnection, type Try } from './tool-turn.js';

/** How the fixture sends to its client. */
export interface FixtureLine {
  /** `about`: the request that the message belongs to; over HTTP the message goes into its response. */
  send(message: unknown, about?: RequestId): void;
  /** Ends the server as a crash does. */
  die(): void;
  /** Writes raw bytes; only over stdio. */
  write?(pieces: readonly (string | Buffer)[]): void;
  /** Sends a complete HTTP response to a request; only over HTTP. */
  respond?(about: RequestId, reply: Reply): void;
}

/** The server's side of one connection. It follows the specification, except where a test asks for a fault. */
export class Fixture implements ToolConnection {
  readonly diary = new Diary();
  readonly gates = new Map<unknown, () => void>();
  readonly tries = new Map<unknown, Try[]>();
  readonly #line: FixtureLine;
  readonly #options: FixtureOptions;
  readonly #modern: ModernManners;
  readonly #manners: readonly Manners[];
  readonly #asked = new Map<RequestId, (reply: JsonObject) => void>();
  #lastId = 0;

  constructor(line: FixtureLine, options: FixtureOptions) {
    const { speaks = 'legacy' } = options;
    this.#line = line;
    this.#options = options;
    this.#modern = new ModernManners(this.diary, line, options);
    this.#manners = [
      ...(speaks === 'legacy' ? [] : [this.#modern]),
      ...(speaks === 'modern' ? [] : [new LegacyManners(this, line, options)]),
    ];
  }

  take(message: unknown): void {
    this.diary.take(message);
    if (!isObject(message)) return;
    const { id, method, result, error } = message;
    const params = (message['params'] ?? {}) as JsonObject;
    const manners = this.#manners.find((one) => one.owns(message))!;
    if (typeof method !== 'string') this.#asked.get(id as RequestId)?.(error === undefined ? { result } : { error });
    else if (id === undefined) manners.receive(method, params);
    else void this.#answer({ id: id as RequestId, method, params }, manners);
  }

  /** The client has closed the stream of this request, which cancels the request. */
  left(id: RequestId): void {
    this.diary.left(id);
    this.#modern.leave(id);
  }

  announce(method: string, params?: JsonObject): Promise<void> {
    for (const manners of this.#manners) manners.announce(method, params);
    return Promise.resolve();
  }

  die(): void {
    this.#line.die();
  }

  ask({ method, params, about }: Asking): Promise<JsonObject> {
    // String and number ids are equally valid, and clients must return an id unchanged.
    const id = this.#lastId++ % 2 === 0 ? `ask-${this.#lastId}` : this.#lastId;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.#line.send({ jsonrpc: '2.0', id, method, ...(params && { params }) }, about);
    });
  }

  async #answer(request: FixtureRequest, manners: Manners): Promise<void> {
    const { id, method, params } = request;
    try {
      const own = manners.answer(request);
      if (!own && method === 'tools/call' && this.#answerOddly(id, params)) return;
      const result = await (own ?? this.#resultOf(request));
      this.#line.send({ jsonrpc: '2.0', id, result: manners.dress(method, result) }, id);
    } catch (thrown) {
      const { code, message, data } =
        thrown instanceof RpcError ? thrown : new RpcError({ code: -32603, message: String(thrown) });
      this.#line.send({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }, id);
    }
  }

  async #resultOf({ id, method, params }: FixtureRequest): Promise<object> {
    const { inputResponses, requestState } = params;
    const inputs = {
      ...(inputResponses !== undefined && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    };
    switch (method) {
      case 'tools/list':
        return toolLists[this.#options.list ?? 'pages'](params['cursor']);
      case 'resources/list':
        return listResources();
      case 'resources/read':
        return readResource(String(params['uri']), inputs);
      case 'tools/call':
        return runTool(String(params['name']), {
          id,
          input: (params['arguments'] ?? {}) as JsonObject,
          meta: (params['_meta'] ?? {}) as JsonObject,
          inputs,
          connection: this,
          notify: (note, sent) => {
            this.#line.send({ jsonrpc: '2.0', method: note, ...(sent && { params: sent }) }, id);
            return Promise.resolve();
          },
          ask: (asked, sent) => this.ask({ method: asked, params: sent, about: id }),
        });
      default:
        throw new RpcError({ code: -32601, message: 'Method not found' });
    }
  }

  /** Handles tool names whose responses no real tool could give. */
  #answerOddly(id: RequestId, params: JsonObject): boolean {
    const { name, arguments: input } = params;
    const { kind } = (input ?? {}) as { readonly kind: never };
    switch (name) {
      case 'wrong':
        for (const message of wrongAnswers[kind as WrongAnswer](id, params)) this.#line.send(message, id);
        return true;
      case 'write':
        this.#line.write?.(texts[kind as Text](id));
        return true;
      case 'respond':
        this.#line.respond?.(id, replies[kind as ReplyName](id));
        return true;
      case 'whisper':
      case 'end subscriptions':
        if (name === 'whisper') this.#modern.whisper(input as Whisper);
        else this.#modern.endAll();
        this.#line.send({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...text('done') } }, id);
        return true;
      default:
        return false;
    }
  }
}

interface Asking {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly about: RequestId;
}
