// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../base/json.js';
import type { Endpoint } from '../endpoint.js';
import { LegacyClient, type LegacyAgreement } from '../legacy/legacy-client.js';
import { SessionRecords } from '../legacy/session-records.js';
import type { Seals } from '../seal.js';

export interface SessionsOptions {
  readonly seals: Seals;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
}

/** Where a session was opened; it is good there only. */
export interface SessionPlace {
  readonly principal: string;
  readonly path: string;
  readonly endpoint: Endpoint;
}

/**
 * Legacy sessions without a table: the id is sealed and holds what `initialize` agreed on, so that a session costs
 * nothing until it is used, and is good after a restart. In memory are only sessions that have something open, the
 * last ones used, and small records of what has changed since `initialize`.
 */
export class HttpSessions {
  readonly #options: SessionsOptions;
  /** Least recently used first. */
  readonly #open = new Map<string, { readonly client: LegacyClient; readonly path: string }>();
  readonly #records = new SessionRecords();
  /** Owners of sessions that were deleted. */
  readonly #deleted = new Set<string>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** The sessions in memory, for streams that have to be told. */
  get open(): readonly LegacyClient[] {
    return Array.from(this.#open.values(), ({ client }) => client);
  }

  /** The id of a new session. */
  create({ principal, owner, revision, info, capabilities }: LegacyAgreement, path: string): string {
    const { seals, wall } = this.#options;
    const { name, version } = info;
    const known = { o: owner, p: hash(principal), at: hash(path), r: revision, t: wall() };
    const id = seals.seal('session', { ...known, n: name, v: version, c: capabilities });
    if (id.length <= SESSION_ID_LIMIT) return id;
    // Characters that take many bytes: without the details, rather than an id that does not fit into a header.
    const [n, v] = [name.slice(0, SHORT_NAME), version.slice(0, SHORT_NAME)];
    return seals.seal('session', { ...known, n, v, c: toBare(capabilities) });
  }

  /** The session of this id; undefined where it is not one of this principal and path, or has ended. */
  find(id: string, place: SessionPlace): LegacyClient | undefined {
    const known = this.#open.get(id);
    if (known) {
      if (known.client.principal !== place.principal || known.path !== place.path) return undefined;
      this.#open.delete(id);
      if (known.client.endpoint === place.endpoint) {
        this.#open.set(id, known);
        return known.client;
      }
      // What is served at this path was written anew: the session goes on with that.
    }
    const agreement = this.#unseal(id, place);
    if (!agreement || this.#deleted.has(agreement.owner)) return undefined;
    const record = this.#records.of(agreement.principal, agreement.owner);
    const client = new LegacyClient(agreement, place.endpoint, record);
    this.#makeRoom();
    this.#open.set(id, { client, path: place.path });
    return client;
  }

  delete(id: string, client: LegacyClient): void {
    this.#open.delete(id);
    this.#records.delete(client.principal, client.owner);
    this.#deleted.add(client.owner);
    if (this.#deleted.size > DELETED_COUNT) deleteFirst(this.#deleted);
    client.end();
  }

  #unseal(id: string, { principal, path }: SessionPlace): LegacyAgreement | undefined {
    if (id.length > SESSION_ID_LIMIT) return undefined;
    const sealed = this.#options.seals.open('session', id);
    if (!sealed || sealed['p'] !== hash(principal) || sealed['at'] !== hash(path)) return undefined;
    const { o: owner, r: revision, n: name, v: version, c: capabilities, t: at } = sealed;
    if (typeof at !== 'number' || at + SESSION_MS < this.#options.wall()) return undefined;
    return {
      principal,
      owner: String(owner),
      revision: String(revision),
      info: { name: String(name), version: String(version) },
      capabilities: isObject(capabilities) ? capabilities : {},
    };
  }

  #makeRoom(): void {
    if (this.#open.size < OPEN_COUNT) return;
    for (const [id, { client }] of this.#open) {
      if (this.#open.size < OPEN_COUNT) return;
      if (client.isIdle) this.#open.delete(id);
    }
  }
}

/** Which capabilities there are, down to their parts, without anything else that the client wrote. */
function toBare({ extensions: _extensions, ...capabilities }: JsonObject): JsonObject {
  const parts = Object.entries(capabilities).map(([name, value]): [string, unknown] => [
    name,
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([part, on]) => [part, isObject(on) ? {} : on]))
      : {},
  ]);
  return Object.fromEntries(parts);
}

function deleteFirst(from: Set<string>): void {
  for (const first of from.keys()) {
    from.delete(first);
    return;
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Whatever a client says of itself. */
const SESSION_ID_LIMIT = 1_024; // characters
const SHORT_NAME = 16; // characters
/** Clients do not recover when an id is refused, so it is good for long. */
const SESSION_MS = 30 * 24 * 3_600_000;
const OPEN_COUNT = 4_096;
const DELETED_COUNT = 100_000;
