import type { HostError } from '../base/errors.js';
import { unreachable } from '../base/never.js';
import type { Secret } from '../base/secret.js';
import { messageRedactor, type Redactor } from '../model/redaction/redact-message.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from './message.js';
import type {
  AbandonReason,
  NegotiatedProtocol,
  CloseReason,
  Pipe,
  PipeWarning,
  Receiver,
  RejectedMessage,
  RequestOptions,
} from './pipe.js';
import { Spilled, type LargeResponseStore } from '../model/spilled.js';

/** Stores the messages and events of one pipe. */
export interface Recorder {
  /** Nothing more is recorded, so events need not be prepared. */
  readonly isOver: boolean;
  /** Contract: does not throw or block. The event is redacted plain JSON, and a copy. */
  record(event: PipeEvent): void;
}

/** One line of a recording, without time and server name. */
export type PipeEvent =
  | { readonly from: 'host' | 'server'; readonly message: unknown; readonly origin?: RequestId }
  | { readonly from: 'pipe'; readonly event: PipeEventName; readonly [detail: string]: unknown };

type PipeEventName = 'opened' | 'adopted' | 'abandoned' | 'unsent' | 'failed' | 'refused' | 'note' | 'closed';

export interface RecordingOptions {
  readonly recorder: Recorder;
  /** The secrets in env and headers, which never appear in a recording. The array may grow later. */
  readonly secrets?: readonly Secret[];
  /** The secrets among the arguments of the server's command. */
  readonly argumentSecrets?: readonly Secret[];
  /** The user's home folder, written as `~`. */
  readonly home?: string | undefined;
}

/** Records a pipe: passes the same objects in the same order, and gives the recorder a redacted copy. */
export function recordingPipe(pipe: Pipe, { recorder, ...options }: RecordingOptions): Pipe {
  return new RecordingPipe(pipe, new RecordingWriter(recorder, redactorOf(options)));
}

/** Rebuilt when secrets were added: a renewed token is newer than the pipe. */
function redactorOf({ secrets = [], argumentSecrets = [], home }: Omit<RecordingOptions, 'recorder'>): Redactor {
  const make = (): Redactor => messageRedactor({ secrets: [...secrets, ...argumentSecrets], home, standIn });
  let known = secrets.length;
  let redact = make();
  return (message) => {
    if (secrets.length !== known) {
      known = secrets.length;
      redact = make();
    }
    return redact(message);
  };
}

/** The key of the object that replaces a value stored in its own file. */
export const SPILLED_KEY = '$spilled';

/** Leaves out the file's path, which is useless on another machine. */
function standIn(value: object): object | undefined {
  if (!(value instanceof Spilled)) return undefined;
  const { kind, bytes, preview } = value;
  return { [SPILLED_KEY]: { kind, bytes, preview } };
}

class RecordingPipe implements Pipe {
  readonly losesSessions: boolean;
  readonly hasHeaders: boolean;
  readonly closed: Promise<CloseReason>;
  readonly #pipe: Pipe;
  readonly #recorder: RecordingWriter;

  constructor(pipe: Pipe, recorder: RecordingWriter) {
    this.#pipe = pipe;
    this.#recorder = recorder;
    this.losesSessions = pipe.losesSessions;
    this.hasHeaders = pipe.hasHeaders;
    this.closed = pipe.closed;
    recorder.tell('opened', {});
    void pipe.closed.then((reason) => recorder.tell('closed', { reason: describeReason(reason) }));
  }

  get backlog(): number {
    return this.#pipe.backlog;
  }

  open(receiver: Receiver): void {
    this.#pipe.open(new RecordingReceiver(receiver, this.#recorder));
  }

  request(request: JsonRpcRequest, options: RequestOptions): void {
    this.#recorder.message('host', request);
    this.#pipe.request(request, options);
  }

  notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    this.#recorder.message('host', message);
    const sent = this.#pipe.notify(message);
    sent.catch((error: HostError) => this.#recorder.tell('unsent', { error: describeError(error) }));
    return sent;
  }

  abandon(id: RequestId, why: AbandonReason): boolean {
    this.#recorder.tell('abandoned', { id });
    return this.#pipe.abandon(id, why);
  }

  adopt(agreement: NegotiatedProtocol): void {
    this.#recorder.tell('adopted', { agreement });
    this.#pipe.adopt(agreement);
  }

  listen(): void {
    this.#pipe.listen();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pipe[Symbol.asyncDispose]();
  }
}

/** Records before it delivers, so that the host's reaction comes after the message. */
class RecordingReceiver implements Receiver {
  readonly #receiver: Receiver;
  readonly #recorder: RecordingWriter;

  constructor(receiver: Receiver, recorder: RecordingWriter) {
    this.#receiver = receiver;
    this.#recorder = recorder;
  }

  message(message: unknown, origin?: RequestId): boolean {
    this.#recorder.message('server', message, origin);
    return this.#receiver.message(message, origin);
  }

  refused(refusal: RejectedMessage, origin?: RequestId): void {
    this.#recorder.tell('refused', { refusal, origin });
    this.#receiver.refused(refusal, origin);
  }

  failed(id: RequestId, error: HostError): void {
    this.#recorder.tell('failed', { id, error: describeError(error) });
    this.#receiver.failed(id, error);
  }

  warning(note: PipeWarning): void {
    this.#recorder.tell('note', { note });
    this.#receiver.warning(note);
  }

  isPending(id: RequestId): boolean {
    return this.#receiver.isPending(id);
  }

  spillFor(id: RequestId | undefined): LargeResponseStore | undefined {
    return this.#receiver.spillFor(id);
  }
}

class RecordingWriter {
  readonly #recorder: Recorder;
  readonly #redact: Redactor;

  constructor(recorder: Recorder, redact: Redactor) {
    this.#recorder = recorder;
    this.#redact = redact;
  }

  message(from: 'host' | 'server', message: unknown, origin?: RequestId): void {
    if (this.#recorder.isOver) return;
    this.#recorder.record({ from, message: this.#redact(message), ...(origin !== undefined && { origin }) });
  }

  tell(event: PipeEventName, detail: object): void {
    if (this.#recorder.isOver) return;
    this.#recorder.record({ from: 'pipe', event, ...(this.#redact(detail) as object) });
  }
}

function describeError({ code, message, hint, detail }: HostError): object {
  return { code, message, hint, detail };
}

function describeReason(reason: CloseReason): object {
  switch (reason.kind) {
    case 'disposed':
    case 'exited':
      return reason;
    case 'lost':
      return { kind: reason.kind, error: describeError(reason.error) };
    default:
      return unreachable(reason);
  }
}
