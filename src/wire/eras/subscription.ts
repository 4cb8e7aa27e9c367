// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { LongLivedRequest } from '../peer.js';
import { readMeta, SUBSCRIPTION_ID } from './envelope.js';
import type { OpenPipe, SubscriptionFilter } from './era.js';
import { concerns } from './watched-resource.js';

export interface SubscriptionOptions {
  readonly line: OpenPipe;
  /** Adds the `_meta` of every request. */
  readonly around: (params: object) => JsonObject;
  /** Called with each notification that was subscribed to. */
  readonly tell: (method: string, params: JsonObject) => void;
}

/** A modern server's notification stream. Reopened when it breaks off and when the filter changes. */
export class Subscription {
  readonly #options: SubscriptionOptions;
  #filter: JsonObject = {};
  #resources: ReadonlySet<string> = new Set();
  #current: Stream | undefined;
  /** A stream not acknowledged yet; until then `#current` delivers. */
  #next: Stream | undefined;
  #timer: Disposable | undefined;
  /** Streams in a row that ended before `QUICK` ms. */
  #quickEnds = 0;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  /** Resolves when the server has acknowledged, or when it will not. Never rejects. */
  set(wanted: SubscriptionFilter, capabilities: JsonObject): Promise<void> {
    this.#filter = toFilter(wanted, capabilities);
    this.#resources = new Set((this.#filter['resourceSubscriptions'] as string[] | undefined) ?? []);
    this.#quickEnds = 0;
    this.#timer?.[Symbol.dispose]();
    if (Object.keys(this.#filter).length > 0) return this.#open();
    this.#drop();
    return Promise.resolve();
  }

  /** Takes every notification. Drops changes that belong to no stream of ours or were not subscribed to. */
  onNotification(method: string, params: JsonObject): void {
    const id = method === CANCELLED ? params['requestId'] : readMeta(params, SUBSCRIPTION_ID);
    const stream = [this.#current, this.#next].find((one) => one?.request.id === id);
    if (method === ACKNOWLEDGED) stream?.acknowledge();
    else if (method === CANCELLED) stream?.end();
    else if (!isChange(method)) this.#options.tell(method, params);
    else if (stream && this.#isTelling(stream) && this.#isWanted(method, params)) this.#options.tell(method, params);
  }

  /** Whether the stream is acknowledged and the server has not ended it; its end may not have been handled yet. */
  #isTelling({ isAcknowledged, request }: Stream): boolean {
    return isAcknowledged && this.#options.line.peer.isPending(request.id);
  }

  #isWanted(method: string, params: JsonObject): boolean {
    if (method === UPDATED) return concerns(params, this.#resources);
    return this.#filter[FILTERS.get(method) ?? ''] !== undefined;
  }

  #open(): Promise<void> {
    const { line, around } = this.#options;
    this.#next?.request.withdraw();
    const openedAt = line.peer.clock.monotonic();
    const request = line.peer.requestLasting('subscriptions/listen', around({ notifications: this.#filter }));
    return new Promise((resolve) => {
      let isTimedOut = false;
      const late = line.peer.clock.after(ACKNOWLEDGE_MS, () => {
        isTimedOut = true;
        request.withdraw();
      });
      const stream: Stream = {
        request,
        isAcknowledged: false,
        acknowledge: () => {
          if (stream.isAcknowledged || this.#next !== stream) return;
          stream.isAcknowledged = true;
          late[Symbol.dispose]();
          // The old stream ends only after the new one is acknowledged, so that no notification is missed.
          this.#current?.request.withdraw();
          this.#current = stream;
          this.#next = undefined;
          resolve();
        },
        end: () => request.withdraw(),
      };
      this.#next = stream;
      const over = (why: string): void => {
        late[Symbol.dispose]();
        this.#ended(stream, line.peer.clock.monotonic() - openedAt, why);
        resolve();
      };
      request.answer.then(
        () => over('the server ended it'),
        (error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          if (error instanceof HostError && error.code === 'unauthorized') this.#refused(stream, error);
          over(isTimedOut ? 'the server did not acknowledge it' : why);
        },
      );
    });
  }

  /** Does not retry: the server would refuse again. Its other requests may still succeed. */
  #refused(stream: Stream, { message, hint, detail }: HostError): void {
    if (stream === this.#current) this.#current = undefined;
    else if (stream === this.#next) this.#next = undefined;
    else return;
    this.#options.line.peer.warning({
      kind: 'stream-off',
      text: `it will not report changes: ${message}`,
      ...(hint !== undefined && { hint }),
      ...(detail?.kind === 'http' && { status: detail.status }),
    });
  }

  #ended(stream: Stream, lastedMs: number, why: string): void {
    const wasOurs = stream === this.#current || stream === this.#next;
    if (stream === this.#current) this.#current = undefined;
    if (stream === this.#next) this.#next = undefined;
    const { peer } = this.#options.line;
    if (!wasOurs || peer.isClosed) return;
    this.#quickEnds = lastedMs < QUICK || !stream.isAcknowledged ? this.#quickEnds + 1 : 0;
    if (this.#quickEnds >= QUICK_ENDS) {
      peer.warning({ kind: 'stream-off', text: `it will not report changes: ${why}` });
      return;
    }
    // Another stream is being opened.
    if (this.#next) return;
    const wait = FIRST_WAIT * 2 ** this.#quickEnds;
    this.#timer?.[Symbol.dispose]();
    this.#timer = peer.clock.after(wait, () => void this.#open());
  }

  #drop(): void {
    const streams = [this.#current, this.#next];
    this.#current = this.#next = undefined;
    for (const stream of streams) stream?.request.withdraw();
  }
}

interface Stream {
  readonly request: LongLivedRequest;
  isAcknowledged: boolean;
  readonly acknowledge: () => void;
  readonly end: () => void;
}

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const CANCELLED = 'notifications/cancelled';
const UPDATED = 'notifications/resources/updated';
const TASKS = 'notifications/tasks'; // not subscribed to: tasks are polled
const FILTERS: ReadonlyMap<string, string> = new Map([
  ['notifications/tools/list_changed', 'toolsListChanged'],
  ['notifications/prompts/list_changed', 'promptsListChanged'],
  ['notifications/resources/list_changed', 'resourcesListChanged'],
]);
const ACKNOWLEDGE_MS = 30_000;
const QUICK = 10_000;
const QUICK_ENDS = 3;
const FIRST_WAIT = 1_000;

/** Whether only a subscription may bring this notification. */
function isChange(method: string): boolean {
  return method === UPDATED || method === TASKS || FILTERS.has(method);
}

/** The filter, limited to the server's capabilities. */
function toFilter({ lists = [], resources = [] }: SubscriptionFilter, capabilities: JsonObject): JsonObject {
  const can = (name: string, what: string): boolean => {
    const capability = capabilities[name];
    return isObject(capability) && capability[what] === true;
  };
  return {
    ...Object.fromEntries(
      lists.filter((list) => can(list, 'listChanged')).map((list) => [`${list}ListChanged`, true] as const),
    ),
    ...(resources.length > 0 && can('resources', 'subscribe') && { resourceSubscriptions: [...resources] }),
  };
}
