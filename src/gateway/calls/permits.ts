import { createHash } from 'node:crypto';
import { Lru } from '../../base/lru.js';
import type { JsonObject } from '../../base/json.js';
import { canonicalJson } from '../../model/text/canonical-json.js';
import type { Clock } from '../../model/clock.js';
import type { ClientRequest } from '../../serving/endpoint.js';
import { type PermissionAsker, askClient } from './ask-client.js';

/** Whether users of clients are asked for permission. */
export type AskSetting = 'client' | 'deny';

export interface PermitsOptions {
  readonly clock: Clock;
  readonly setting: () => AskSetting;
}

/** One call and the permission for it. */
export interface Permit {
  /** Undefined where nobody can be asked. */
  readonly ask: PermissionAsker | undefined;
  /** The call has come back; `result` is the server's, if it sent one. */
  ended(result: JsonObject | undefined): void;
}

/**
 * Permission for calls, from the user of the client. A yes holds for one call: also for the rounds of a modern server
 * that asks something in return, each of which is a request of its own.
 */
export class Permits {
  readonly #options: PermitsOptions;
  /** Calls that were allowed and wait for answers to their server's questions: when that ends. */
  readonly #waiting = new Lru<number>({ count: WAITING, size: Infinity });

  constructor(options: PermitsOptions) {
    this.#options = options;
  }

  of(request: ClientRequest, call: { readonly name: string; readonly input: JsonObject }): Permit {
    const { setting, clock } = this.#options;
    const ask = setting() === 'client' ? askClient(request, call.name) : undefined;
    if (!ask) return { ask, ended: () => undefined };
    let isAllowed = false;
    const key = (): string => keyOf(request, call);
    return {
      ask: async (question, signal) => {
        if (request.inputs && this.#take(key())) {
          isAllowed = true;
          return { kind: 'allow', remember: 'once' };
        }
        const answer = await ask(question, signal);
        isAllowed = answer.kind === 'allow';
        return answer;
      },
      ended: (result) => {
        if (isAllowed && result?.['resultType'] === 'input_required')
          this.#waiting.set(key(), clock.monotonic() + WAITING_MS);
      },
    };
  }

  #take(key: string): boolean {
    const until = this.#waiting.get(key);
    this.#waiting.delete(key);
    return until !== undefined && until > this.#options.clock.monotonic();
  }
}

/** A digest, because the input of a call may be large. */
function keyOf(
  { client: { principal, owner } }: ClientRequest,
  { name, input }: { readonly name: string; readonly input: JsonObject },
): string {
  return createHash('sha256')
    .update(canonicalJson([principal, owner, name, input]))
    .digest('base64');
}

const WAITING = 1_000;
const WAITING_MS = 600_000; // as long as a client may take to answer
