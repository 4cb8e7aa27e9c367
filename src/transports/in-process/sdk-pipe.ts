import type { JsonObject } from '../../base/json.js';
import { HostError } from '../../base/errors.js';
import { readResponse } from '../../wire/response.js';
import { encode, encodeRequest } from '../../wire/json/encode.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from '../../wire/message.js';
import type { CloseReason, Pipe, Receiver, RejectedMessage } from '../../wire/pipe.js';
import type { ControlChannel, ControlServerHandler } from './control-channel.js';

/** Opens the pipe to a server of the embedding program over the control channel. Throws a HostError. */
export function openSdkPipe(name: string, channel: ControlChannel): Pipe {
  const pipe = new SdkPipe(name, channel);
  channel.attach(name, pipe);
  return pipe;
}

class SdkPipe implements Pipe, ControlServerHandler {
  readonly losesSessions = false;
  readonly hasHeaders = false;
  readonly closed: Promise<CloseReason>;
  readonly #name: string;
  readonly #channel: ControlChannel;
  readonly #asked = new Map<RequestId, { readonly key: string; readonly method: string }>();
  #receiver: Receiver | undefined;
  #isOver = false;
  #resolve: (reason: CloseReason) => void = () => {};

  constructor(name: string, channel: ControlChannel) {
    this.#name = name;
    this.#channel = channel;
    this.closed = new Promise((resolve) => (this.#resolve = resolve));
  }

  get backlog(): number {
    return this.#channel.backlog;
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  request(request: JsonRpcRequest): void {
    const { id, method } = request;
    // The caller learns of the end by `closed`.
    if (this.#isOver) return;
    try {
      const key = this.#channel.ask(this.#name, encodeRequest(request), { end: this, id });
      this.#asked.set(id, { key, method });
    } catch (error) {
      this.#receiver?.failed(id, error as HostError);
    }
  }

  async notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    if (this.#isOver) throw new HostError('connection-closed', `The connection to server "${this.#name}" was closed`);
    this.#channel.tell(this.#name, encode(message));
  }

  abandon(id: RequestId): boolean {
    const asked = this.#take(id);
    if (asked) this.#channel.forget(asked.key);
    return false;
  }

  adopt(): void {}

  listen(): void {}

  [Symbol.asyncDispose](): Promise<void> {
    this.#channel.detach(this.#name, this);
    this.ended({ kind: 'disposed' });
    return DONE;
  }

  answered(id: RequestId, response: unknown): void {
    const receiver = this.#receiver;
    this.#take(id);
    if (response !== undefined) receiver?.message(response, id);
    // The envelope names the request. A body that does not answer it fails the request now, not at its deadline.
    if (receiver?.isPending(id) !== true) return;
    const reason = response === undefined ? 'it has no "mcp_response"' : 'its "mcp_response" does not answer it';
    receiver.refused({ code: 'bad-answer', reason, ids: [], isAnswer: true }, id);
  }

  failed(id: RequestId, text: string): void {
    const { method = '' } = this.#take(id) ?? {};
    this.#receiver?.failed(id, readResponse({ error: text }, { server: this.#name, method }) as HostError);
  }

  refused(id: RequestId, refusal: RejectedMessage): void {
    this.#take(id);
    this.#receiver?.refused(refusal, id);
  }

  messageReceived(message: JsonObject): void {
    this.#receiver?.message(message);
  }

  ended(reason: CloseReason): void {
    this.#isOver = true;
    this.#asked.clear();
    this.#resolve(reason);
  }

  #take(id: RequestId): { readonly key: string; readonly method: string } | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }
}

const DONE = Promise.resolve();
