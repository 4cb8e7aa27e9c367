import { HostError } from '../../base/errors.js';
import { pause } from '../../base/pause.js';
import { toHostError } from '../../base/to-host-error.js';
import type { Clock } from '../../model/clock.js';
import type { ModelEvent } from '../model-port.js';
import { ModelError } from './model-error.js';

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Begins the sentence when nobody waits any more. */
  readonly label: string;
}

/** Asks until there is an answer: again only as long as nothing was said, and a few times only. Throws HostError and nothing else. */
export async function* withRetries(
  ask: () => AsyncIterable<ModelEvent>,
  { clock, random, signal, label }: RetryOptions,
): AsyncGenerator<ModelEvent> {
  const cancelled = (): HostError => new HostError('cancelled', `${label} was not waited for`);
  for (let attempt = 1; ; attempt++) {
    let hasSpoken = false;
    let failure: ModelError;
    try {
      if (signal.aborted) throw cancelled();
      for await (const event of ask()) {
        hasSpoken = true;
        yield event;
      }
      return;
    } catch (error) {
      if (signal.aborted) throw cancelled();
      if (!(error instanceof ModelError)) throw toModelFailure(error, label);
      if (hasSpoken || !error.isTransient || attempt === ATTEMPTS) throw error.failure;
      failure = error;
    }
    const afterMs = Math.min(failure.afterMs ?? toPause(attempt, random()), LONGEST_PAUSE_MS);
    yield { kind: 'retry', attempt, afterMs, reason: failure.reason };
    using _ = clock.hold(); // nothing else keeps the program alive meanwhile
    await pause(afterMs, { clock, signal });
  }
}

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000; // who is told to come back in an hour had better hear why nothing happens

/** Twice as long each time, and not for everybody at the same moment. */
function toPause(attempt: number, chance: number): number {
  return Math.round(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.75 + chance / 2));
}

function toModelFailure(error: unknown, label: string): HostError {
  const why = error instanceof Error ? error.name : 'an unknown reason';
  const hint = 'Say it again; what was said before is not lost';
  return toHostError(error, `${label} could not be asked (${why})`, { code: 'model-failed', hint, reason: '' });
}
