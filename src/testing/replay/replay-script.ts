import { isObject, type JsonObject } from '../../base/json.js';
import { messageRedactor } from '../../model/redaction/redact-message.js';
import { TRUNCATION_MARK } from '../../model/text/text-gate.js';
import type { RecordedConversation } from './recording.js';

/** A request in the recording. */
export interface ReplayedRequest {
  readonly kind: 'call';
  readonly id: unknown;
  /** How many steps come before the request. */
  readonly at: number;
  /** The steps that wait for this request. */
  readonly steps: ReplayStep[];
  /** The request's notifications/cancelled. What the server sent after it was late, and has to be late again. */
  cancel: OneWayMessage | undefined;
  /** The current host's request that this one now stands for. */
  live: { readonly id: unknown; readonly token: unknown } | undefined;
  /** The request failed because its session was lost, and the host repeated it: only the repetition is matched. */
  isForgotten: boolean;
}

/** A message from the host without a response: a notification, or a response to a request of the server. */
export interface OneWayMessage {
  readonly kind: 'note' | 'reply';
  readonly steps: ReplayStep[];
  isReceived: boolean;
}

export type Cue = ReplayedRequest | OneWayMessage;

/** Something that the server did, and what has to come before the replay does it. */
export interface ReplayStep {
  readonly at: number;
  /** The host's last message before this step. */
  readonly cue: Cue | undefined;
  /** The requests that this step is about: the step gets their current ids. */
  readonly calls: readonly ReplayedRequest[];
  /** The cancellations of those requests that came before this step. */
  readonly cancels: readonly OneWayMessage[];
  readonly isAnswer: boolean;
  readonly act: Act;
  isDone: boolean;
}

export type Act =
  | { readonly kind: 'say'; readonly message: unknown }
  /** A response that cannot be parsed. */
  | { readonly kind: 'garble' }
  /** A line on stdout that is not a message. */
  | { readonly kind: 'babble'; readonly line: string }
  | { readonly kind: 'leave'; readonly code: number; readonly stderr: string };

/** One recorded connection, as messages from the host and the steps of the server that follow each. */
export class Script {
  readonly steps: ReplayStep[] = [];
  /** The steps of the server before the host's first message. */
  readonly opening: ReplayStep[] = [];
  readonly #toKey: ToKey;
  readonly #exact = new Map<string, Queue<ReplayedRequest>>();
  readonly #similar = new Map<string, Queue<ReplayedRequest>>();
  readonly #remarks = new Map<string, Queue<OneWayMessage>>();
  readonly #callsById = new Map<string, ReplayedRequest>();
  readonly #callsByToken = new Map<unknown, ReplayedRequest>();
  readonly #callsByLiveId = new Map<unknown, ReplayedRequest>();
  /** The requests that the recorded host was still waiting for. */
  readonly #unanswered = new Set<ReplayedRequest>();
  #cue: Cue | undefined;

  constructor(conversation: RecordedConversation, toKey: ToKey) {
    this.#toKey = toKey;
    for (const event of conversation) {
      if (event.from === 'host') {
        if (isObject(event.message)) this.#host(event.message);
      } else if (event.from === 'server') this.#server(event.message, event.origin);
      else this.#pipe(event.event, event.detail);
    }
  }

  /**
   * The recorded request that stands for this one: the next unused one with the same method and params; when all of
   * them are used, the last one again; else the next unused one with the same method and name or URI.
   */
  match(request: JsonObject): ReplayedRequest | undefined {
    const exact = this.#exact.get(this.#toKey(request));
    const similar = this.#similar.get(topicOf(request));
    return next(exact, isFree) ?? exact?.all.findLast(isTold) ?? next(similar, isFree);
  }

  /** Binds the recorded request to the current one. */
  cast(call: ReplayedRequest, request: JsonObject): void {
    call.live = { id: request['id'], token: progressTokenOf(request) };
    this.#callsByLiveId.set(request['id'], call);
  }

