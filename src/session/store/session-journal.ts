import { closeSync, fchmodSync, fsyncSync, ftruncateSync, unlinkSync, writeSync } from 'node:fs';
import { succeeds } from '../../base/attempt.js';
import { VERSION } from '../../base/version.js';
import { explainWrite } from '../../edge/files/write-error.js';
import { randomUUID } from '../../edge/random-hex.js';
import type { CallResult } from '../../host/host-options.js';
import type { Journal, RewriteReason, StoredItem } from '../journal.js';
import type { StoredReason } from './said-items.js';
import { SESSION_BYTES, lineExcess } from './session-bounds.js';
import type { RestoredSession } from './restored-session.js';
import { toTitle, typedWords } from './session-title.js';
import {
  type LineContext,
  type SessionHeader,
  toHeaderLine,
  toMessageLine,
  toCallResultLine,
  toResultsLine,
  toRewriteLine,
} from './stored-lines.js';

/** How a journal goes on where its file ends. */
export interface JournalState {
  readonly header: SessionHeader;
  /** Of the items in the conversation. */
  readonly ids: readonly string[];
  /** The uuid of the last line that has one. */
  readonly last: string | null;
  readonly title: string | undefined;
  /** Messages so far. */
  readonly count: number;
  /** Results whose lines are written, and which no item has joined yet. */
  readonly loose: readonly { readonly uuid: string; readonly result: CallResult }[];
  readonly told: object | undefined;
  /** Bytes of the file, and values in it. */
  readonly size: number;
  readonly values: number;
}

export interface SessionJournalOptions {
  readonly path: string;
  /** Open for appending; the journal closes it. */
  readonly descriptor: number;
  readonly lock: Disposable;
  readonly state: JournalState;
  readonly now: () => Date;
  /** Called once, with one line, when the session can be kept no longer. Contract: must not throw. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Writes a session file, every line with one synchronous write: what was handed over survives a kill of this process,
 * though not a loss of power. Disposing of it syncs the file and gives up its lock.
 */
export class SessionJournal implements Journal, Disposable {
  /** Of the session. */
  readonly id: string;
  readonly #options: SessionJournalOptions;
  /** Of the items in the conversation. */
  #ids: Set<string>;
  readonly #loose: Map<CallResult, string>;
  #last: string | null;
  #title: string | undefined;
  #count: number;
  #told: string | undefined;
  #size: number;
  #values: number;
  #isOpen = true;
  #isDeleted = false;

  constructor(options: SessionJournalOptions) {
    const { state } = options;
    this.id = state.header.id;
    this.#options = options;
    this.#ids = new Set(state.ids);
    this.#loose = new Map(state.loose.map(({ uuid, result }) => [result, uuid]));
    this.#last = state.last;
    this.#title = state.title;
    this.#count = state.count;
    this.#told = state.told && JSON.stringify(state.told);
    this.#size = state.size;
    this.#values = state.values;
    succeeds(() => fchmodSync(options.descriptor, 0o600)); // a file that was made readable for others is no longer
  }

  get path(): string | undefined {
    return this.#isDeleted ? undefined : this.#options.path;
  }

  /** Writes the first line of a new file. */
  begin(): void {
    this.#write(toHeaderLine(this.#options.state.header, VERSION));
  }

  /** Makes the conversation a copy of another one, all of it or nothing. */
  copy({ items, title, told, flow = [] }: RestoredSession): void {
    if (title !== undefined) this.#entitle(title);
    for (const record of flow) this.flow(record);
    this.#count = items.filter(isCounted).length;
    this.#replace(items, 'fork');
    if (told) this.told(told);
  }

  add(item: StoredItem): void {
    if (isCounted(item)) this.#count++;
    this.#addItem(item, { isStaged: false });
    this.#ids.add(item.id);
    this.#last = item.id;
    if (item.kind === 'results') this.#loose.clear();
  }

