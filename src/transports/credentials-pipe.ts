import { HostError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import type { Secret } from '../base/secret.js';
import type { Clock } from '../model/clock.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from '../wire/message.js';
import type {
  Abandonment,
  Agreement,
  CloseReason,
  Pipe,
  PipeNote,
  Receiver,
  Refusal,
  RequestOptions,
} from '../wire/pipe.js';
import type { SpillStore } from '../wire/spill.js';
import type { Account } from './kind.js';

/** A pipe whose requests say who we are. */
export interface AuthorizedPipe extends Pipe {
  /** The Authorization header from now on. False: that is no value of a header. */
  authorize(value: string): boolean;
}

export interface AccountPipeOptions {
  readonly pipe: AuthorizedPipe;
  readonly account: Account;
  readonly clock: Clock;
  /** Ends the wait for the account. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The same pipe with the token of the account. What is answered with 401 the server has refused unread: it is sent once
 * more, if there is another token than the one that it was sent with. However many are refused, the account is asked once.
 */
export async function openAccountPipe(options: AccountPipeOptions): Promise<Pipe> {
  const pipe = new AccountPipe(options);
  await Promise.race([pipe.begin(), aborted(options.signal)]);
  // Whoever aborted knows why; a handshake on a pipe that is closed ends at once.
  if (options.signal?.aborted === true) await pipe[Symbol.asyncDispose]();
  return pipe;
}

class AccountPipe implements Pipe, Receiver {
  readonly closed: Promise<CloseReason>;
  readonly #options: AccountPipeOptions;
  readonly #pipe: AuthorizedPipe;
  readonly #asked = new Map<RequestId, Asked>();
  #receiver: Receiver | undefined;
  #token: Secret | undefined;
  #renewal: Promise<void> | undefined;
  /** How often the account has been asked for another one. */
  #renewals = 0;
  /** The stream for what the server says unasked was given up. */
  #isStreamOff = false;
  /** The token that it was opened with. */
  #streamToken: Secret | undefined;
  #isOver = false;

  constructor(options: AccountPipeOptions) {
    this.#options = options;
    this.#pipe = options.pipe;
    this.closed = options.pipe.closed;
  }

  async begin(): Promise<void> {
    const token = await this.#options.account.token();
    if (!this.#isOver) this.#adoptToken(token);
  }

  get losesSessions(): boolean {
    return this.#pipe.losesSessions;
  }

  get hasHeaders(): boolean {
    return this.#pipe.hasHeaders;
  }

  get backlog(): number {
    return this.#pipe.backlog;
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#pipe.open(this);
  }

  request(request: JsonRpcRequest, options: RequestOptions): void {
    const began = this.#options.clock.monotonic();
    this.#asked.set(request.id, { request, options, began, ...this.#sending(), state: 'sent' });
    this.#pipe.request(request, options);
  }

  async notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    const sending = this.#sending();
    try {
      await this.#pipe.notify(message);
    } catch (error) {
      if (!isRefused(error) || !(await this.#hasOther(sending))) throw explained(error);
      await this.#pipe.notify(message).catch((again: unknown) => Promise.reject(explained(again)));
    }
  }

  abandon(id: RequestId, why: Abandonment): boolean {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    // One that the server has refused, and that waits for a token, it need not be told of.
    return this.#pipe.abandon(id, why) || asked?.state === 'waiting';
  }

  adopt(agreement: Agreement): void {
    this.#pipe.adopt(agreement);
  }

  listen(): void {
    this.#isStreamOff = false;
    this.#streamToken = this.#token;
    this.#pipe.listen();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#asked.clear();
    return this.#pipe[Symbol.asyncDispose]();
  }

  message(message: unknown, origin?: RequestId): boolean {
    const isAsked = this.#receiver!.message(message, origin);
    this.#forgetAnswered(origin ?? (isObject(message) ? message['id'] : undefined));
    return isAsked;
  }

  refused(refusal: Refusal, origin?: RequestId): void {
    this.#receiver!.refused(refusal, origin);
    for (const id of origin === undefined ? refusal.ids : [origin]) this.#forgetAnswered(id);
  }

  failed(id: RequestId, error: HostError): void {
    const asked = this.#asked.get(id);
    if (asked?.state === 'sent' && isRefused(error)) {
      asked.state = 'waiting';
      void this.#askAgain(id, asked, error);
      return;
    }
    this.#asked.delete(id);
    this.#receiver!.failed(id, explained(error));
  }

  note(note: PipeNote): void {
    if (note.kind === 'stream-off' || note.kind === 'unauthorized') {
      this.#isStreamOff = true;
      // Perhaps only because of a token that has been replaced meanwhile.
      if (!isSame(this.#token, this.#streamToken)) return this.listen();
    }
    return this.#receiver!.note(note);
  }

  isPending(id: RequestId): boolean {
    return this.#receiver!.isPending(id);
  }

  spillFor(id: RequestId | undefined): SpillStore | undefined {
    return this.#receiver!.spillFor(id);
  }

  async #askAgain(id: RequestId, asked: Asked, error: HostError): Promise<void> {
    const hasOther = await this.#hasOther(asked);
    // Whoever waited for it may have given up meanwhile.
    if (this.#isOver || this.#asked.get(id) !== asked) return;
    if (!hasOther) {
      this.#asked.delete(id);
      this.#receiver!.failed(id, explained(error));
      return;
    }
    asked.state = 'sent-again';
    const passed = this.#options.clock.monotonic() - asked.began;
    this.#pipe.request(asked.request, { ...asked.options, timeoutMs: Math.max(asked.options.timeoutMs - passed, 1) });
  }

  #sending(): Sending {
    return { token: this.#token, renewals: this.#renewals };
  }

  /** Whether the token is by now another one than it was sent with. What was under way at the last renewal shares its outcome. */
  async #hasOther({ token, renewals }: Sending): Promise<boolean> {
    if (isSame(this.#token, token) && this.#renewals === renewals) {
      await (this.#renewal ??= this.#renew(token).finally(() => (this.#renewal = undefined)));
    }
    return !isSame(this.#token, token);
  }

  async #renew(refused: Secret | undefined): Promise<void> {
    const { account } = this.#options;
    const token = await (refused ? account.renew(refused) : account.token());
    this.#renewals++;
    if (this.#isOver || isSame(token, refused)) return;
    this.#adoptToken(token);
    if (this.#isStreamOff) this.listen();
  }

  #adoptToken(token: Secret | undefined): void {
    if (token && this.#pipe.authorize(`Bearer ${token.reveal()}`)) this.#token = token;
  }

  /** An answer need not come on the channel of its request. */
  #forgetAnswered(id: unknown): void {
    const key = typeof id === 'string' ? Number(id) : id;
    if (typeof key === 'number' && this.#asked.has(key) && !this.#receiver!.isPending(key)) this.#asked.delete(key);
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** As whom something was sent. */
interface Sending {
  readonly token: Secret | undefined;
  readonly renewals: number;
}

interface Asked extends Sending {
  readonly request: JsonRpcRequest;
  readonly options: RequestOptions;
  readonly began: number;
  /** `waiting`: refused, and for another token. */
  state: 'sent' | 'waiting' | 'sent-again';
}

function isSame(a: Secret | undefined, b: Secret | undefined): boolean {
  return a?.reveal() === b?.reveal();
}

function isRefused(error: unknown): boolean {
  return error instanceof HostError && error.detail?.kind === 'http' && error.detail.status === 401;
}

/** The token is not in the entry, where one would look for it. */
function explained<Failure>(error: Failure): Failure | HostError {
  if (!(error instanceof HostError) || error.code !== 'unauthorized') return error;
  const hint = 'The account has no right to it, or its token is old: renew settings.connectors.token';
  return new HostError(error.code, error.message, {
    hint,
    cause: error,
    ...(error.detail && { detail: error.detail }),
  });
}
