import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject, parseJson } from '../../base/json.js';
import type { CallResult } from '../../host/host-options.js';
import type { StoredItem } from '../journal.js';
import type { SaidItems } from './said-items.js';
import { LineFault } from './session-error.js';
import { quoted, textField, toAssistantPart, toUserPart } from './stored-parts.js';
import { type SessionHeader, VERSION_1 } from './stored-lines.js';
import { toCallResult } from './stored-result.js';
import { isUuid } from '../../base/uuid.js';

/** What the lines of a session file say, taken one after the other. */
export class SessionReader {
  readonly #id: string;
  #header: SessionHeader | undefined;
  #items: StoredItem[] = [];
  #itemIds = new Set<string>();
  /** Items that a `rewrite` line is still to put into the conversation. */
  #staged = new Map<string, StoredItem>();
  /** Results by the uuid of their lines, until a `results` line joins them. */
  readonly #results = new Map<string, { readonly result: CallResult; readonly isStaged: boolean }>();
  #told: { readonly told: object; readonly after: string | undefined } | undefined;
  /** What the model knew of the servers when this message was the last; no longer known once messages were rewritten. */
  readonly #until: string | undefined;
  #toldUntil: object | undefined;
  readonly #flow: object[] = [];
  #last: string | null = null;
  title: string | undefined;
  model: string | undefined;
  count = 0;

  readonly #said: SaidItems | undefined;

  /** `until`: the message that `toldUntil` is about. `said` gets all that was said. */
  constructor(
    id: string,
    { until, said }: { readonly until?: string | undefined; readonly said?: SaidItems | undefined } = {},
  ) {
    this.#id = id;
    this.#until = until;
    this.#said = said;
  }

