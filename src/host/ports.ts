import { systemClock } from '../edge/clock.js';
import type { Clock } from '../model/clock.js';

/** What an embedder may supply. Everything has a default. */
export interface Ports {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** From 0 to 1, by chance. */
  readonly random: () => number;
}

export function withDefaults(ports: Partial<Ports> = {}): Ports {
  return { clock: systemClock, wall: Date.now, random: Math.random, ...ports };
}
