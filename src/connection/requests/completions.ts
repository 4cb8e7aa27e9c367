import { HostError } from '../../base/errors.js';
import { Lru } from '../../base/lru.js';
import type { Caller } from '../../model/caller.js';
import type { RetriedOutcome } from '../call-with-retries.js';
import { complete, type Completion, type CompletionQuestion } from './complete.js';
import type { ServerLifecycle } from '../server-lifecycle.js';
import type { KeptServerResult } from '../kept-server-result.js';
import { reading } from '../operation.js';

export interface CompletionOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Who fills it in: what one principal is told, no other one is. */
  readonly owner?: Caller | undefined;
  /** Gets the server's own answer; then what was answered a moment ago does not do. */
  readonly kept?: KeptServerResult | undefined;
}

/**
 * Completion while somebody types. A server is asked one thing at a time about each blank: of those that come meanwhile only
 * the last is asked, and what was asked a moment ago is not asked again.
 */
export class CompletionRequests {
  readonly #answers = new Lru<{ readonly carried: Promise<RetriedOutcome<Completion>>; readonly at: number }>({
    count: ANSWER_LIMIT,
    size: Infinity,
  });
  /** By what is being filled in. */
  readonly #blanks = new Map<string, Blank>();

  /** Never rejects. One that a later question has overtaken is told so. */
  async ask(
    connection: ServerLifecycle,
    question: CompletionQuestion,
    options: CompletionOptions = {},
  ): Promise<RetriedOutcome<Completion>> {
    const { name, clock } = connection;
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
    const carried = connection.ask(
      reading((link, left) => complete(link, question, { ...left, owner, kept })),
      { signal, timeoutMs },
    );
    this.#answers.set(key, { carried, at: clock.monotonic() });
    blank.last = this.#settle(carried, { key, place, blank, turn });
    return carried;
  }

  /** What went wrong is asked again, and nothing is kept of a blank that nobody fills in any more. */
  async #settle(carried: Promise<RetriedOutcome<Completion>>, { key, place, blank, turn }: Asking): Promise<void> {
    const { outcome } = await carried;
    if (outcome !== 'ok') this.#answers.delete(key);
    if (turn === blank.asked) this.#blanks.delete(place);
  }
}

/** Something that is being filled in. */
interface Blank {
  /** How often somebody wanted to know. */
  asked: number;
  /** What is under way. */
  last: Promise<void> | undefined;
}

interface Asking {
  readonly key: string;
  readonly place: string;
  readonly blank: Blank;
  readonly turn: number;
}

const ANSWER_LIMIT = 100;
const FRESH_MS = 10_000; // of typing back and forth
const COMPLETION_MS = 10_000; // nobody waits longer for a suggestion

function overtaken(server: string, argument: string): RetriedOutcome<Completion> {
  const text = `Completing "${argument}" for server "${server}" was overtaken by a later question`;
  return { outcome: 'error', error: new HostError('cancelled', text), attempts: 0 };
}
