// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../model/clock.js';
import type { ClientStream, LegacyClient } from '../legacy/legacy-client.js';
import { type AbandonedLimits, type AbandonedRequest, AbandonedRequests } from './abandoned-requests.js';
import { carryStream } from './carry-stream.js';
import type { EventLogs, LoggedStream } from './event-log.js';
import { isPrimed } from '../revision/revisions.js';
import type { OpenResponse, OpenStreams } from './open-streams.js';
import { SseWriter } from './sse-writer.js';

export interface SessionStreamsOptions {
  readonly events: EventLogs;
  readonly streams: OpenStreams;
  readonly clock: Clock;
}

export interface OpenStreamRequest {
  readonly client: LegacyClient;
  readonly response: ServerResponse;
  readonly headers: readonly string[];
  /** `Last-Event-ID`. */
  readonly last: string | undefined;
}

/** What legacy clients open by GET: a stream for messages that belong to no request, or the rest of one that was lost. */
export class SessionStreams {
  readonly #options: SessionStreamsOptions;
  /** The streams for messages that belong to no request. */
  readonly #general = new Map<LoggedStream, GeneralStream>();
  readonly #ofClient = new WeakMap<LegacyClient, readonly GeneralStream[]>();
  /** Those whose clients may come back. */
  readonly #lost: AbandonedRequests;
  readonly #responses = new Set<GetResponse>();
  #isDraining = false;

  constructor(options: SessionStreamsOptions) {
    this.#options = options;
    this.#lost = new AbandonedRequests(options.clock, LOST_LIMITS);
  }

  /** `gone`: what the client wants to go on from is not there. `draining`: only the rest of a request is still sent. */
  open({ client, response, headers, last }: OpenStreamRequest): 'opened' | 'gone' | 'draining' {
    const { events, streams } = this.#options;
    const asked = last === undefined ? undefined : events.after(client.owner, last);
    if (asked?.kind === 'gone' || asked?.kind === 'unknown') return 'gone';
    // Clients give up for good where they are refused, and a session goes on across a restart: they get a new stream.
    const missed = asked?.kind === 'found' ? asked : undefined;
    if (this.#isDraining && (!missed || this.#general.has(missed.stream))) return 'draining';
    const stream = missed?.stream ?? events.open(client.owner);
    if (!missed) this.#begin(stream, client);
    const general = this.#general.get(stream);
    const writer = new SseWriter(response, { headers, unreadMs: streams.unreadMs });
    const reading = carryStream(stream, writer, {
      isPrimed: isPrimed(client.revision),
      ...(missed && { last, missed: missed.events }),
    });
    general?.carried();
    const answer = new GetResponse(writer, general !== undefined);
    this.#responses.add(answer);
    const place = streams.began(answer);
    response.on('close', () => {
      this.#responses.delete(answer);
      place[Symbol.dispose]();
      reading[Symbol.dispose]();
      if (stream.unreadSince !== undefined) general?.lost();
    });
    return 'opened';
  }

  /** The session has ended. */
  end(client: LegacyClient): void {
    for (const general of this.#ofClient.get(client) ?? []) general.end();
    this.#options.events.drop(client.owner);
  }

  /** Ends all responses but the rests of requests; the clients are told when to come back. */
  drain(): void {
    this.#isDraining = true;
    for (const answer of this.#responses) if (answer.isStanding) answer.end();
  }

  /** Ends everything at once. */
  endAll(): void {
    this.#isDraining = true;
    for (const answer of this.#responses) answer.end();
    this.#lost[Symbol.dispose]();
    for (const general of this.#general.values()) general.end();
  }

  #begin(stream: LoggedStream, client: LegacyClient): void {
    const before = this.#ofClient.get(client) ?? [];
    // A client that opens one after the other has lost the older ones, or means to hold everything.
    if (before.length >= STREAM_LIMIT) before[0]!.end();
    const begun = new GeneralStream(stream, client, this);
    this.#ofClient.set(client, before.length === 0 ? [begun] : [...(this.#ofClient.get(client) ?? []), begun]);
    this.#general.set(stream, begun);
  }

  /** For a stream alone: its client may come back. */
  lost(stream: AbandonedRequest): Disposable {
    return this.#lost.add(stream);
  }

  /** For a stream alone. */
  ended(general: GeneralStream, stream: LoggedStream, client: LegacyClient): void {
    this.#general.delete(stream);
    const own = this.#ofClient.get(client)?.filter((one) => one !== general) ?? [];
    this.#ofClient.set(client, own);
  }
}

/** A stream for messages that belong to no request. While its client may come back, messages are kept for it. */
class GeneralStream implements ClientStream, AbandonedRequest {
  readonly #stream: LoggedStream;
  readonly #client: LegacyClient;
  readonly #all: SessionStreams;
  #return: Disposable | undefined;

  constructor(stream: LoggedStream, client: LegacyClient, all: SessionStreams) {
    this.#stream = stream;
    this.#client = client;
    this.#all = all;
    client.opened(this);
  }

  get principal(): string {
    return this.#client.principal;
  }

  send(text: string): boolean {
    this.#stream.append(text);
    return !this.#stream.isEnded;
  }

  unreadSince(): number | undefined {
    return this.#stream.unreadSince;
  }

  cancel(): void {
    this.end();
  }

  carried(): void {
    this.#return?.[Symbol.dispose]();
    this.#return = undefined;
  }

  lost(): void {
    this.#return ??= this.#all.lost(this);
  }

  end(): void {
    this.carried();
    this.#client.closed(this);
    this.#stream.end();
    this.#all.ended(this, this.#stream, this.#client);
  }
}

class GetResponse implements OpenResponse {
  readonly isStream = true;
  readonly #writer: SseWriter;
  readonly #isGeneral: boolean;

  /** `isGeneral`: it is no rest of a request. */
  constructor(writer: SseWriter, isGeneral: boolean) {
    this.#writer = writer;
    this.#isGeneral = isGeneral;
  }

  get isStanding(): boolean {
    return this.#isGeneral || this.#writer.isStopped;
  }

  startStream(): void {}

  keepAlive(): void {
    this.#writer.comment();
  }

  end(): void {
    this.#writer.retry(DRAIN_RETRY_MS);
    this.#writer.end();
  }
}

/** A stream holds little besides its watch, and a machine that sleeps loses all of its streams at once. */
const LOST_LIMITS: AbandonedLimits = { principal: 1_000, all: 10_000, ms: 60_000 };
/** Of one session, those included that it has lost and may come back to. */
const STREAM_LIMIT = 16;
const DRAIN_RETRY_MS = 500;
