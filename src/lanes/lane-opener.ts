import { type Caller, groupOf, type CallerQuestion } from '../model/caller.js';
import { JsonRpcFailure } from '../wire/inbound.js';

/** The calls that use a lane, and the client that they are made for. */
export interface LaneCalls {
  /** The client, as its latest call names it: one that comes back may have another object. */
  readonly client: Caller;
  /** The newest call that is not over; undefined when there is none. */
  readonly newest: Caller | undefined;
  /** How many calls are not over. */
  readonly count: number;
  /** A question came that may belong to any of them. */
  ambiguous(): void;
}

/**
 * Whom a lane is opened for: what the server asks before the first call reaches it belongs to the call that waits for
 * that, and what it asks when there is no call to the client itself.
 */
export class LaneOpener implements Caller {
  readonly lane: string;
  readonly principal: string;
  readonly client: Caller['client'];
  readonly capabilities: Caller['capabilities'];
  readonly #calls: LaneCalls;

  constructor(lane: string, capabilities: Caller['capabilities'], calls: LaneCalls) {
    const { client } = calls;
    this.lane = lane;
    this.principal = client.principal;
    this.client = client.client;
    this.capabilities = capabilities;
    this.#calls = calls;
  }

  get roots(): Caller['roots'] {
    return this.#calls.client.roots;
  }

  get logLevel(): string | undefined {
    return groupOf(this.#calls.client).logLevel;
  }

  get onLog(): Caller['onLog'] {
    return this.#calls.client.onLog;
  }

  answer(method: string, params: { readonly [name: string]: unknown }, asked: CallerQuestion): Promise<object> {
    const { newest, client, count } = this.#calls;
    if (client.mayBeSeveral === true && count > 1) {
      this.#calls.ambiguous();
      return Promise.reject(new JsonRpcFailure(REFUSED, 'Several clients have calls here, and it names none of these'));
    }
    return (newest ?? client).answer(method, params, asked);
  }
}

const REFUSED = -32000;
