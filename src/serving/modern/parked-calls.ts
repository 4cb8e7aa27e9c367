import { randomUUID } from 'node:crypto';
import type { ModernRequest } from './modern-request.js';

/** The calls of modern clients that wait for answers between two requests, in this process. */
export class ParkedCalls {
  /** Names this process in states: after a restart its calls are gone. */
  readonly instance = randomUUID();
  readonly #calls = new Map<string, ModernRequest>();
  readonly #counts = new Map<string, number>();
  readonly #limits: ParkingLimits;

  constructor(limits: ParkingLimits = LIMITS) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Gives the call a place, and its name; undefined where there are too many. */
  admit(call: ModernRequest): string | undefined {
    const { principal } = call.client;
    const count = this.#counts.get(principal) ?? 0;
    if (count >= this.#limits.principal || this.#calls.size >= this.#limits.all) return undefined;
    const name = randomUUID();
    this.#calls.set(name, call);
    this.#counts.set(principal, count + 1);
    return name;
  }

  get(name: string): ModernRequest | undefined {
    return this.#calls.get(name);
  }

  /** The call is over, and its outcome delivered or given up. */
  release(name: string): void {
    const call = this.#calls.get(name);
    if (!call || !this.#calls.delete(name)) return;
    const { principal } = call.client;
    const count = this.#counts.get(principal)! - 1;
    if (count > 0) this.#counts.set(principal, count);
    else this.#counts.delete(principal);
  }

  /** Ends all: the process is about to end. */
  cancelAll(): void {
    for (const call of this.#calls.values()) call.expire();
  }
}

export interface ParkingLimits {
  readonly principal: number;
  readonly all: number;
}

const LIMITS: ParkingLimits = { principal: 100, all: 1_000 };
