import { systemClock } from '../edge/clock.js';
import type { AskPermission } from '../guard/permission-question.js';
import type { Elicitation, ElicitationReply } from '../model/hooks/hook-call.js';
import type { Clock } from '../model/clock.js';
import type { SamplingPort } from '../model/sampling.js';

/** What an embedder may supply. Everything has a default. */
export interface Ports {
  /** Timers and durations. Default: those of the system. */
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** A random number from 0 to 1. */
  readonly random: () => number;
  /**
   * Asks the user whether a tool may be called. Contract: stops waiting when the signal aborts. Without this port every
   * call that needs a question is denied.
   */
  readonly ask?: AskPermission | undefined;
  /**
   * Returns a bearer token for an http or sse server, in place of a sign-in by the user. `refused`: the token that the
   * server has rejected. Undefined: the user signs in.
   */
  readonly token?: ((request: TokenRequest) => Promise<string | undefined>) | undefined;
  /** The model that servers may use (sampling). Without it sampling is not declared. */
  readonly model?: SamplingPort | undefined;
  /** Opens a page in the user's browser; false when that failed. The URL has passed the gate. */
  readonly openUrl?: ((url: string) => Promise<boolean>) | undefined;
  /**
   * Asks the user what a server wants to know (elicitation). Contract: stops waiting when the signal aborts; calls
   * `agreed` as soon as the user agrees to a page whose completion is awaited (`wants: 'completion'`). Only then does
   * the server's completion notification withdraw the question and count as accepted. Without this port elicitations
   * are declined.
   */
  readonly elicit?:
    | ((question: Elicitation, signal: AbortSignal | undefined, agreed: () => void) => Promise<ElicitationReply>)
    | undefined;
  /**
   * Whether `elicit` accepts forms that ask for passwords, keys and the like: it shows their `warnings`, and hides what
   * is typed into their `secretFields`. Without it such forms are declined, as the specification forbids them.
   */
  readonly takesSecrets?: boolean | undefined;
}

/** The server that needs a token. */
export interface TokenRequest {
  /** The name of the server. */
  readonly server: string;
  /** The address of the server, for which alone the token is meant. */
  readonly url: string;
  /** Absent at the first request. */
  readonly refused?: string;
}

export function withDefaults(ports: Partial<Ports> = {}): Ports {
  return { clock: systemClock, wall: Date.now, random: Math.random, ...ports };
}
