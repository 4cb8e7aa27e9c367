import { isObject } from '../../base/json.js';
import { within } from '../../base/within.js';
import type { HttpRequest } from '../../edge/network/http-client.js';
import type { RequestId } from '../../wire/message.js';
import type { Receiver } from '../../wire/pipe.js';
import { LAST_MESSAGE_TIMEOUT_MS, BODY_END_TIMEOUT_MS } from '../http/http-limits.js';
import type { HttpContext } from '../http/http-context.js';
import { SsePost, type SseSender } from './sse-post.js';

/** The messages to one server that are under way, in no order; an array for the reason that HttpCalls has. */
export class SsePosts {
  readonly context: HttpContext;
  readonly #posts: SsePost[] = [];
  #bodyContext: HttpContext | undefined;
  /** One for all of them: a timer for each would cost more than the sending. */
  #timer: Disposable | undefined;
  #onQuiet: (() => void) | undefined;

  constructor(context: HttpContext) {
    this.context = context;
  }

  /** For what comes back with a message instead of on the stream. */
  get bodyContext(): HttpContext {
    return (this.#bodyContext ??= { ...this.context, receiver: onlyAnswers(this.context.receiver) });
  }

  send(request: HttpRequest, sender: SseSender): void {
    const post = new SsePost(this, request, sender);
    post.place = this.#posts.push(post) - 1;
    this.#timer ??= this.context.clock.after(BODY_END_TIMEOUT_MS, this.#look);
  }

  /** The last one takes its place. */
  remove(post: SsePost): void {
    const last = this.#posts.pop()!;
    if (last !== post) {
      this.#posts[post.place] = last;
      last.place = post.place;
    }
    if (this.#posts.length === 0) this.#onQuiet?.();
  }

  /** Nobody waits for the answer to this one any more. */
  abandon(id: RequestId): void {
    this.#posts.find(({ sender }) => sender.kind === 'request' && sender.id === id)?.close();
  }

  /** What was said last is to be heard, if that does not take long: a cancellation is often followed by the end. */
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
    // From the end, because one that leaves is replaced by the last, which has been looked at by then.
    for (let index = this.#posts.length - 1; index >= 0; index--) this.#posts[index]!.look();
    this.#timer = this.#posts.length === 0 ? undefined : this.context.clock.after(BODY_END_TIMEOUT_MS, this.#look);
  };
}

/** Some servers answer at once, with the response; what others say there (`{"ok":true}`) is no answer and no fault. */
function onlyAnswers(receiver: Receiver): Receiver {
  return {
    message: (message, origin) => !isAnswer(message) || receiver.message(message, origin),
    refused(refusal, origin) {
      if (refusal.isAnswer) receiver.refused(refusal, origin);
    },
    failed: (id, error) => receiver.failed(id, error),
    note: (note) => receiver.note(note),
    isPending: (id) => receiver.isPending(id),
    spillFor: (id) => receiver.spillFor(id),
  };
}

function isAnswer(message: unknown): boolean {
  return isObject(message) && message['jsonrpc'] === '2.0' && ('result' in message || 'error' in message);
}
