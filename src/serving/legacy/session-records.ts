import { SessionRecord } from './session-record.js';

export interface RecordLimits {
  readonly count: number;
  /** Characters. */
  readonly size: number;
}

export const RECORD_LIMITS: RecordLimits = { count: 100_000, size: 64_000_000 };

/** The records of one principal's sessions, by owner; oldest first. */
interface OwnRecords {
  readonly records: Map<string, { readonly record: SessionRecord; size: number }>;
  size: number;
}

/**
 * What sessions have changed since `initialize`. Where it becomes too much, the principal that has most of it loses its
 * oldest: nobody can have the records of others forgotten.
 */
export class SessionRecords {
  readonly #limits: RecordLimits;
  readonly #principals = new Map<string, OwnRecords>();
  #count = 0;
  #size = 0;

  constructor(limits: RecordLimits = RECORD_LIMITS) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  get size(): number {
    return this.#size;
  }

  /** The record of a session; kept from its first change on: a session that changes nothing costs nothing. */
  of(principal: string, owner: string): SessionRecord {
    const known = this.#principals.get(principal)?.records.get(owner);
    return known?.record ?? new SessionRecord((record) => this.#keep(principal, owner, record));
  }

  delete(principal: string, owner: string): void {
    const own = this.#principals.get(principal);
    const kept = own?.records.get(owner);
    if (!own || !kept) return;
    own.records.delete(owner);
    this.#grow(own, -1, -kept.size);
    if (own.records.size === 0) this.#principals.delete(principal);
  }

  #keep(principal: string, owner: string, record: SessionRecord): void {
    let own = this.#principals.get(principal);
    if (!own) this.#principals.set(principal, (own = { records: new Map(), size: 0 }));
    const size = record.size + RECORD_COST;
    const kept = own.records.get(owner);
    this.#grow(own, kept ? 0 : 1, size - (kept?.size ?? 0));
    own.records.set(owner, { record, size });
    while (this.#count > this.#limits.count || this.#size > this.#limits.size) this.#dropOne();
  }

  #dropOne(): void {
    let most: [string, OwnRecords] | undefined;
    for (const entry of this.#principals) if (!most || entry[1].size > most[1].size) most = entry;
    const oldest = most?.[1].records.keys().next();
    if (most && oldest?.done === false) this.delete(most[0], oldest.value);
  }

  #grow(own: OwnRecords, count: number, size: number): void {
    own.size += size;
    this.#count += count;
    this.#size += size;
  }
}

const RECORD_COST = 400; // characters that a record takes besides its URIs
