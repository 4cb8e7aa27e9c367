// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
import type { Clock } from '../../model/clock.js';
import { COMPLETED } from '../../model/hooks/hook-call.js';
import { toElicitationId } from './elicitation-id.js';

/** A visit to a page whose completion the server may report. Disposing of it twice is fine. */
export interface Expected extends Disposable {
  /** Aborts with COMPLETED when the server reports completion after the user has agreed to the page. */
  readonly signal: AbortSignal;
  /** Records that the user agreed. Before that, a completion is ignored: the server would answer its own question. */
  readonly agree: () => void;
}

export interface VisitedPage {
  readonly server: string;
  readonly id: string;
  readonly url: string | undefined;
}

/** The visits whose completion is awaited. Any other completion, or one before the user agreed, is ignored. */
export class ElicitationCompletions {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Set<Visit>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Listens for fifteen minutes at most. A server need not report completion, so callers need another way out. */
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

  /** Accepts any notification of a server, and ignores all but completions. Never throws. */
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

/** An elicitation id is unique within one server only. */
function keyOf(server: string, id: string): string {
  return `${server}\n${id}`;
}

const LONGEST_MS = 900_000;
