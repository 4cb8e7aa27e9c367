// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
import type { Clock } from '../../model/clock.js';
import { toElicitationId } from './elicitation-id.js';

/** A visit that a server will say the end of, perhaps. Disposing of it twice is fine. */
export interface Expected extends Disposable {
  /** Aborts, with COMPLETED, when the server says that it is over. */
  readonly signal: AbortSignal;
}

/** Why a question is withdrawn whose end the server has told. */
export const COMPLETED = 'completed';

/** Which visits of the user somebody waits for. Ids that nobody waits for mean nothing. */
export class Completions {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Set<AbortController>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Listens for fifteen minutes at most. Whoever waits needs another way out as well: a server need not tell. */
  expect(server: string, id: string): Expected {
    const key = keyOf(server, id);
    const done = new AbortController();
    const all = this.#expected.get(key) ?? new Set();
    this.#expected.set(key, all.add(done));
    const forget = (): void => {
      timer[Symbol.dispose]();
      all.delete(done);
      if (all.size === 0 && this.#expected.get(key) === all) this.#expected.delete(key);
    };
    const timer = this.#clock.after(LONGEST_MS, forget);
    return { signal: done.signal, [Symbol.dispose]: forget };
  }

  /** Every notification of a server may be given to it. Never throws. */
  hear(server: string, method: string, params: { readonly [name: string]: unknown }): void {
    if (method !== 'notifications/elicitation/complete' || this.#expected.size === 0) return;
    const id = toElicitationId(params['elicitationId']);
    const all = id === undefined ? undefined : this.#expected.get(keyOf(server, id));
    for (const done of all ?? []) done.abort(COMPLETED);
  }

  get waiting(): number {
    return this.#expected.size;
  }
}

/** The id of one server says nothing about another's. */
function keyOf(server: string, id: string): string {
  return `${server}\n${id}`;
}

const LONGEST_MS = 900_000;