  typed(words: string): void {
    if (this.#title === undefined) this.#entitle(toTitle(words));
  }

  result(result: CallResult): void {
    const uuid = randomUUID();
    this.#write(() => toCallResultLine(result, this.#context(uuid, false)));
    this.#loose.set(result, uuid);
    this.#last = uuid;
  }

  rewrite(items: readonly StoredItem[], reason: RewriteReason): void {
    this.#replace(items, reason);
  }

  told(told: object): void {
    const text = JSON.stringify(told);
    if (text === this.#told) return;
    this.#told = text;
    this.#write({ type: 'told', told });
  }

  flow(record: object): void {
    this.#write({ type: 'flow', flow: record });
  }

  close(): Promise<void> {
    this[Symbol.dispose]();
    return Promise.resolve();
  }

  /** Idempotent, never throws. */
  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { descriptor, lock, path } = this.#options;
    const isEmpty = this.#ids.size === 0; // nothing was said
    if (isEmpty) this.#isDeleted = succeeds(() => unlinkSync(path));
    else succeeds(() => fsyncSync(descriptor));
    succeeds(() => closeSync(descriptor));
    lock[Symbol.dispose]();
  }

  #replace(items: readonly StoredItem[], reason: StoredReason): void {
    for (const item of items) if (!this.#ids.has(item.id)) this.#addItem(item, { isStaged: true });
    const ids = items.map(({ id }) => id);
    this.#write(toRewriteLine(ids, reason, this.#count));
    this.#ids = new Set(ids);
    this.#last = ids.at(-1) ?? null;
  }

  #addItem(item: StoredItem, { isStaged }: { readonly isStaged: boolean }): void {
    if (item.kind === 'message') {
      const { message, from = 'user' } = item;
      if (message.role === 'user' && from === 'user' && this.#title === undefined) {
        this.#entitle(toTitle(typedWords(item)));
      }
      this.#write(() => toMessageLine(item, this.#context(item.id, isStaged), { count: this.#count }));
      return;
    }
    const uuids = item.results.map((result) => {
      const known = this.#loose.get(result);
      if (known !== undefined) return known;
      const uuid = randomUUID();
      this.#write(() => toCallResultLine(result, this.#context(uuid, isStaged)));
      return uuid;
    });
    this.#write(toResultsLine(uuids, this.#context(item.id, isStaged), { count: this.#count }));
  }

  #entitle(title: string): void {
    if (title === '') return;
    this.#title = title;
    this.#write({ type: 'title', title });
  }

  #context(uuid: string, isStaged: boolean): LineContext {
    const { state, now } = this.#options;
    const { id, cwd } = state.header;
    return { uuid, parentUuid: this.#last, timestamp: now().toISOString(), sessionId: id, cwd, isStaged };
  }

  #write(line: object | (() => object)): void {
    if (!this.#isOpen) return;
    const { descriptor, path } = this.#options;
    const before = this.#size;
    try {
      const bytes = Buffer.from(`${JSON.stringify(typeof line === 'function' ? line() : line)}\n`);
      const { excess, values } = lineExcess(bytes, this.#values);
      if (excess !== undefined) return this.#fail(`a message cannot be kept: ${excess}`);
      if (before + bytes.length > SESSION_BYTES)
        return this.#fail(`its file would have more than ${SESSION_BYTES} bytes`);
      for (let offset = 0; offset < bytes.length;) offset += writeSync(descriptor, bytes, offset);
      this.#size += bytes.length;
      this.#values += values;
    } catch (cause) {
      succeeds(() => ftruncateSync(descriptor, before)); // a line that was cut would be dropped anyway
      this.#fail(explainWrite(path, cause).reason);
    }
  }

  #fail(reason: string): void {
    this[Symbol.dispose]();
    this.#options.onFailure(`${this.#options.path}: ${reason}`);
  }
}

/** Whether lists count an item as a message: of the user, or of the model. */
function isCounted(item: StoredItem): boolean {
  return item.kind === 'message' && (item.from ?? 'user') === 'user';
}
