// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
import { createHash, randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '../../base/json.js';
import { Lru } from '../../base/collections/lru.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { INVALID_PARAMS } from '../../wire/rpc-codes.js';
import type { Seals } from '../seal.js';

/** What a `requestState` of ours holds, besides what it is bound to. */
export type RequestState =
  /** The call waits in this process. `round`: of its questions; each is answered once. */
  | { readonly kind: 'parked'; readonly instance: string; readonly call: string; readonly round: number }
  /** A modern server's own state. `isPermitted`: the user has allowed the call, which counts once. */
  | { readonly kind: 'relayed'; readonly state: string | undefined; readonly isPermitted: boolean };

/** The call that a state belongs to: another principal, path, method or parameters cannot use it. */
export interface StateBinding {
  readonly principal: string;
  /** Of the endpoint. */
  readonly path: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** Seals and opens the `requestState` of modern clients, which they send back as it is. */
export class RequestStates {
  readonly #seals: Seals;
  /** Milliseconds since 1970. */
  readonly #wall: () => number;
  /** The states with the user's yes that have been used: who uses one again is asked again. */
  readonly #spent = new Lru<true>({ count: SPENT_COUNT, size: Infinity });

  constructor(seals: Seals, wall: () => number) {
    this.#seals = seals;
    this.#wall = wall;
  }

  seal(state: RequestState, binding: StateBinding): string {
    const bound = { who: hash(binding.principal), what: digestOf(binding), until: this.#wall() + STATE_MS };
    const once = state.kind === 'relayed' && state.isPermitted ? { once: randomUUID() } : undefined;
    return this.#seals.seal('state', { ...state, ...bound, ...once });
  }

  /** Throws a JsonRpcFailure with `data.reason` for a state that is not of this call. */
  open(text: unknown, binding: StateBinding): RequestState {
    const sealed = typeof text === 'string' ? this.#seals.open('state', text) : undefined;
    if (!sealed) throw refusedState('invalid', 'it was not made here');
    const { who, what, until, once, ...state } = sealed;
    if (who !== hash(binding.principal)) throw refusedState('foreign', 'it was made for another user');
    if (what !== digestOf(binding))
      throw refusedState('changed', 'the method or the parameters are not those of the call');
    if (typeof until !== 'number' || until < this.#wall()) throw refusedState('expired', 'it is too old');
    if (typeof once !== 'string') return state as RequestState;
    const isPermitted = this.#spent.get(once) === undefined;
    this.#spent.set(once, true);
    return { ...(state as Extract<RequestState, { kind: 'relayed' }>), isPermitted };
  }
}

export function refusedState(reason: string, why: string): JsonRpcFailure {
  return new JsonRpcFailure(INVALID_PARAMS, `The requestState cannot be used: ${why}`, { reason });
}

/** Without what a retry changes. Keys are sorted: a client may write them in another order. */
function digestOf({ path, method, params }: StateBinding): string {
  const { _meta: _, inputResponses: __, requestState: ___, ...same } = params;
  return hash(JSON.stringify([path, method, sorted(same)]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  // `fromEntries`, so that the key "__proto__" becomes an own property.
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key])]),
  );
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

const SPENT_COUNT = 10_000; // each is a question that a user has answered within `STATE_MS`
/** As long as a question waits for its answer. */
export const STATE_MS = 600_000;
