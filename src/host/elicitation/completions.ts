// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
import type { Clock } from '../../model/clock.js';
import { COMPLETED } from '../../model/hooks/hook-call.js';
import { toElicitationId } from './elicitation-id.js';

/** A visit that a server will say the end of, perhaps. Disposing of it twice is fine. */
export interface Expected extends Disposable {
  /** Aborts, with COMPLETED, when the server says that it is over, and the user has agreed to it before. */
  readonly signal: AbortSignal;
  /** The user has said yes to the page. Until then its server could answer the question by itself. */
  readonly agree: () => void;
}

/** The page of a visit. */
export interface VisitedPage {
  readonly server: string;
  readonly id: string;
  readonly url: string | undefined;
}

/** Which visits of the user somebody waits for. The end of one that nobody waits for, or has agreed to, means nothing. */
export class ElicitationCompletions {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Set<Visit>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Listens for fifteen minutes at most. Whoever waits needs another way out as well: a server need not tell. */
  expect({ server, id, url }: VisitedPage): Expected {
    const key = keyOf(server, id);
    const visit: Visit = { url, done: new AbortController(), isAgreed: false };
    const all = this.#expected.get(key) ?? new Set();
    this.#expected.set(key, all.add(visit));
    const forget = (): void => {
      timer[Symbol.dispose]();
      all.delete(visit);
      if (all.size === 0 && this.#expected.get(key) === all) this.#expected.delete(key);
    };
    const timer = this.#clock.after(LONGEST_MS, forget);
    return { signal: visit.done.signal, agree: () => void (visit.isAgreed = true), [Symbol.dispose]: forget };
  }

  /** Every notification of a server may be given to it. Never throws. */
  onCompleted(server: string, method: string, params: { readonly [name: string]: unknown }): void {
    if (method !== 'notifications/elicitation/complete' || this.#expected.size === 0) return;
    const id = toElicitationId(params['elicitationId']);
    const all = [...((id === undefined ? undefined : this.#expected.get(keyOf(server, id))) ?? [])];
    // Several calls may wait for one page: the user visits it once.
    const agreed = new Set(all.filter(({ isAgreed }) => isAgreed).map(({ url }) => url));
    for (const { url, done } of all) if (agreed.has(url)) done.abort(COMPLETED);
  }

  get waiting(): number {
    return this.#expected.size;
  }
}

interface Visit {
  readonly url: string | undefined;
  readonly done: AbortController;
  isAgreed: boolean;
}

/** The id of one server says nothing about another's. */
function keyOf(server: string, id: string): string {
  return `${server}\n${id}`;
}

const LONGEST_MS = 900_000;
