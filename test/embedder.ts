import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { isObject, type JsonObject } from '../src/base/json.js';
import type { LinkedEnd } from '../src/transports/in-process/in-process-pipe.js';
import type { JsonRpcMessage } from '../src/wire/message.js';

/** A control message from the host to the program that embeds it. */
export interface ControlRequest {
  readonly type: 'control_request';
  readonly request_id: string;
  readonly request: { readonly subtype: string; readonly server_name: string; readonly message: JsonObject };
}

export interface EmbedderOptions {
  /** The host's stdout. */
  readonly input: Readable;
  /** The host's stdin. */
  readonly output: Writable;
  /** Servers inside the program; each function connects its server once. */
  readonly servers?: Readonly<Record<string, (end: LinkedEnd) => void | Promise<void>>>;
  /** Answers a request instead of a server, and returns true; returns false to leave the request to the server. */
  readonly onRequest?: (request: ControlRequest) => boolean;
}

/** The program that embeds a host: connects its servers to the host as the published agent SDKs do. */
export class Embedder {
  /** The host's lines that are not requests to a server: responses, and its final output. */
  readonly others: JsonObject[] = [];
  readonly requests: ControlRequest[] = [];
  /** Resolves when the host's stdout has ended. */
  readonly ended: Promise<void>;
  readonly #options: EmbedderOptions;
  readonly #ends = new Map<string, Bridge>();
  readonly #looks = new Set<() => void>();

  constructor(options: EmbedderOptions) {
    this.#options = options;
    options.output.on('error', () => {}); // a host that has exited reads no more
    for (const [name, connect] of Object.entries(options.servers ?? {})) {
      const bridge = new Bridge((message) => this.say(name, message));
      this.#ends.set(name, bridge);
      void connect(bridge.end);
    }
    const lines = createInterface({ input: options.input });
    lines.on('line', (line) => this.#take(line));
    this.ended = new Promise((resolve) => lines.once('close', resolve));
  }

  /** Sends a message of a server that is not a response. */
  say(server: string, message: JsonObject | JsonRpcMessage, key = `said-${Math.random()}`): void {
    const request = { subtype: 'mcp_message', server_name: server, message };
    this.send({ type: 'control_request', request_id: key, request });
  }

  answer({ request_id: key }: ControlRequest, response: unknown): void {
    this.send({
      type: 'control_response',
      response: { subtype: 'success', request_id: key, response: { mcp_response: response } },
    });
  }

  send(line: unknown): void {
    this.raw(`${JSON.stringify(line)}\n`);
  }

  raw(text: string | Buffer): void {
    this.#options.output.write(text);
  }

  /** Resolves as soon as `find` returns a value. */
  until<Found>(find: () => Found | undefined): Promise<Found> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      look();
    });
  }

  /** Resolves with the `count`-th request of this method. */
  asked(method: string, count = 1): Promise<ControlRequest> {
    return this.until(() => this.requests.filter(({ request }) => request.message['method'] === method)[count - 1]);
  }

  #take(line: string): void {
    const parsed = JSON.parse(line) as JsonObject;
    if (parsed['type'] !== 'control_request') this.others.push(parsed);
    else {
      const request = parsed as unknown as ControlRequest;
      this.requests.push(request);
      if (this.#options.onRequest?.(request) !== true) void this.#serve(request);
    }
    for (const look of this.#looks) look();
  }

  async #serve(request: ControlRequest): Promise<void> {
    const { server_name: server, message } = request.request;
    const bridge = this.#ends.get(server);
    if (bridge) this.answer(request, await bridge.deliver(message));
    else if (this.#options.servers) {
      const error = `Server '${server}' not found`;
      this.send({ type: 'control_response', response: { subtype: 'error', request_id: request.request_id, error } });
    }
  }
}

/** One server's end: a response goes back with its request, any other message as a request of the program. */
class Bridge {
  readonly end: LinkedEnd;
  readonly #waiting = new Map<unknown, (answer: JsonRpcMessage) => void>();

  constructor(say: (message: JsonRpcMessage) => void) {
    this.end = {
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send: async (message) => {
        const settle = 'method' in message ? undefined : this.#waiting.get(message.id);
        if (settle) settle(message);
        else say(message);
      },
    };
  }

  deliver(message: JsonObject): Promise<object> {
    return new Promise((resolve) => {
      const { id, method } = message;
      if (method !== undefined && id !== undefined) this.#waiting.set(id, resolve);
      else resolve({ jsonrpc: '2.0', result: {} });
      this.end.onmessage?.(message as unknown as JsonRpcMessage);
    });
  }
}

/** Answers as an embedding program whose server knows the handshake and tool calls. */
export function behave(embedder: () => Embedder): (request: ControlRequest) => boolean {
  return (request) => {
    const { message } = request.request;
    const { id, method, params } = message;
    if (id === undefined) embedder().answer(request, { jsonrpc: '2.0', result: {} });
    else if (method === 'server/discover') {
      embedder().answer(request, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    } else if (method === 'initialize') {
      const serverInfo = { name: 'calc', version: '1' };
      embedder().answer(request, {
        jsonrpc: '2.0',
        id,
        result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
      });
    } else embedder().answer(request, { jsonrpc: '2.0', id, result: { echo: isObject(params) ? params : {} } });
    return true;
  };
}
