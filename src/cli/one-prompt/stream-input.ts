import type { UserPart } from '../../session/index.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { Watched } from '../../base/watched.js';
import { within } from '../../base/within.js';
import { gateLine } from '../../model/text/text-gate.js';

/** The content of one user message. */
export type UserLine =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parts'; readonly parts: readonly UserPart[] };

/** A user message that cannot be used. It has its turn, because the program waits for a result of each. */
export interface UnusableLine {
  readonly kind: 'unusable';
  readonly reason: string;
}

interface QueuedLine {
  readonly line: UserLine | UnusableLine;
  readonly size: number;
  /** The program's own id of the message, if it gave one. */
  readonly uuid: string | undefined;
  /** Smaller goes first. */
  readonly rank: number;
}

export interface StreamInputOptions {
  /** Called for a request of the embedding program. Contract: must not throw. */
  readonly onRequest: (key: unknown, request: { readonly [field: string]: unknown }) => void;
  /** Called for an unusable line. Contract: must not throw. */
  readonly onFault: (reason: string) => void;
}

/** The user messages that arrive on stdin in stream-json. Messages that arrive during a turn are queued. */
export class StreamInput {
  readonly #options: StreamInputOptions;
  readonly #queue: QueuedLine[] = [];
  /** Messages that were sent without a turn: they join the next one. */
  readonly #appended: UserLine[] = [];
  #size = 0;
  /** `queued`: how many messages wait. */
  readonly #state = new Watched({ queued: 0, isOver: false });

  constructor(options: StreamInputOptions) {
    this.#options = options;
  }

  /** Whether a message is queued that no turn has taken yet. */
  get isWaiting(): boolean {
    return this.#queue.length > 0;
  }

  /** Takes a line that is not for a server. False: the line is not understood. */
  take(message: unknown): boolean {
    const { type, request, request_id: key } = isObject(message) ? message : {};
    if (type === 'control_request') {
      if (isObject(request)) this.#options.onRequest(key, request);
      else this.#options.onFault('a control_request has no request');
      return true;
    }
    // A late response to a question that was withdrawn, or a keep-alive.
    if (type === 'control_response' || type === 'keep_alive') return true;
    if (type === 'user') this.#queueUp(message as JsonObject);
    else
      this.#options.onFault(
        typeof type === 'string' ? `a line has the unknown type ${quoted(type)}` : 'a line has no type',
      );
    return type === 'user';
  }

  /** The ids of the messages that wait, as far as the program gave any. */
  get waiting(): readonly string[] {
    return this.#queue.flatMap(({ uuid }) => uuid ?? []);
  }

  /** Drops the messages that wait; returns their ids. */
  drop(): readonly string[] {
    const { waiting } = this;
    this.#queue.splice(0);
    this.#size = 0;
    this.#state.set({ ...this.#state.value, queued: 0 });
    return waiting;
  }

  /** Queues a user message that cannot be used, and reports it. */
  refuse(reason: string): void {
    this.#options.onFault(reason);
    // Beyond the limit there is no result: a program that sends so many waits for none of them.
    if (this.#queue.length < QUEUED)
      this.#insert({ line: { kind: 'unusable', reason }, size: 0, uuid: undefined, rank: USUAL });
  }

  /** Marks the end of stdin. */
  end(): void {
    this.#state.set({ ...this.#state.value, isOver: true });
  }

  /** The next message; undefined at the end of stdin or when the signal aborts. One caller may wait at a time. */
  async next(signal: AbortSignal): Promise<UserLine | UnusableLine | undefined> {
    const said = this.#state.until(({ queued, isOver }) => queued > 0 || isOver);
    await within(said, { signal, instead: () => undefined });
    const next = signal.aborted ? undefined : this.#queue.shift();
    this.#state.set({ ...this.#state.value, queued: this.#queue.length });
    this.#size -= next?.size ?? 0;
    if (next?.line.kind === 'unusable') return next.line;
    return next && joinLines([...this.#appended.splice(0), next.line]);
  }

  #queueUp({ message, uuid, priority, shouldQuery }: JsonObject): void {
    const line = readUserLine(message);
    if (typeof line === 'string') return shouldQuery === false ? this.#options.onFault(line) : this.refuse(line);
    const size = sizeOf(line);
    if (this.#queue.length >= QUEUED || this.#size + size > QUEUED_SIZE) {
      return this.refuse(`${this.#queue.length} messages are waiting already: this message is dropped`);
    }
    // A message without a turn counts until the end: it is sent with every later one.
    this.#size += size;
    if (shouldQuery === false) return void this.#appended.push(line);
    const rank = RANKS.get(priority) ?? USUAL;
    const id = typeof uuid === 'string' && uuid.length <= ID_LIMIT ? uuid : undefined;
    this.#insert({ line, size, uuid: id, rank });
  }

  #insert(queued: QueuedLine): void {
    const at = this.#queue.findIndex(({ rank }) => rank > queued.rank);
    this.#queue.splice(at === -1 ? this.#queue.length : at, 0, queued);
    this.#state.set({ ...this.#state.value, queued: this.#queue.length });
  }
}

/** Returns a sentence when the message cannot be used. */
function readUserLine(message: unknown): UserLine | string {
  const { content, role = 'user' } = isObject(message) ? message : {};
  if (role !== 'user') return `a user line has the role ${quoted(role)}, not "user"`;
  if (typeof content === 'string') return content.trim() === '' ? EMPTY : { kind: 'text', text: content };
  if (!Array.isArray(content)) return 'a user line has no message with content';
  const parts: UserPart[] = [];
  for (const block of content) {
    const part = readBlock(block);
    if (typeof part === 'string') return part;
    if (part.kind === 'image' || part.text.trim() !== '') parts.push(part);
  }
  if (parts.length === 0) return EMPTY;
  const words = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return words.length === parts.length ? { kind: 'text', text: words.join('\n\n') } : { kind: 'parts', parts };
}

function readBlock(block: unknown): UserPart | string {
  const { type, text, source } = isObject(block) ? block : {};
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text };
  const { type: origin, media_type: mimeType, data } = isObject(source) ? source : {};
  if (type === 'image' && origin === 'base64' && typeof mimeType === 'string' && typeof data === 'string') {
    return { kind: 'image', mimeType, data };
  }
  return `a block of the type ${quoted(type)} cannot be sent: only text, and image with base64`;
}

/** Messages that are sent as one, in their order. */
function joinLines(lines: readonly UserLine[]): UserLine | undefined {
  const parts = lines.flatMap((line): readonly UserPart[] =>
    line.kind === 'text' ? [{ kind: 'text', text: line.text }] : line.parts,
  );
  if (lines.length <= 1) return lines[0];
  const words = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return words.length === parts.length ? { kind: 'text', text: words.join('\n\n') } : { kind: 'parts', parts };
}

function sizeOf(line: UserLine): number {
  if (line.kind === 'text') return line.text.length;
  return line.parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.text : part.data).length, 0);
}

function quoted(value: unknown): string {
  return gateLine(JSON.stringify(value) ?? 'nothing', { limit: QUOTED }).text;
}

const RANKS: ReadonlyMap<unknown, number> = new Map([
  ['now', 0],
  ['next', 1],
  ['later', 2],
]);
const USUAL = 1;
const ID_LIMIT = 200;
const EMPTY = 'a user line is empty';
const QUOTED = 100;
const QUEUED = 10_000;
const QUEUED_SIZE = 64_000_000;
