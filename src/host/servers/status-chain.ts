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
  /** Puts a line of our own into the log of a server. Contract: must not throw. */
  readonly log: (name: string, line: string) => void;
}

/** What is told of the states of servers: each change begins where the one before has ended, whichever connection stands behind the name. */
export class StatusChain {
  readonly #options: StatusChainOptions;
  /** How each server was when that was last told. */
  readonly #last = new Map<string, StatusWord>();

  constructor(options: StatusChainOptions) {
    this.#options = options;
  }

  changed(name: string, { before, after, event }: StatusChange): void {
    const { wall, log } = this.#options;
    const reason = toReason(event);
    const at = wall();
    // What goes well is not worth a line, unless something went wrong before.
    if ('error' in after || 'error' in before) {
      const told = gateLine(`${statusWordOf(before)} -> ${statusWordOf(after)}: ${reason}`, { limit: LOG_LIMIT }).text;
      log(name, `[${new Date(at).toISOString()} plugboard] ${told}`);
    }
    this.#tell({ name, before: statusWordOf(before), after: statusWordOf(after), reason, at });
  }

  /** Its entry was edited, and another connection takes its place; or the entry is gone. */
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
