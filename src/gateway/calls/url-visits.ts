// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-mode
import { isObject, type JsonObject } from '../../base/json.js';
import { pause } from '../../base/pause.js';
import { randomUUID } from '../../edge/random-hex.js';
import type { Clock } from '../../model/clock.js';
import type { ClientRequest, Question } from '../../serving/endpoint.js';

/**
 * The questions of one call, and the pages that it has sent its user to. A modern server asks for a page without an id
 * and asks again until the user is done; a client of 2025-11-25 is asked once, with an id, and told when it is over.
 */
export class UrlVisits {
  readonly #request: ClientRequest;
  readonly #clock: Clock;
  /** The ids of the pages that the user is visiting, by URL. */
  #visiting: Map<string, { readonly id: string; rounds: number }> | undefined;

  constructor(request: ClientRequest, clock: Clock) {
    this.#request = request;
    this.#clock = clock;
  }

  async answer(question: Question, signal: AbortSignal): Promise<JsonObject> {
    const url = this.#pageOf(question);
    if (url === undefined) return this.#request.ask(question, signal);
    const known = this.#visiting?.get(url);
    // Consent is not the end of the visit: the server asks again until it is, and the user is not to hear of that.
    if (known) {
      const wait = WAITS_MS[Math.min(known.rounds++, WAITS_MS.length - 1)]!;
      await pause(wait, { clock: this.#clock, signal });
      return ACCEPTED;
    }
    const id = randomUUID();
    const { method, params } = question;
    const answer = await this.#request.ask({ method, params: { ...params, elicitationId: id } }, signal);
    if (answer['action'] === 'accept') (this.#visiting ??= new Map()).set(url, { id, rounds: 0 });
    return answer;
  }

  /** The call is over: the client may close its pages. */
  ended(): void {
    for (const { id } of this.#visiting?.values() ?? [])
      this.#request.client.notify('notifications/elicitation/complete', { elicitationId: id });
    this.#visiting = undefined;
  }

  /** The page that a legacy client is asked to show without an id of the server's. */
  #pageOf({ method, params }: Question): string | undefined {
    if (method !== 'elicitation/create' || this.#request.client.era !== 'legacy' || !isObject(params)) return undefined;
    const { mode, url, elicitationId } = params;
    return mode === 'url' && typeof url === 'string' && elicitationId === undefined ? url : undefined;
  }
}

const ACCEPTED: JsonObject = { action: 'accept' };
const WAITS_MS = [2_000, 4_000, 8_000, 15_000] as const;
