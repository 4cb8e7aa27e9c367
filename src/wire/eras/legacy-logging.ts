// https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging
import { isObject, type JsonObject } from '../../base/json.js';
import type { Caller } from '../../model/caller.js';
import { quietness } from '../log-level.js';
import type { CallOptions } from '../peer.js';
import type { McpSession } from './era.js';

/**
 * The level of log messages that a legacy server is told, one for its whole session: the most talkative that its opener
 * or a call in flight wants. A connection whose callers name none is told no level.
 */
export class LegacyLogging {
  readonly #request: McpSession['request'];
  readonly #opener: Caller | undefined;
  #isOffered = false;
  /** The level that the server has been asked for. */
  #told: string | undefined;
  /** The last `logging/setLevel`, which never rejects: no request is sent before it is answered. */
  #telling: Promise<void> | undefined;
  /** How many calls in flight want each level. */
  readonly #wanted = new Map<string, number>();

  constructor(request: McpSession['request'], opener: Caller | undefined) {
    this.#request = request;
    this.#opener = opener;
  }

  /** After a handshake, which resets the level. */
  begin({ logging }: JsonObject): void {
    this.#isOffered = isObject(logging);
    this.#told = undefined;
    this.relevel();
  }

  relevel(): void {
    void this.#tell({});
  }

  /** A request whose owner wants log messages: sent when the server knows the level. */
  async request(method: string, params: object | undefined, options: CallOptions): Promise<JsonObject> {
    const level = options.logLevel!;
    this.#wanted.set(level, (this.#wanted.get(level) ?? 0) + 1);
    try {
      await this.#tell(options);
      return await this.#request(method, params, options);
    } finally {
      const left = this.#wanted.get(level)! - 1;
      if (left > 0) this.#wanted.set(level, left);
      else this.#wanted.delete(level);
    }
  }

  #tell({ timeoutMs, signal }: CallOptions): Promise<void> | undefined {
    const level = this.#isOffered ? this.#mostTalkative() : undefined;
    if (level === undefined || level === this.#told) return this.#telling;
    this.#told = level;
    const telling = this.#set(level, { timeoutMs, signal }).finally(() => {
      if (this.#telling === telling) this.#telling = undefined;
    });
    this.#telling = telling;
    return telling;
  }

  async #set(level: string, options: CallOptions): Promise<void> {
    try {
      await this.#request('logging/setLevel', { level }, options);
    } catch {
      // Not set, or nobody knows: the next call asks again. Without log messages a call is as good as before.
      if (this.#told === level) this.#told = undefined;
    }
  }

  #mostTalkative(): string | undefined {
    let found = this.#opener?.lane === undefined ? undefined : this.#opener.logLevel;
    for (const level of this.#wanted.keys()) {
      if (found === undefined || quietness(level) < quietness(found)) found = level;
    }
    return found;
  }
}