  /** The recorded message that this notification or response stands for. */
  hear(message: JsonObject): OneWayMessage | undefined {
    if (message['method'] === CANCELLED) return this.#callsByLiveId.get(requestIdOf(message))?.cancel;
    return next(this.#remarks.get(remarkKey(message)), ({ isReceived }) => !isReceived);
  }

  /** The request that a response, a progress notification or an event of a subscription belongs to. */
  callOf(message: JsonObject, origin?: unknown): ReplayedRequest | undefined {
    const { id, method, params } = message;
    if (method === undefined) return this.#callOfId(isAbsent(id) && message['error'] !== undefined ? origin : id);
    if (!isObject(params)) return undefined;
    if (method === 'notifications/progress') return this.#callsByToken.get(params['progressToken']);
    const meta = params['_meta'];
    return isObject(meta) ? this.#callOfId(meta[SUBSCRIPTION]) : undefined;
  }

  /** Some servers return a numeric id as a string. */
  #callOfId(id: unknown): ReplayedRequest | undefined {
    return typeof id === 'number' || typeof id === 'string' ? this.#callsById.get(String(id)) : undefined;
  }

  #host(message: JsonObject): void {
    if (isRequestMessage(message)) this.#cue = this.#call(message);
    else {
      const remark: OneWayMessage = {
        kind: message['method'] === undefined ? 'reply' : 'note',
        steps: [],
        isReceived: false,
      };
      const taken = message['method'] === CANCELLED ? this.#callOfId(requestIdOf(message)) : undefined;
      if (taken) taken.cancel = remark;
      if (taken) this.#unanswered.delete(taken);
      enqueue(this.#remarks, remarkKey(message), remark);
      this.#cue = remark;
    }
  }

  #call(message: JsonObject): ReplayedRequest {
    const { id } = message;
    const at = this.steps.length;
    const call: ReplayedRequest = {
      kind: 'call',
      id,
      at,
      steps: [],
      cancel: undefined,
      live: undefined,
      isForgotten: false,
    };
    enqueue(this.#exact, this.#toKey(message), call);
    enqueue(this.#similar, topicOf(message), call);
    this.#callsById.set(String(id), call);
    this.#unanswered.add(call);
    const token = progressTokenOf(message);
    if (token !== undefined) this.#callsByToken.set(token, call);
    return call;
  }

  #server(message: unknown, origin: unknown): void {
    const parts = Array.isArray(message) ? message.filter(isObject) : isObject(message) ? [message] : [];
    const calls = parts.flatMap((part) => this.callOf(part, origin) ?? []);
    const isAnswer = calls.length > 0 && parts.some(({ method }) => method === undefined);
    // An error of the HTTP layer has no id, because the HTTP response names its request. A replay needs the id.
    const isNameless = isAnswer && isObject(message) && isAbsent(message['id']);
    this.#add({ kind: 'say', message: isNameless ? { ...message, id: calls[0]!.id } : message }, { calls, isAnswer });
  }

