import type { ServerResponse } from 'node:http';
import type { FailureKind } from '../../src/model/retries.js';
import type { Refusal } from '../host/session-server.js';
import type { FatefulServer } from './modern-server.js';

const COMMON = [
  'unsent',
  'cut',
  'throttled',
  'unavailable',
  'unauthorized',
  'broken',
  'cancelled',
  'answered',
] as const satisfies readonly FailureKind[];

/** The failures that an HTTP server can cause, by era. */
export const CAUSES = { legacy: [...COMMON, 'session-lost'], modern: [...COMMON, 'header-mismatch'] } as const;
export type Cause = (typeof CAUSES)['legacy' | 'modern'][number];

/**
 * A server that gives each call the next failure of its script, and answers when the script is over. A call that may
 * have run has run: the tool runs before its response is lost.
 */
export class FailureServer implements AsyncDisposable {
  readonly server: FatefulServer;
  /** How many `tools/call` requests came. */
  asked = 0;
  readonly #script: Cause[];
  #going: Promise<void> | undefined;
  /** Cancels the call from the caller's side. */
  readonly #cancel: () => void;

  constructor(server: FatefulServer, script: readonly Cause[], cancel: () => void) {
    this.server = server;
    this.#script = [...script];
    this.#cancel = cancel;
    server.hasStream = false;
    server.refuse = (method) => (method === 'tools/call' ? this.#refuse() : this.#initialized(method));
    server.beforeAnswer = (response) => this.#lose(response);
  }

  /** Goes down before the first call if the script begins with `unsent`. */
  async begin(): Promise<void> {
    if (this.#isNext('unsent')) await (this.#going = this.server.die());
  }

  /** Listens again at the old address if the server was down. */
  async comeBack(): Promise<void> {
    const going = this.#going;
    this.#going = undefined;
    if (!going) return;
    await going;
    await this.server.listen();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server.die();
  }

  #isNext(cause: Cause): boolean {
    return this.#script[0] === cause && this.#script.shift() !== undefined;
  }

  /** Goes down again as soon as the client has reconnected, if `unsent` is next. */
  #initialized(method: string | undefined): Refusal | undefined {
    const isBack = method === 'notifications/initialized' && this.server.handshakes > 1;
    return isBack && this.#isNext('unsent') ? this.#leave({ status: 202 }) : undefined;
  }

  #refuse(): Refusal | undefined {
    this.asked++;
    if (this.#isNext('session-lost')) this.server.forget();
    else if (this.#isNext('throttled')) return this.#last({ status: 429, headers: { 'retry-after': '0' } });
    else if (this.#isNext('unauthorized')) return this.#last({ status: 401 });
    else if (this.#isNext('header-mismatch')) return this.#last(MISMATCH);
    else if (this.#isNext('answered')) return this.#last({ status: 400, body: 'no' });
    else return undefined;
    return this.#last({ status: 404, body: 'no such session' });
  }

  /** Runs after the tool has run. False: no response is sent. */
  #lose(response: ServerResponse): boolean {
    const refuse = ({ status, headers }: Refusal): boolean => (response.writeHead(status, headers).end(), false);
    if (this.#isNext('cut')) response.destroy();
    else if (this.#isNext('cancelled')) this.#cancel();
    else if (this.#isNext('unavailable')) return refuse(this.#last({ status: 503, headers: { 'retry-after': '0' } }));
    else if (this.#isNext('broken')) return refuse(this.#last({ status: 500 }));
    else return true;
    this.#last({ status: 0 });
    return false;
  }

  /** Goes down after this response if `unsent` is next. */
  #last(refusal: Refusal): Refusal {
    return this.#isNext('unsent') ? this.#leave(refusal) : refusal;
  }

  /** Closes the connection with the response, so that the next request is certain not to reach a server. */
  #leave(refusal: Refusal): Refusal {
    setImmediate(() => void (this.#going = this.server.die()));
    return { ...refusal, headers: { ...refusal.headers, connection: 'close' } };
  }
}

const MISMATCH: Refusal = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32020, message: 'a header is missing' } }),
};
