import { HostError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { within } from '../base/within.js';
import type { Clock } from '../model/clock.js';
import {
  type Credentials,
  type CredentialsRefusal,
  isSameCredentials,
  type RequestCredentials,
  type Renewal,
} from '../model/credentials.js';
import { IdTable } from '../wire/id-table.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from '../wire/message.js';
import type {
  AbandonReason,
  NegotiatedProtocol,
  CloseReason,
  Pipe,
  PipeWarning,
  Receiver,
  RejectedMessage,
  RequestOptions,
} from '../wire/pipe.js';
import type { LargeResponseStore } from '../model/spilled.js';
import {
  toCredentialsRefusal,
  withHint,
  type Reason,
  refusalReasonOf,
  toInternalError,
} from './credentials-refusal.js';

/** A pipe that sends credentials with its requests. */
export interface CredentialsAwarePipe extends Pipe {
  /** Sets the credentials of later requests. Returns false, and changes nothing, if they are invalid as headers. */
  setCredentials(credentials: RequestCredentials): boolean;
  /** Sets the callback that renews credentials when a request that the pipe makes on its own is refused. */
  renewWith?(renew: (denial: CredentialsRefusal) => Promise<boolean>): void;
}

export interface CredentialsPipeOptions {
  /** The server's name, for messages to the user. */
  readonly name: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** Opens the pipe with these credentials. Transports that connect while opening may be refused here already. */
  readonly open: (credentials: RequestCredentials | undefined) => Promise<Pipe | CredentialsAwarePipe>;
  /** Ends the wait for credentials. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a pipe that sends credentials. A server that refuses credentials has not processed the request, so it is sent
 * again if renewing yields other credentials. Requests that a 401 refuses share one renewal.
 */
export async function openWithCredentials({
  name,
  credentials,
  clock,
  open,
  signal,
}: CredentialsPipeOptions): Promise<Pipe> {
  let sentCredentials = await within(credentials.present(signal), { signal, instead: nothing });
  const failure = sentCredentials === undefined ? credentials.failure?.() : undefined;
  if (failure) throw failure;
  const denied: Reason[] = [];
  let pipe: Pipe | CredentialsAwarePipe | undefined;
  while (!pipe) {
    try {
      pipe = await open(sentCredentials);
    } catch (error) {
      const denial = toCredentialsRefusal(error, credentials);
      if (!denial) throw error;
      const reason = refusalReasonOf(denial);
      if (denied.includes(reason)) throw withHint(error, { kind: 'sign-in', hint: credentials.hint });
      denied.push(reason);
      const renewal = await within(credentials.renew(sentCredentials, denial, signal), { signal, instead: nothing });
      if (renewal?.kind !== 'renewed') throw withHint(error, renewal);
      ({ presented: sentCredentials } = renewal);
    }
  }
  if (!('setCredentials' in pipe)) return pipe;
  if (sentCredentials && !pipe.setCredentials(sentCredentials)) sentCredentials = undefined;
  // The caller that aborted knows the reason; the handshake fails at once on a closed pipe.
  if (signal?.aborted === true) await pipe[Symbol.asyncDispose]();
  return new CredentialsPipe(pipe, { name, credentials, clock, sentCredentials });
}

interface Identity extends Pick<CredentialsPipeOptions, 'name' | 'credentials' | 'clock'> {
  readonly sentCredentials: RequestCredentials | undefined;
}

class CredentialsPipe implements Pipe, Receiver {
  readonly losesSessions: boolean;
  readonly hasHeaders: boolean;
  readonly closed: Promise<CloseReason>;
  readonly #name: string;
  readonly #credentials: Credentials;
  readonly #clock: Clock;
  readonly #pipe: CredentialsAwarePipe;
  readonly #asked = new IdTable<Asked>();
  #receiver: Receiver | undefined;
  #sentCredentials: RequestCredentials | undefined;
  /** Earliest time, on the monotonic clock, to ask for fresher credentials again. */
  #freshenAt = 0;
  #freshening: Promise<undefined> | undefined;
  #renewal: Promise<Renewal> | undefined;
  /** How many renewals a 401 has caused, and the result of the last one. */
  #renewals = 0;
  #latest: Renewal | undefined;
  /** Aborted when the pipe closes: ends every wait for credentials. */
  readonly #closing = new AbortController();
  /** The stream for unsolicited messages was given up. */
  #isStreamOff = false;
  /** The credentials that the stream was opened with. */
  #streamAs: RequestCredentials | undefined;
  /** The reasons why the stream was refused since it last stayed open for a while. */
  #streamDenied = NONE;
  #isOver = false;

  constructor(pipe: CredentialsAwarePipe, { name, credentials, clock, sentCredentials }: Identity) {
    this.#pipe = pipe;
    this.#name = name;
    this.#credentials = credentials;
    this.#clock = clock;
    this.#sentCredentials = sentCredentials;
    this.losesSessions = pipe.losesSessions;
    this.hasHeaders = pipe.hasHeaders;
    this.closed = pipe.closed;
    pipe.renewWith?.(async (denial) => {
      const isOurs = credentials.renewsAt.includes(denial.status);
      return isOurs && (await this.#renewed(this.#sending(), denial)).kind === 'renewed' && !this.#isOver;
    });
  }

  get backlog(): number {
    return this.#pipe.backlog;
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#pipe.open(this);
  }

  request(request: JsonRpcRequest, options: RequestOptions): void {
    const began = this.#clock.monotonic();
    const asked: Asked = { request, options, began, ...this.#sending(), denied: NONE, isWaiting: false };
    this.#asked.add(Number(request.id), asked);
    if (this.#sentCredentials?.isFresh?.() === false && began >= this.#freshenAt) void this.#sendFresh(asked);
    else this.#pipe.request(request, options);
  }

  async notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    const sending = this.#sending();
    try {
      await this.#pipe.notify(message);
    } catch (error) {
      const denial = toCredentialsRefusal(error, this.#credentials);
      if (!denial) throw error;
      const renewal = await this.#renewed(sending, denial);
      if (renewal.kind !== 'renewed') throw withHint(error, renewal);
      await this.#pipe.notify(message);
    }
  }

  abandon(id: RequestId, why: AbandonReason): boolean {
    const asked = this.#asked.take(Number(id));
    // The server never received a request that still waits to be sent, so it needs no cancellation.
    return this.#pipe.abandon(id, why) || asked?.isWaiting === true;
  }

  adopt(agreement: NegotiatedProtocol): void {
    this.#pipe.adopt(agreement);
  }

  listen(): void {
    this.#isStreamOff = false;
    this.#streamAs = this.#sentCredentials;
    this.#pipe.listen();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#closing.abort();
    this.#asked.clear();
    return this.#pipe[Symbol.asyncDispose]();
  }

  message(message: unknown, origin?: RequestId): boolean {
    const isAsked = this.#receiver!.message(message, origin);
    this.#forgetAnswered(origin ?? (isObject(message) ? message['id'] : undefined));
    return isAsked;
  }

  refused(refusal: RejectedMessage, origin?: RequestId): void {
    this.#receiver!.refused(refusal, origin);
    for (const id of origin === undefined ? refusal.ids : [origin]) this.#forgetAnswered(id);
  }

  failed(id: RequestId, error: HostError): void {
    const asked = this.#asked.get(Number(id));
    const denial = asked && toCredentialsRefusal(error, this.#credentials);
    const reason = denial && refusalReasonOf(denial);
    if (denial && reason !== undefined && !asked.denied.includes(reason)) {
      asked.denied = [...asked.denied, reason];
      asked.isWaiting = true;
      void this.#askAgain(asked, { error, denial });
      return;
    }
    this.#asked.take(Number(id));
    const { hint } = this.#credentials;
    this.#receiver!.failed(id, denial ? withHint(error, { kind: 'sign-in', hint }) : error);
  }

  warning(note: PipeWarning): void {
    if (note.kind !== 'stream-off') return this.#receiver!.warning(note);
    this.#isStreamOff = true;
    // The refusal may concern credentials that have been replaced since the stream was opened.
    if (!isSameCredentials(this.#sentCredentials, this.#streamAs)) return this.listen();
    const { denial } = note;
    return denial && this.#isWorthRenewing(denial)
      ? void this.#listenAgain(note, denial)
      : this.#receiver!.warning(note);
  }

  /** False after two refusals for the same reason: the stream is refused for good. Requests may still succeed. */
  #isWorthRenewing(denial: StreamDenial): boolean {
    if (denial.status !== 401) return false;
    const reason = refusalReasonOf(denial);
    const before = denial.hasLasted ? NONE : this.#streamDenied;
    this.#streamDenied = [...new Set([...before, reason])];
    return !before.includes(reason);
  }

  isPending(id: RequestId): boolean {
    return this.#receiver!.isPending(id);
  }

  spillFor(id: RequestId | undefined): LargeResponseStore | undefined {
    return this.#receiver!.spillFor(id);
  }

  /** Sends the request after replacing credentials that are about to expire. */
  #sendFresh(asked: Asked): Promise<void> {
    asked.isWaiting = true;
    return this.#sendAfter(asked, this.#freshen());
  }

  #freshen(): Promise<undefined> {
    return (this.#freshening ??= this.#presentAnew().finally(() => (this.#freshening = undefined)));
  }

  async #presentAnew(): Promise<undefined> {
    const { signal } = this.#closing;
    const credentials = await within(this.#credentials.present(signal), { signal, instead: nothing }).catch(
      () => undefined,
    );
    const isOther = credentials !== undefined && !isSameCredentials(credentials, this.#sentCredentials);
    if (!this.#isOver && isOther && this.#pipe.setCredentials(credentials)) this.#sentCredentials = credentials;
    // Credentials that could not be replaced stay in use; fresher ones are asked for at intervals only.
    this.#freshenAt = this.#clock.monotonic() + FRESHEN_AGAIN_MS;
  }

  #send({ request, options, began }: Asked): void {
    const passed = this.#clock.monotonic() - began;
    this.#pipe.request(request, { ...options, timeoutMs: Math.max(options.timeoutMs - passed, 1) });
  }

  async #askAgain(asked: Asked, { error, denial }: Refused): Promise<void> {
    const renewing = this.#renewed(asked, denial);
    const explain = (renewal: Renewal): HostError | undefined =>
      renewal.kind === 'renewed' ? undefined : withHint(error, renewal);
    await this.#sendAfter(asked, renewing.then(explain));
  }

  /** Sends the request once `finding` resolves: with undefined, or with the error that fails the request instead. */
  async #sendAfter(asked: Asked, finding: Promise<HostError | undefined>): Promise<void> {
    const failure = await this.#inTime(asked, finding);
    const { id } = asked.request;
    // The caller may have abandoned the request meanwhile.
    if (this.#isOver || this.#asked.get(Number(id)) !== asked) return;
    if (failure) {
      this.#asked.take(Number(id));
      this.#receiver!.failed(id, failure);
      return;
    }
    Object.assign(asked, this.#sending(), { isWaiting: false });
    this.#send(asked);
  }

  /** Ends the wait before the request's timeout, whose error could not say that the server did not run the request. */
  async #inTime(
    { began, options: { timeoutMs } }: Asked,
    finding: Promise<HostError | undefined>,
  ): Promise<HostError | undefined> {
    const left = timeoutMs - (this.#clock.monotonic() - began);
    if (!Number.isFinite(left)) return finding;
    const ms = Math.max(left - BEFORE_END_MS, left * 0.9, 0);
    return within(finding, {
      deadline: (expire) => this.#clock.after(ms, expire),
      instead: () => timeoutError(this.#name),
    });
  }

  /** Reopens the stream with renewed credentials; passes the warning on when renewing fails. */
  async #listenAgain(note: PipeWarning, { status, challenge, nonce }: StreamDenial): Promise<void> {
    const renewal = await this.#renewed(this.#sending(), { status, challenge, nonce });
    if (this.#isOver) return;
    if (renewal.kind === 'renewed') {
      if (this.#isStreamOff) this.listen();
    } else if (renewal.kind === 'sign-in') this.#receiver!.warning({ ...note, hint: renewal.hint });
    else this.#receiver!.warning({ ...note, text: `${note.text}; ${renewal.error.message}` });
  }

  #sending(): Sending {
    return { credentials: this.#sentCredentials, renewals: this.#renewals };
  }

  /** Returns credentials other than those that were refused. Requests sent before the last renewal share its result. */
  async #renewed({ credentials, renewals }: Sending, denial: CredentialsRefusal): Promise<Renewal> {
    if (!isSameCredentials(this.#sentCredentials, credentials))
      return { kind: 'renewed', presented: this.#sentCredentials! };
    // A 403 concerns what this one request asked for, not the credentials of the others.
    if (denial.status !== 401) return this.#renew(credentials, denial);
    if (this.#renewals !== renewals && this.#latest) return this.#latest;
    return (this.#renewal ??= this.#renew(credentials, denial).finally(() => (this.#renewal = undefined)));
  }

  async #renew(refused: RequestCredentials | undefined, denial: CredentialsRefusal): Promise<Renewal> {
    const { signal } = this.#closing;
    const renewing = within(this.#credentials.renew(refused, denial, signal), { signal, instead: nothing });
    const renewal = (await renewing.catch(toInternalError)) ?? closedRenewal(this.#name);
    if (denial.status === 401) {
      this.#renewals++;
      this.#latest = renewal;
    }
    if (this.#isOver || renewal.kind !== 'renewed') return renewal;
    if (!this.#pipe.setCredentials(renewal.presented)) return NO_HEADER;
    this.#sentCredentials = renewal.presented;
    if (this.#isStreamOff) this.listen();
    return renewal;
  }

  /** Drops a request that has its response, which may also arrive on another stream than the request's own. */
  #forgetAnswered(id: unknown): void {
    const key = typeof id === 'string' ? Number(id) : id;
    if (typeof key === 'number' && this.#asked.has(key) && !this.#receiver!.isPending(key)) this.#asked.take(key);
  }
}

function closedRenewal(name: string): Renewal {
  const text = `The connection to server "${name}" was closed before its credentials were ready`;
  return { kind: 'failed', error: new HostError('connection-closed', text) };
}

function timeoutError(name: string): HostError {
  const text = `Server "${name}" requires a newer token, and its authorization server did not issue one in time`;
  return new HostError('sign-in-failed', text, {
    hint: 'Try again in a moment; nothing was done',
    detail: { kind: 'oauth', isTransient: true },
  });
}

const NONE: readonly Reason[] = [];
const nothing = (): undefined => undefined;
const BEFORE_END_MS = 100;
const FRESHEN_AGAIN_MS = 5_000;
const NO_HEADER: Renewal = { kind: 'sign-in', hint: 'The credentials hold characters that an HTTP header cannot' };

type StreamDenial = NonNullable<PipeWarning['denial']>;

/** The credentials that a message was sent with, and the number of renewals until then. */
interface Sending {
  readonly credentials: RequestCredentials | undefined;
  readonly renewals: number;
}

interface Asked extends Sending {
  readonly request: JsonRpcRequest;
  readonly options: RequestOptions;
  readonly began: number;
  /** The reasons why the request was refused so far. */
  denied: readonly Reason[];
  /** The request waits for credentials and has not been sent. */
  isWaiting: boolean;
}

interface Refused {
  readonly error: HostError;
  readonly denial: CredentialsRefusal;
}