  #pipe(event: string, detail: JsonObject): void {
    switch (event) {
      case 'failed':
        return this.#fail(this.#callOfId(detail['id']), detail['error']);
      case 'abandoned':
        return this.#abandon(this.#callOfId(detail['id']));
      case 'refused':
        return this.#refuse(detail);
      case 'note':
        return this.#babble(detail['note']);
      case 'closed':
        return this.#close(detail['reason']);
      default:
        return undefined; // events without an effect on the server: opened, adopted, a gap
    }
  }

  #fail(call: ReplayedRequest | undefined, error: unknown): void {
    if (!call) return;
    const { code, message } = isObject(error) ? error : {};
    call.isForgotten = code === 'session-lost';
    const failure = { code: SERVER_ERROR, message: String(message), data: { code } };
    this.#add(
      { kind: 'say', message: { jsonrpc: '2.0', id: call.id, error: failure } },
      { calls: [call], isAnswer: true },
    );
  }

  #abandon(call: ReplayedRequest | undefined): void {
    if (call) this.#unanswered.delete(call);
  }

  /** A malformed response is replayed as such; one that was too large was not kept, and becomes an error. */
  #refuse({ refusal, origin }: JsonObject): void {
    if (!isObject(refusal)) return;
    const ids: unknown[] = Array.isArray(refusal['ids']) ? refusal['ids'] : [];
    const named = [...ids.slice(0, IDS_TRIED), origin].flatMap((id) => this.#callOfId(id) ?? []);
    const only = refusal['isAnswer'] === true && this.#unanswered.size === 1 ? [...this.#unanswered] : [];
    const call = [...named, ...only].find((one) => this.#unanswered.has(one));
    if (!call) return;
    if (refusal['code'] === 'bad-answer') this.#add({ kind: 'garble' }, { calls: [call], isAnswer: true });
    else this.#fail(call, { code: refusal['code'], message: refusal['reason'] });
  }

  /** JSON that is no MCP message is recorded as a message; only other lines need a step of their own. */
  #babble(note: unknown): void {
    if (!isObject(note) || note['kind'] !== 'noise' || typeof note['text'] !== 'string') return;
    if (!isWholeMessage(note['text']))
      this.#add({ kind: 'babble', line: note['text'] }, { calls: [], isAnswer: false });
  }

  /** The replay exits only if the recorded server closed the connection itself. */
  #close(reason: unknown): void {
    if (!isObject(reason) || reason['kind'] === 'disposed') return;
    const { code, stderr } = reason;
    const act: Act = {
      kind: 'leave',
      code: typeof code === 'number' ? code : 1,
      stderr: typeof stderr === 'string' ? stderr : '',
    };
    this.#add(act, { calls: [], isAnswer: false });
  }

  #add(act: Act, { calls, isAnswer }: { calls: readonly ReplayedRequest[]; isAnswer: boolean }): void {
    const cancels = calls.flatMap(({ cancel }) => cancel ?? []);
    const step: ReplayStep = { at: this.steps.length, cue: this.#cue, calls, cancels, isAnswer, act, isDone: false };
    this.steps.push(step);
    if (isAnswer) for (const call of calls) this.#unanswered.delete(call);
    for (const cue of new Set<Cue>([...calls, ...cancels, ...(this.#cue ? [this.#cue] : [])])) cue.steps.push(step);
    if (!this.#cue && calls.length === 0) this.opening.push(step);
  }
}

export const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const CANCELLED = 'notifications/cancelled';
const SERVER_ERROR = -32000;
const IDS_TRIED = 16; // as many as the wire looks at

export function progressTokenOf({ params }: JsonObject): unknown {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta['progressToken'] : undefined;
}

function requestIdOf({ params }: JsonObject): unknown {
  return isObject(params) ? params['requestId'] : undefined;
}

export function isRequestMessage({ id, method }: JsonObject): boolean {
  return typeof method === 'string' && id !== undefined;
}

export type ToKey = (request: JsonObject) => string;

/** Equal for requests that ask for the same: the method and the params, redacted as in a recording. */
export function requestKey(home: string): ToKey {
  const redact = messageRedactor({ home });
  return (request) => {
    const { method, params } = redact(request) as JsonObject;
    return JSON.stringify([method, canonical(isObject(params) ? withoutToken(params) : params)]);
  };
}

/** What a request is about: its method, with the name of a tool or prompt or the URI of a resource. */
function topicOf({ method, params }: JsonObject): string {
  const { name, uri } = isObject(params) ? params : {};
  return JSON.stringify([method, typeof name === 'string' ? name : typeof uri === 'string' ? uri : null]);
}

function remarkKey({ id, method }: JsonObject): string {
  return JSON.stringify(method === undefined ? { reply: id } : { note: method });
}

/** Items in recorded order; those before `from` are used. */
interface Queue<Item> {
  readonly all: Item[];
  from: number;
}

function enqueue<Item>(queues: Map<string, Queue<Item>>, key: string, item: Item): void {
  const queue = queues.get(key);
  if (queue) queue.all.push(item);
  else queues.set(key, { all: [item], from: 0 });
}

function next<Item>(queue: Queue<Item> | undefined, isFit: (item: Item) => boolean): Item | undefined {
  if (!queue) return undefined;
  while (queue.from < queue.all.length && !isFit(queue.all[queue.from]!)) queue.from++;
  return queue.all[queue.from];
}

function isFree({ live, isForgotten }: ReplayedRequest): boolean {
  return live === undefined && !isForgotten;
}

function isTold({ isForgotten }: ReplayedRequest): boolean {
  return !isForgotten;
}

function withoutToken(params: { readonly [key: string]: unknown }): object {
  const { _meta: meta, ...rest } = params;
  if (!isObject(meta)) return params;
  const { progressToken: _, ...others } = meta;
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others };
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, canonical(value[key])]));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isWholeMessage(text: string): boolean {
  if (text.endsWith(TRUNCATION_MARK)) return /^[{[]/u.test(text);
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
