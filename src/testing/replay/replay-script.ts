import { isObject, type JsonObject } from '../../base/json.js';
import { messageRedactor } from '../../model/redaction/redact-message.js';
import { TRUNCATION_MARK } from '../../model/text/text-gate.js';
import type { RecordedConversation } from './recording.js';

/** A request that the host made. */
export interface ReplayedRequest {
  readonly kind: 'call';
  readonly id: unknown;
  /** How many steps stand before it. */
  readonly at: number;
  /** What waits for it. */
  readonly steps: ReplayStep[];
  /** The note that took it back. What the server said about it later came too late, and has to come too late again. */
  cancel: OneWayMessage | undefined;
  /** The request that has now taken its part. */
  live: { readonly id: unknown; readonly token: unknown } | undefined;
  /** The server had forgotten the host, which asked once more later: that request is the one. */
  isForgotten: boolean;
}

/** Something that the host said and nobody answers: a notification, or a reply to a request of the server. */
export interface OneWayMessage {
  readonly kind: 'note' | 'reply';
  readonly steps: ReplayStep[];
  isReceived: boolean;
}

export type Cue = ReplayedRequest | OneWayMessage;

/** Something that the server did, and what has to be there before it does it again. */
export interface ReplayStep {
  readonly at: number;
  /** The last thing that the host had said by then. */
  readonly cue: Cue | undefined;
  /** The calls that it is about: they give it their ids. */
  readonly calls: readonly ReplayedRequest[];
  /** The notes that had taken those calls back by then. */
  readonly cancels: readonly OneWayMessage[];
  readonly isAnswer: boolean;
  readonly act: Act;
  isDone: boolean;
}

export type Act =
  | { readonly kind: 'say'; readonly message: unknown }
  /** An answer that nobody can read. */
  | { readonly kind: 'garble' }
  /** A line on stdout that is no message. */
  | { readonly kind: 'babble'; readonly line: string }
  | { readonly kind: 'leave'; readonly code: number; readonly stderr: string };

/** A conversation as parts: what the host will say, and what the server does when it has. */
export class Script {
  readonly steps: ReplayStep[] = [];
  /** What the server did before the host had said anything. */
  readonly opening: ReplayStep[] = [];
  readonly #toKey: ToKey;
  readonly #exact = new Map<string, Queue<ReplayedRequest>>();
  readonly #similar = new Map<string, Queue<ReplayedRequest>>();
  readonly #remarks = new Map<string, Queue<OneWayMessage>>();
  readonly #callsById = new Map<string, ReplayedRequest>();
  readonly #callsByToken = new Map<unknown, ReplayedRequest>();
  readonly #callsByLiveId = new Map<unknown, ReplayedRequest>();
  /** Those that the host still waited for. */
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
   * The call whose part a request takes: the next that asked exactly this; the last that did, again, when all of them have
   * had their turn; else the next about the same thing.
   */
  match(request: JsonObject): ReplayedRequest | undefined {
    const exact = this.#exact.get(this.#toKey(request));
    const similar = this.#similar.get(topicOf(request));
    return next(exact, isFree) ?? exact?.all.findLast(isTold) ?? next(similar, isFree);
  }

  /** From here on the request has the call's part. */
  cast(call: ReplayedRequest, request: JsonObject): void {
    call.live = { id: request['id'], token: progressTokenOf(request) };
    this.#callsByLiveId.set(request['id'], call);
  }

  /** What a notification or a reply of the host was in the recording. */
  hear(message: JsonObject): OneWayMessage | undefined {
    if (message['method'] === CANCELLED) return this.#callsByLiveId.get(requestIdOf(message))?.cancel;
    return next(this.#remarks.get(remarkKey(message)), ({ isReceived }) => !isReceived);
  }

  /** The call that an answer, a progress note or an event of a subscription belongs to. */
  callOf(message: JsonObject, origin?: unknown): ReplayedRequest | undefined {
    const { id, method, params } = message;
    if (method === undefined) return this.#callOfId(isAbsent(id) && message['error'] !== undefined ? origin : id);
    if (!isObject(params)) return undefined;
    if (method === 'notifications/progress') return this.#callsByToken.get(params['progressToken']);
    const meta = params['_meta'];
    return isObject(meta) ? this.#callOfId(meta[SUBSCRIPTION]) : undefined;
  }

  /** Some servers write our number as a text. */
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
    // An error of the HTTP layer came without an id, on a channel of its own. Here there is only one channel.
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
        return undefined; // what has no effect on the server: opened, adopted, a gap
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

  /** What was too large cannot be made again; what could not be read can. */
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

  /** JSON that was no message of ours is in the recording as what it is; only other noise has to be made. */
  #babble(note: unknown): void {
    if (!isObject(note) || note['kind'] !== 'noise' || typeof note['text'] !== 'string') return;
    if (!isWholeMessage(note['text']))
      this.#add({ kind: 'babble', line: note['text'] }, { calls: [], isAnswer: false });
  }

  /** Only one that went by itself goes again. */
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
const IDS_TRIED = 16; // as many as the wire looks for

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

/** What two requests have in common that ask for the same: the method and the params, redacted as in a recording. */
export function requestKey(home: string): ToKey {
  const redact = messageRedactor({ home });
  return (request) => {
    const { method, params } = redact(request) as JsonObject;
    return JSON.stringify([method, canonical(isObject(params) ? withoutToken(params) : params)]);
  };
}

/** The name of a tool or a prompt, the address of a resource: what a request is about, whatever else it says. */
function topicOf({ method, params }: JsonObject): string {
  const { name, uri } = isObject(params) ? params : {};
  return JSON.stringify([method, typeof name === 'string' ? name : typeof uri === 'string' ? uri : null]);
}

function remarkKey({ id, method }: JsonObject): string {
  return JSON.stringify(method === undefined ? { reply: id } : { note: method });
}

/** In recorded order; those before `from` have had their turn. */
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
