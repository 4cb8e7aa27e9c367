import { HostError } from '../../base/errors.js';
import { Lru } from '../../base/collections/lru.js';
import type { Completion } from '../../connection/requests/complete.js';
import type { Clock } from '../../model/clock.js';
import { type Answered, unanswered } from '../answered.js';
import type { CompletionRequest } from './complete-argument.js';

export interface CompletionTurn {
  readonly request: CompletionRequest;
  readonly clock: Clock;
  /** Sends the request through the steps of a call. Contract: never rejects. */
  readonly send: () => Promise<Answered<Completion>>;
}

/**
 * Completion while the user types. One request at a time for each argument: of those that come meanwhile only the last
 * is sent, and a recent answer is not requested again. Neither runs a hook or writes a line of the ledger.
 */
export class CompletionRequests {
  readonly #answers = new Lru<{ readonly answer: Promise<Answered<Completion>>; readonly at: number }>({
    count: ANSWER_LIMIT,
    size: Infinity,
  });
  /** Arguments being completed, by principal, server, reference and argument name. */
  readonly #blanks = new Map<string, Blank>();

  /** Never rejects. A request that a later one has replaced ends with the error `cancelled`. */
  async ask({ request, clock, send }: CompletionTurn): Promise<Answered<Completion>> {
    const { server, caller, ref, argument, context = {} } = request;
    const filled = Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify([caller?.principal, server, ref, argument, filled]);
    // A kept answer has no result of the server's own.
    const isKept = request.keepServerResult !== true;
    const known = isKept ? this.#answers.get(key) : undefined;
    if (known && clock.monotonic() - known.at < FRESH_MS) return known.answer;
    const place = JSON.stringify([caller?.principal, server, ref, argument.name]);
    const blank = this.#blanks.get(place) ?? { asked: 0, last: undefined };
    this.#blanks.set(place, blank);
    const turn = ++blank.asked;
    if (blank.last) await blank.last;
    if (turn !== blank.asked) return overtaken(server, argument.name);
    if (request.signal?.aborted === true) {
      this.#blanks.delete(place);
      return overtaken(server, argument.name);
    }
    const answer = send();
    if (isKept) this.#answers.set(key, { answer, at: clock.monotonic() });
    blank.last = this.#settle(answer, { key, place, blank, turn });
    return answer;
  }

  /** Drops failed answers from the cache, and the `Blank` when no later request waits for it. */
  async #settle(answer: Promise<Answered<Completion>>, { key, place, blank, turn }: Asking): Promise<void> {
    const { ok } = await answer;
    if (!ok) this.#answers.delete(key);
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

function overtaken(server: string, argument: string): Answered<Completion> {
  const text = `Completing "${argument}" for server "${server}" was overtaken by a later question`;
  return unanswered(new HostError('cancelled', text));
}
