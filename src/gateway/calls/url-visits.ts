// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-mode
import { isObject, type JsonObject } from '../../base/json.js';
import type { Lru } from '../../base/collections/lru.js';
import { pause } from '../../base/pause.js';
import { randomUUID } from '../../edge/random-hex.js';
import type { CallerQuestion } from '../../model/caller.js';
import type { Clock } from '../../model/clock.js';
import type { Question } from '../../serving/endpoint.js';
import { type CallingRequest, toPageKey } from './client-callers.js';

export interface VisitContext extends CallerQuestion {
  /** The ids of pages that the client was sent to, by server and the server's id. */
  readonly pages: Lru<string>;
}

/**
 * The questions of one call, and the pages that it has sent its user to. A modern server asks for a page without an id
 * and asks again until the user is done; a client of 2025-11-25 is asked once, with an id, and told when it is over.
 */
export class UrlVisits {
  readonly #request: CallingRequest;
  readonly #clock: Clock;
  /** The pages that the user is visiting, by URL. */
  #visiting: Map<string, UrlVisit> | undefined;

  constructor(request: CallingRequest, clock: Clock) {
    this.#request = request;
    this.#clock = clock;
  }

  async answer(question: Question, { server, signal, pages }: VisitContext): Promise<JsonObject> {
    const page = this.#pageOf(question);
    if (!page) return this.#request.ask(withoutId(question), signal);
    const known = this.#visitOf(question);
    // Consent is not the end of the visit: the server asks again until it is, and the user is not to hear of that.
    if (known) return this.#wait(known, signal);
    const id = randomUUID();
    if (page.id !== undefined) pages.set(toPageKey(server, page.id), id);
    const { method, params } = question;
    const answer = await this.#request.ask({ method, params: { ...params, elicitationId: id } }, signal);
    const isVisited = page.id === undefined && answer['action'] === 'accept';
    if (isVisited) (this.#visiting ??= new Map()).set(page.url, { id, began: this.#clock.monotonic(), rounds: 0 });
    return answer;
  }

  /** Whether it is the question for a page that the user is visiting, and may visit a while longer. */
  isVisiting(question: Question): boolean {
    const visit = this.#visitOf(question);
    return visit !== undefined && this.#leftMs(visit) > 0;
  }

  /** The call is over: the client may close its pages. */
  ended(): void {
    for (const { id } of this.#visiting?.values() ?? [])
      this.#request.client.notify('notifications/elicitation/complete', { elicitationId: id });
    this.#visiting = undefined;
  }

  /** The server asks again when it has the answer: some time later, so that it is not asked all the time. */
  async #wait(visit: UrlVisit, signal: AbortSignal): Promise<JsonObject> {
    const wanted = WAITS_MS[Math.min(visit.rounds++, WAITS_MS.length - 1)]!;
    await pause(Math.min(wanted, Math.max(this.#leftMs(visit), 0)), { clock: this.#clock, signal });
    return this.#leftMs(visit) > 0 ? ACCEPTED : CANCELLED;
  }

  #leftMs({ began }: UrlVisit): number {
    return began + VISIT_MS - this.#clock.monotonic();
  }

  #visitOf(question: Question): UrlVisit | undefined {
    const page = this.#visiting && this.#pageOf(question);
    return page && page.id === undefined ? this.#visiting?.get(page.url) : undefined;
  }

  /** The page that a legacy client is asked to show, with the server's id where it has one. */
  #pageOf({ method, params }: Question): { readonly url: string; readonly id: string | undefined } | undefined {
    if (method !== 'elicitation/create' || this.#request.client.era !== 'legacy' || !isObject(params)) return undefined;
    const { mode, url, elicitationId: id } = params;
    if (mode !== 'url' || typeof url !== 'string') return undefined;
    return { url, id: typeof id === 'string' && id.length <= ID_LIMIT ? id : undefined };
  }
}

/** A server's own id of a page means nothing to others, and the questions of 2026-07-28 have none. */
function withoutId({ method, params }: Question): Question {
  const { elicitationId: _, ...others } = params;
  return { method, params: method === 'elicitation/create' ? others : params };
}

interface UrlVisit {
  readonly id: string;
  readonly began: number;
  /** How often the server has asked again. */
  rounds: number;
}

const ACCEPTED: JsonObject = { action: 'accept' };
const CANCELLED: JsonObject = { action: 'cancel' };
const VISIT_MS = 600_000; // as long as any question waits
const WAITS_MS = [2_000, 4_000, 8_000, 15_000] as const;
const ID_LIMIT = 1_000; // characters
