import { HostError } from '../../base/errors.js';
import { Lru } from '../../base/collections/lru.js';
import type { Caller } from '../../model/caller.js';
import type { RetriedOutcome } from '../call-with-retries.js';
import { complete, type Completion, type CompletionQuestion } from './complete.js';
import type { ServerLifecycle } from '../server-lifecycle.js';
import type { KeptServerResult } from '../kept-server-result.js';
import { reading } from '../operation.js';

export interface CompletionOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** For whom the argument is completed: suggestions are cached for each principal separately. */
  readonly owner?: Caller | undefined;
  /** Receives the server's own result; a cached one is not used then. */
  readonly kept?: KeptServerResult | undefined;
}

/**
 * Completion while the user types. One request at a time for each argument: of those that come meanwhile only the last
 * is sent, and a recent response is not requested again.
 */
export class CompletionRequests {
  readonly #answers = new Lru<{ readonly carried: Promise<RetriedOutcome<Completion>>; readonly at: number }>({
    count: ANSWER_LIMIT,
    size: Infinity,
  });
  /** Arguments being completed, by principal, server, reference and argument name. */
  readonly #blanks = new Map<string, Blank>();

  /** Never rejects. A request that a later one has replaced ends with the error `cancelled`. */
  async ask(
    lifecycle: ServerLifecycle,
    question: CompletionQuestion,
    options: CompletionOptions = {},
  ): Promise<RetriedOutcome<Completion>> {
    const { name, clock } = lifecycle;
    const { ref, argument, context = {} } = question;
    const { signal, owner, timeoutMs = COMPLETION_MS, kept } = options;
    const filled = Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify([owner?.principal, name, ref, argument, filled]);
    const known = kept ? undefined : this.#answers.get(key);
    if (known && clock.monotonic() - known.at < FRESH_MS) return known.carried;
    const place = JSON.stringify([owner?.principal, name, ref, argument.name]);
    const blank = this.#blanks.get(place) ?? { asked: 0, last: undefined };
    this.#blanks.set(place, blank);
    const turn = ++blank.asked;
    if (blank.last) await blank.last;
    if (turn !== blank.asked) return overtaken(name, argument.name);
    const carried = lifecycle.ask(
      reading((connection, left) => complete(connection, question, { ...left, owner, kept })),
      { signal, timeoutMs },
    );
    this.#answers.set(key, { carried, at: clock.monotonic() });
    blank.last = this.#settle(carried, { key, place, blank, turn });
    return carried;
  }

  /** Drops failed responses from the cache, and the `Blank` when no later request waits for it. */
  async #settle(carried: Promise<RetriedOutcome<Completion>>, { key, place, blank, turn }: Asking): Promise<void> {
    const { outcome } = await carried;
    if (outcome !== 'ok') this.#answers.delete(key);
    if (turn === blank.asked) this.#blanks.delete(place);
  }
}

/** An argument that is being completed. */
interface Blank {
  /** Number of requests for it so far. */
  asked: number;
  /** The request in flight. */
  last: Promise<void> | undefined;
}

interface Asking {
  readonly key: string;
  readonly place: string;
  readonly blank: Blank;
  readonly turn: number;
}

const ANSWER_LIMIT = 100;
const FRESH_MS = 10_000; // ms; covers typing back and forth
const COMPLETION_MS = 10_000; // ms; a user waits no longer for a suggestion

function overtaken(server: string, argument: string): RetriedOutcome<Completion> {
  const text = `Completing "${argument}" for server "${server}" was overtaken by a later question`;
  return { outcome: 'error', error: new HostError('cancelled', text), attempts: 0 };
}