  get header(): SessionHeader {
    if (!this.#header) throw new LineFault('the first line is missing');
    return this.#header;
  }

  get items(): readonly StoredItem[] {
    return this.#items;
  }

  get told(): object | undefined {
    return this.#told?.told;
  }

  get toldUntil(): object | undefined {
    return this.#toldUntil;
  }

  /** What the flow guard remembers, also of messages that were replaced since. */
  get flow(): readonly object[] {
    return this.#flow;
  }

  /** The uuid of the last line that has one. */
  get last(): string | null {
    return this.#last;
  }

  /** Results of calls that no `results` line has joined, by the ids of the calls, with the uuids of their lines. */
  get looseResults(): ReadonlyMap<string, { readonly uuid: string; readonly result: CallResult }> {
    const loose = new Map<string, { readonly uuid: string; readonly result: CallResult }>();
    for (const [uuid, { result, isStaged }] of this.#results) {
      if (!isStaged) loose.set(result.callId, { uuid, result });
    }
    return loose;
  }

  /** Throws a `LineFault`. */
  take(text: string): void {
    const line = parseJson(text);
    if (!isObject(line)) throw new LineFault('it is not a JSON object');
    const { type } = line;
    if (!this.#header) return this.#begin(line);
    if (line['sessionId'] !== undefined && line['sessionId'] !== this.#id) {
      throw new LineFault('it belongs to another session');
    }
    switch (type) {
      case 'user':
      case 'assistant':
        return isResult(line) ? this.#takeResult(line) : this.#add(toMessage(line, type), line);
      case 'results':
        return this.#add(this.#toResults(line), line);
      case 'rewrite':
        return this.#rewrite(line);
      case 'told':
        return this.#tell(line['told']);
      case 'flow':
        if (!isObject(line['flow'])) throw new LineFault('"flow" is not an object');
        this.#flow.push(line['flow']);
        return;
      case 'title':
        this.title ??= textField(line, 'title');
        return;
      default:
        throw new LineFault(`its type ${quoted(type)} is unknown`);
    }
  }

  #begin(line: JsonObject): void {
    const { type, version, id, forkedFrom } = line;
    if (type !== 'session') throw new LineFault('the file does not begin like a session');
    if (version !== VERSION_1) {
      throw new LineFault(
        `version ${typeof version === 'number' ? version : quoted(version)} of the format is unknown`,
      );
    }
    if (id !== this.#id) throw new LineFault('the session has another id than its file');
    if (forkedFrom !== undefined && !isUuid(forkedFrom)) throw new LineFault('"forkedFrom" is not a UUID');
    const origin = forkedFrom === undefined ? {} : { forkedFrom };
    this.#header = { id: this.#id, cwd: textField(line, 'cwd'), created: textField(line, 'created'), ...origin };
  }

  #add(item: StoredItem, line: JsonObject): void {
    if (this.#itemIds.has(item.id) || this.#staged.has(item.id)) throw new LineFault('its uuid is there twice');
    this.#count(line);
    if (item.kind === 'message') this.model = item.model ?? this.model;
    if (line['staged'] === true) {
      this.#staged.set(item.id, item);
      return;
    }
    this.#items.push(item);
    this.#said?.add(item);
    this.#itemIds.add(item.id);
    this.#last = item.id;
  }

  #takeResult(line: JsonObject): void {
    const { message, plugboard } = line;
    const [block] = (message as { readonly content: readonly unknown[] }).content;
    if (!isObject(block) || !isObject(plugboard)) throw new LineFault('a result has no "plugboard"');
    const uuid = uuidOf(line);
    const isStaged = line['staged'] === true;
    if (this.#results.has(uuid)) throw new LineFault('its uuid is there twice');
    this.#results.set(uuid, { result: toCallResult(block, plugboard), isStaged });
    if (!isStaged) this.#last = uuid;
  }

  #toResults(line: JsonObject): StoredItem {
    const { results: uuids } = line;
    if (!Array.isArray(uuids)) throw new LineFault('"results" is not a list');
    const results = uuids.map((uuid: unknown) => {
      const found = typeof uuid === 'string' ? this.#results.get(uuid) : undefined;
      if (!found) throw new LineFault('it names a result that is not there');
      this.#results.delete(uuid as string);
      return found.result;
    });
    return { kind: 'results', id: uuidOf(line), results };
  }

  #rewrite(line: JsonObject): void {
    const { uuids } = line;
    if (!Array.isArray(uuids)) throw new LineFault('"uuids" is not a list');
    const known = new Map(this.#items.map((item) => [item.id, item]));
    for (const [id, item] of this.#staged) known.set(id, item);
    const items = uuids.map((uuid: unknown) => {
      const item = typeof uuid === 'string' ? known.get(uuid) : undefined;
      if (!item) throw new LineFault('it names a message that is not there, or one twice');
      known.delete(item.id);
      return item;
    });
    this.#said?.rewrite(this.#items, items, line['reason']);
    this.#items = items;
    this.#itemIds = new Set(items.map(({ id }) => id));
    this.#staged = new Map();
    for (const [uuid, { isStaged }] of this.#results) if (isStaged) this.#results.delete(uuid);
    this.#last = items.at(-1)?.id ?? null;
    this.#toldUntil = undefined;
    this.#count(line);
  }

  #tell(told: unknown): void {
    if (!isObject(told)) throw new LineFault('"told" is not an object');
    this.#told = { told, after: this.#items.at(-1)?.id };
    if (this.#until !== undefined && this.#told.after === this.#until) this.#toldUntil = told;
  }

  #count({ count }: JsonObject): void {
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) throw new LineFault('"count" is wrong');
    this.count = count;
  }
}

/** Whether a line of type `user` holds the result of a call. */
function isResult({ type, message }: JsonObject): boolean {
  const content = isObject(message) ? message['content'] : undefined;
  const [block] = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return type === 'user' && isObject(block) && block['type'] === 'tool_result';
}

function toMessage(line: JsonObject, role: 'user' | 'assistant'): StoredItem {
  const { message, from, files } = line;
  if (!isObject(message) || message['role'] !== role) throw new LineFault('"message" has another role than its line');
  const { content } = message;
  if (!Array.isArray(content)) throw new LineFault('the content of a message is not a list');
  if (from !== undefined && from !== 'user' && from !== 'host' && from !== 'summary') {
    throw new LineFault('"from" is unknown');
  }
  if (files !== undefined && (!Array.isArray(files) || !files.every((file) => typeof file === 'string'))) {
    throw new LineFault('"files" is not a list of texts');
  }
  return {
    kind: 'message',
    id: uuidOf(line),
    message: role === 'user' ? { role, parts: content.map(toUserPart) } : { role, parts: content.map(toAssistantPart) },
    ...(from !== undefined && { from }),
    ...(line['typed'] !== undefined && { typed: textField(line, 'typed') }),
    ...(message['model'] !== undefined && { model: textField(message, 'model') }),
    ...(files !== undefined && { files }),
    ...(line['task'] !== undefined && { task: textField(line, 'task') }),
  };
}

function uuidOf({ uuid }: JsonObject): string {
  if (isUuid(uuid)) return uuid;
  throw new LineFault('"uuid" is not a UUID');
}

/** A `LineFault` of the reader; everything else is a mistake of ours. */
export function faultReason(cause: unknown): string {
  if (cause instanceof LineFault) return cause.message;
  throw cause instanceof HostError ? cause : new HostError('internal', 'A session could not be read', { cause });
}
