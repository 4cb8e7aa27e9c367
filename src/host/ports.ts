import { systemClock } from '../edge/clock.js';
import type { PermissionAnswer, PermissionQuestion } from '../guard/permission-question.js';
import type { HookQuestion, HookReply } from '../model/hook-call.js';
import type { Clock } from '../model/clock.js';

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
  /** Has the user answer a server's question. Contract: as above. Without it such questions are declined. */
  readonly elicit?: ((question: HookQuestion, signal: AbortSignal | undefined) => Promise<HookReply>) | undefined;
}

export function withDefaults(ports: Partial<Ports> = {}): Ports {
  return { clock: systemClock, wall: Date.now, random: Math.random, ...ports };
}
