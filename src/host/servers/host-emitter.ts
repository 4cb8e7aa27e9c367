import { Emitter } from '../../base/emitter.js';
import type { Clock } from '../../model/clock.js';
import type { HostEvent, HostEvents } from '../host-events.js';

/** The events of one host. Those from before anybody could listen are emitted in the next turn of the event loop. */
export class HostEmitter {
  readonly #events = new Emitter<HostEvents>((error, kind) => {
    // The stack says where in the embedder's program it was thrown.
    const detail = error instanceof Error ? error.stack : undefined;
    const message = `a listener of a host threw: ${String(error)} (event "${String(kind)}")`;
    process.emitWarning(message, { type: 'PlugboardWarning', ...(detail !== undefined && { detail }) });
  });
  #queued: (() => void)[] | undefined = [];

  constructor(clock: Clock) {
    clock.soon(() => {
      const queued = this.#queued ?? [];
      this.#queued = undefined;
      for (const tell of queued) tell();
    });
  }

  on<Kind extends HostEvent>(kind: Kind, listener: (event: HostEvents[Kind]) => void): Disposable {
    return this.#events.on(kind, listener);
  }

  emit<Kind extends HostEvent>(kind: Kind, event: HostEvents[Kind]): void {
    if (this.#queued) this.#queued.push(() => this.#events.emit(kind, event));
    else this.#events.emit(kind, event);
  }

  /** Whether there is a listener for this event. */
  isHeard(kind: HostEvent): boolean {
    return this.#events.has(kind);
  }

  problem(message: string): void {
    this.emit('problem', { message });
  }
}
