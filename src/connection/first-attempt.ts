import type { Resolvers } from '../base/resolvers.js';
import type { QueueWaitOptions } from './call-queue.js';
import { type RetriedOutcome, type RetryTarget, retryUntilOver } from './call-with-retries.js';
import type { Connection } from './connect.js';
import type { Operation } from './operation.js';

export interface FirstAttemptOptions<Result> {
  readonly target: RetryTarget;
  readonly operation: Operation<Result>;
  readonly wait: QueueWaitOptions;
  readonly began: number;
  readonly connection: Connection;
  /** Resolves the promise of the whole call. */
  readonly resolve: (outcome: RetriedOutcome<Result> | Promise<RetriedOutcome<Result>>) => void;
}

/**
 * The first attempt of a call over an open connection, which nearly every call ends with. One object that waits for the
 * response, because there may be ten thousand calls in flight; what follows a failure may cost more.
 */
export class FirstAttempt<Result> implements Resolvers<Result> {
  readonly #target: RetryTarget;
  readonly #operation: Operation<Result>;
  readonly #wait: QueueWaitOptions;
  readonly #began: number;
  readonly #connection: Connection;
  readonly #resolve: FirstAttemptOptions<Result>['resolve'];

  constructor({ target, operation, wait, began, connection, resolve }: FirstAttemptOptions<Result>) {
    this.#target = target;
    this.#operation = operation;
    this.#wait = wait;
    this.#began = began;
    this.#connection = connection;
    this.#resolve = resolve;
  }

  /** Called once. */
  begin(): void {
    const operation = this.#operation;
    this.#target.begin(this.#connection);
    if (operation.begin?.(this.#connection, this.#wait, this) === true) return;
    operation.on(this.#connection, this.#wait).then(
      (result) => this.resolve(result),
      (cause: unknown) => this.reject(cause),
    );
  }

  resolve(result: Result): void {
    this.#target.end(this.#connection);
    this.#resolve({ outcome: 'ok', result, attempts: 1 });
  }

  reject(cause: unknown): void {
    this.#resolve(this.#retried(cause));
  }

  async #retried(cause: unknown): Promise<RetriedOutcome<Result>> {
    // The connection may be about to reject other calls, or to close: that comes first.
    await Promise.resolve();
    const connection = this.#connection;
    this.#target.end(connection);
    return retryUntilOver(this.#target, this.#operation, {
      ...this.#wait,
      began: this.#began,
      connection,
      first: { connection, cause },
    });
  }
}
