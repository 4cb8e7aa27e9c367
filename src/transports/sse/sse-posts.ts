import { isObject } from '../../base/json.js';
import { within } from '../../base/within.js';
import type { HttpRequest } from '../../edge/network/http-client.js';
import type { RequestId } from '../../wire/message.js';
import type { Receiver } from '../../wire/pipe.js';
import { LAST_MESSAGE_TIMEOUT_MS, BODY_END_TIMEOUT_MS } from '../http/http-limits.js';
import type { HttpContext } from '../http/http-context.js';
import { SsePost, type SseSender } from './sse-post.js';

/** The POSTs to one server in flight, in no order. An array for the reason given in `HttpCalls`. */
export class SsePosts {
  readonly context: HttpContext;
  readonly #posts: SsePost[] = [];
  #bodyContext: HttpContext | undefined;
  /** One timer for all: one for each would cost more than sending. */
  #timer: Disposable | undefined;
  #onQuiet: (() => void) | undefined;

  constructor(context: HttpContext) {
    this.context = context;
  }

  /** The context for bodies of POST responses, as opposed to the stream. */
  get bodyContext(): HttpContext {
    return (this.#bodyContext ??= { ...this.context, receiver: onlyAnswers(this.context.receiver) });
  }

  send(request: HttpRequest, sender: SseSender): void {
    const post = new SsePost(this, request, sender);
    post.place = this.#posts.push(post) - 1;
    this.#timer ??= this.context.clock.after(BODY_END_TIMEOUT_MS, this.#look);
  }

  /** Moves the last POST to the index of the removed one. */
  remove(post: SsePost): void {
    const last = this.#posts.pop()!;
    if (last !== post) {
      this.#posts[post.place] = last;
      last.place = post.place;
    }
    if (this.#posts.length === 0) this.#onQuiet?.();
  }

  /** Ends the POST of a request whose response is no longer awaited. */
  abandon(id: RequestId): void {
    this.#posts.find(({ sender }) => sender.kind === 'request' && sender.id === id)?.close();
  }

  /** Waits a short time for notifications being sent: a cancellation is often followed at once by the end. */
  async close(): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    for (const post of this.#posts.filter(({ sender }) => sender.kind === 'request')) post.close();
    if (this.#posts.length > 0) {
      const quiet = new Promise<void>((resolve) => (this.#onQuiet = resolve));
      await within(quiet, {
        deadline: (expire) => this.context.clock.after(LAST_MESSAGE_TIMEOUT_MS, expire),
        instead: () => {},
      });
    }
    while (this.#posts.length > 0) this.#posts.at(-1)!.close();
  }

  readonly #look = (): void => {
    // Backwards: a removed POST is replaced by the last one, which has been visited by then.
    for (let index = this.#posts.length - 1; index >= 0; index--) this.#posts[index]!.look();
    this.#timer = this.#posts.length === 0 ? undefined : this.context.clock.after(BODY_END_TIMEOUT_MS, this.#look);
  };
}

/** Passes only JSON-RPC responses: some servers send them as the POST's body; others send `{"ok":true}` there. */
function onlyAnswers(receiver: Receiver): Receiver {
  return {
    message: (message, origin) => !isAnswer(message) || receiver.message(message, origin),
    refused(refusal, origin) {
      if (refusal.isAnswer) receiver.refused(refusal, origin);
    },
    failed: (id, error) => receiver.failed(id, error),
    warning: (note) => receiver.warning(note),
    isPending: (id) => receiver.isPending(id),
    spillFor: (id) => receiver.spillFor(id),
  };
}

function isAnswer(message: unknown): boolean {
  return isObject(message) && message['jsonrpc'] === '2.0' && ('result' in message || 'error' in message);
}
