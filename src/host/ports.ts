import { systemClock } from '../edge/clock.js';
import type { PermissionAnswer, PermissionQuestion } from '../guard/permission-question.js';
import type { Elicitation, ElicitationReply } from '../model/hooks/hook-call.js';
import type { Clock } from '../model/clock.js';
import type { SamplingPort } from '../model/sampling.js';

/** What an embedder may supply. Everything has a default. */
export interface Ports {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** From 0 to 1, by chance. */
  readonly random: () => number;
  /**
   * Asks the user whether a tool may be called. Contract: lets go when the signal aborts. Without it nobody can be asked, and what
   * would have to be is denied.
   */
  readonly ask?: ((question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>) | undefined;
  /**
   * A bearer token for an http or sse server, in place of a sign-in by the user. `refused`: the one that the server has not taken. Undefined: the
   * user signs in.
   */
  readonly token?: ((request: TokenRequest) => Promise<string | undefined>) | undefined;
  /** The model that servers may use (sampling). Without it they hear nothing of one. */
  readonly model?: SamplingPort | undefined;
  /** Opens a page in the user's browser, outside this program. False: that was not possible. The URL has passed the gate. */
  readonly openUrl?: ((url: string) => Promise<boolean>) | undefined;
  /**
   * Has the user answer a server's question. Contract: as above; calls `agreed` as soon as the user has said yes to a page whose end is
   * waited for (`wants: 'completion'`): only from then on does the server's word that all is done withdraw the question and count as
   * accepted. Without this port such questions are declined.
   */
  readonly elicit?:
    | ((question: Elicitation, signal: AbortSignal | undefined, agreed: () => void) => Promise<ElicitationReply>)
    | undefined;
  /**
   * Whether `elicit` may be given forms that ask for passwords, keys and the like: it shows their `warnings`, and not what is typed
   * into their `secretFields`. Without it they are declined, as the specification forbids them.
   */
  readonly takesSecrets?: boolean | undefined;
}

export interface TokenRequest {
  readonly server: string;
  readonly url: string;
  readonly refused?: string;
}

export function withDefaults(ports: Partial<Ports> = {}): Ports {
  return { clock: systemClock, wall: Date.now, random: Math.random, ...ports };
}
