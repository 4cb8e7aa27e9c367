import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import type { StatusChange } from '../../connection/server-lifecycle-options.js';
import { gateLine } from '../../model/text/text-gate.js';
import { type ServerChange, toReason } from '../host-events.js';
import { type StatusWord, statusWordOf } from './server-state.js';

export interface StatusChainOptions {
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** Contract: must not throw. */
  readonly tell: (change: ServerChange) => void;
  /** Writes a line of our own to the log of a server. Contract: must not throw. */
  readonly log: (name: string, line: string) => void;
}

/** Emits state changes so that each begins where the last one ended, also when another connection has the name. */
export class StatusChain {
  readonly #options: StatusChainOptions;
  /** The last emitted state of each server. */
  readonly #last = new Map<string, StatusWord>();

  constructor(options: StatusChainOptions) {
    this.#options = options;
  }

  changed(name: string, { before, after, event }: StatusChange): void {
    const { wall, log } = this.#options;
    const reason = toReason(event);
    const at = wall();
    // Only failures, and the recovery from one, are logged.
    if ('error' in after || 'error' in before) {
      const told = gateLine(`${statusWordOf(before)} -> ${statusWordOf(after)}: ${reason}`, { limit: LOG_LIMIT }).text;
      log(name, `[${new Date(at).toISOString()} plugboard] ${told}`);
    }
    this.#tell({ name, before: statusWordOf(before), after: statusWordOf(after), reason, at });
  }

  /** Called when the entry was edited, so that another connection replaces this one, or when the entry is gone. */
  retired({ name, status }: ServerLifecycle, isReplaced: boolean): void {
    const reason = isReplaced ? 'its entry was changed' : 'it is no longer configured';
    const after = isReplaced ? 'idle' : 'disabled';
    this.#tell({ name, before: statusWordOf(status), after, reason, at: this.#options.wall() });
  }

  #tell(change: ServerChange): void {
    const { name, before, after } = change;
    const { tell } = this.#options;
    const last = this.#last.get(name);
    this.#last.set(name, after);
    if (last !== undefined && last !== before) {
      tell({ ...change, before: last, after: before, reason: 'it is configured again' });
    }
    tell(change);
  }
}

const LOG_LIMIT = 1_000;
