// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { LongLivedRequest } from '../peer.js';
import { readMeta, SUBSCRIPTION_ID } from './envelope.js';
import type { OpenPipe, SubscriptionFilter } from './era.js';
import { concerns } from './watched-resource.js';

export interface SubscriptionOptions {
  readonly line: OpenPipe;
  /** What every request has around it. */
  readonly around: (params: object) => JsonObject;
  /** A note that was asked for. */
  readonly tell: (method: string, params: JsonObject) => void;
}

/** The stream on which a modern server tells what has changed: opened anew when it breaks off, and when something else is wanted. */
export class Subscription {
  readonly #options: SubscriptionOptions;
  #filter: JsonObject = {};
  #resources: ReadonlySet<string> = new Set();
  #current: Stream | undefined;
  /** One that has not been acknowledged, while the one before it still tells. */
  #next: Stream | undefined;
  #timer: Disposable | undefined;
  /** Streams in a row that ended soon. */
  #quickEnds = 0;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  /** Resolves when the server has agreed, or when it is clear that it will not; never rejects. */
  set(wanted: SubscriptionFilter, capabilities: JsonObject): Promise<void> {
    this.#filter = toFilter(wanted, capabilities);
    this.#resources = new Set((this.#filter['resourceSubscriptions'] as string[] | undefined) ?? []);
    this.#quickEnds = 0;
    this.#timer?.[Symbol.dispose]();
    if (Object.keys(this.#filter).length > 0) return this.#open();
    this.#drop();
    return Promise.resolve();
  }

  /** Every note of the server. Those of no stream of ours, and those that were not asked for, go no further. */
  onNotification(method: string, params: JsonObject): void {
    const id = method === CANCELLED ? params['requestId'] : readMeta(params, SUBSCRIPTION_ID);
    const stream = [this.#current, this.#next].find((one) => one?.request.id === id);
    if (method === ACKNOWLEDGED) stream?.acknowledge();
    else if (method === CANCELLED) stream?.end();
    else if (!isChange(method)) this.#options.tell(method, params);
    else if (stream && this.#isTelling(stream) && this.#isWanted(method, params)) this.#options.tell(method, params);
  }

  /** From when the server has agreed until it has ended it, though that may not have been looked at yet. */
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
          // The new one first, then the end of the old one: nothing is missed in between.
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
          over(isTimedOut ? 'the server never agreed to' : why);
        },
      );
    });
  }

  /** Asked again the server would say the same; what else it is asked for it may answer. */
  #refused(stream: Stream, { message, hint, detail }: HostError): void {
    if (stream === this.#current) this.#current = undefined;
    else if (stream === this.#next) this.#next = undefined;
    else return;
    this.#options.line.peer.note({
      kind: 'stream-off',
      text: `changes will not be told: ${message}`,
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
      peer.note({ kind: 'stream-off', text: `changes will not be told: ${why}` });
      return;
    }
    // Another one is on its way already.
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
const TASKS = 'notifications/tasks'; // which nobody asks for: a task is looked at when its pace says so
const FILTERS: ReadonlyMap<string, string> = new Map([
  ['notifications/tools/list_changed', 'toolsListChanged'],
  ['notifications/prompts/list_changed', 'promptsListChanged'],
  ['notifications/resources/list_changed', 'resourcesListChanged'],
]);
const ACKNOWLEDGE_MS = 30_000;
const QUICK = 10_000;
const QUICK_ENDS = 3;
const FIRST_WAIT = 1_000;

/** What only a subscription may bring. */
function isChange(method: string): boolean {
  return method === UPDATED || method === TASKS || FILTERS.has(method);
}

/** As far as the server says that it can tell. */
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
