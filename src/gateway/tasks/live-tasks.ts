import type { Clock } from '../../model/clock.js';
import type { ToldTask } from '../calls/client-callers.js';
import type { Clean } from '../clean.js';
import { LiveTask, type LiveTaskOptions } from './live-task.js';

/** The tasks of servers of 2025-11-25 that clients of a gateway follow, in this process. */
export class LiveTasks implements Disposable {
  readonly #clock: Clock;
  readonly #tasks = new Map<string, { readonly task: LiveTask; usedAt: number }>();
  #timer: Disposable | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether another task of this principal can be followed. */
  hasRoom(principal: string): boolean {
    if (this.#tasks.size < PRINCIPAL_LIMIT) return true;
    if (this.#tasks.size >= LIMIT) return false;
    let own = 0;
    for (const { task } of this.#tasks.values()) if (task.client.principal === principal) own++;
    return own < PRINCIPAL_LIMIT;
  }

  add(options: Omit<LiveTaskOptions, 'clock'>): LiveTask {
    this.end(options.id);
    const task = new LiveTask({ ...options, clock: this.#clock });
    this.#tasks.set(options.id, { task, usedAt: this.#clock.monotonic() });
    this.#plan();
    return task;
  }

  /** The task that a client knows by this id; undefined when it is over, or was never followed here. */
  get(id: string): LiveTask | undefined {
    const known = this.#tasks.get(id);
    if (known) known.usedAt = this.#clock.monotonic();
    return known?.task;
  }

  /** The task is over, or of no interest any more. */
  end(id: string): void {
    const known = this.#tasks.get(id);
    if (!known) return;
    this.#tasks.delete(id);
    known.task[Symbol.dispose]();
  }

  /** A server says how a task is: told to the client that follows it, if it is one of 2025-11-25. */
  tell({ server, owner, task }: ToldTask, clean: Clean): void {
    for (const { task: live } of this.#tasks.values()) {
      const { address } = live;
      if (address.id === task.taskId && address.server === server && address.owner === owner)
        return live.told(clean(task));
    }
  }

  /** The owner of lines has gone for good. */
  left(owner: string): void {
    for (const [id, { task }] of this.#tasks) if (task.address.owner === owner) this.end(id);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    for (const id of this.#tasks.keys()) this.end(id);
  }

  #plan(): void {
    if (this.#timer || this.#tasks.size === 0) return;
    this.#timer = this.#clock.after(SWEEP_MS, () => {
      this.#timer = undefined;
      const now = this.#clock.monotonic();
      for (const [id, { usedAt }] of this.#tasks) if (now - usedAt >= UNUSED_MS) this.end(id);
      this.#plan();
    });
  }
}

const PRINCIPAL_LIMIT = 100;
const LIMIT = 1_000;
const UNUSED_MS = 3_600_000; // ms; who does not ask for an hour has forgotten it, and its line may close
const SWEEP_MS = 60_000;
