import { HostError } from '../../base/errors.js';
import { pause } from '../../base/pause.js';
import { toHostError } from '../../base/to-host-error.js';
import type { Clock } from '../../model/clock.js';
import type { ModelEvent, ModelPort, ModelRequest } from '../model-port.js';
import { ModelError } from './model-error.js';

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** The beginning of the error message after an abort. */
  readonly label: string;
  /** Answers in place of the last error, where a retry might have helped. */
  readonly fallback?: Fallback | undefined;
}

export interface Fallback {
  /** The model's name. */
  readonly name: string;
  readonly ask: () => AsyncIterable<ModelEvent>;
}

/** Another model for the same request, without the reasoning of the first, which it could not verify. */
export function toFallback(model: ModelPort, request: ModelRequest, signal: AbortSignal): Fallback {
  const messages = request.messages.map((message) =>
    message.role === 'assistant'
      ? { ...message, parts: message.parts.filter(({ kind }) => kind !== 'reasoning') }
      : message,
  );
  return { name: model.name, ask: () => model.stream({ ...request, messages }, signal) };
}

/** Retries a few times, and only while the answer has not begun. Throws HostError only. */
export async function* withRetries(
  ask: () => AsyncIterable<ModelEvent>,
  { clock, random, signal, label, fallback }: RetryOptions,
): AsyncGenerator<ModelEvent> {
  const cancelled = (): HostError => new HostError('cancelled', `${label}: the request was cancelled`);
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
      if (hasSpoken || !error.isTransient || (attempt === ATTEMPTS && !fallback)) throw error.failure;
      failure = error;
    }
    if (attempt === ATTEMPTS && fallback) {
      const reason = `${failure.reason}; ${fallback.name} is asked instead`;
      yield { kind: 'retry', attempt: attempt - 1, afterMs: 0, reason };
      yield* fallback.ask();
      return;
    }
    const afterMs = Math.min(failure.afterMs ?? toPause(attempt, random()), LONGEST_PAUSE_MS);
    yield { kind: 'retry', attempt, afterMs, reason: failure.reason };
    using _ = clock.hold(); // nothing else keeps the process alive during the pause
    await pause(afterMs, { clock, signal });
  }
}

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000; // rather than wait for an hour, the user should learn why nothing happens

/** Twice as long each time, with jitter. */
function toPause(attempt: number, chance: number): number {
  return Math.round(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.75 + chance / 2));
}

function toModelFailure(error: unknown, label: string): HostError {
  const why = error instanceof Error ? error.name : 'an unknown reason';
  const hint = 'Send your message again; the conversation so far is kept';
  return toHostError(error, `${label} could not be asked (${why})`, { code: 'model-failed', hint, reason: '' });
}
