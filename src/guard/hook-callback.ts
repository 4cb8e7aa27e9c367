import { within } from '../base/within.js';
import type { Clock } from '../model/clock.js';
import type { HookEvent } from '../model/hooks/hook-settings.js';
import { type EventFormat, type Hook, HookCancelled, HookFailure } from './hook.js';
import { readSaid, toHookJson } from './hook-command.js';

/** A function of the embedder that gets the JSON that a command gets, and answers with the JSON that one prints. */
export interface HookCallback {
  /** When the callback is asked. */
  readonly event: HookEvent;
  /** Same syntax as in settings; without a matcher the callback is asked about everything. */
  readonly matcher?: string | undefined;
  /** Names the callback in messages. */
  readonly label: string;
  /** Default: 60 s. */
  readonly timeoutMs?: number | undefined;
  /** `continue`: a callback that fails is told, and ignored otherwise. Default: `block`. */
  readonly onFailure?: 'continue' | 'block' | undefined;
  /** Contract: resolves with an object, `{}` for no opinion. Anything else, or an error, is a failure. */
  ask(input: object, about: HookCallbackContext): Promise<unknown>;
}

/** What a callback is told beside the JSON. */
export interface HookCallbackContext {
  /** The call that the event belongs to. */
  readonly toolUseId?: string | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export function callbackHook<Question, Answer>(
  callback: HookCallback,
  format: EventFormat<Question, Answer>,
  clock: Clock,
): Hook<Question, Answer> {
  const { label, timeoutMs = TIMEOUT_MS, onFailure } = callback;
  return {
    label,
    failOpen: onFailure === 'continue',
    async ask(question, signal, onOutput) {
      // A copy: what the callback does to it changes nothing here.
      const input = JSON.parse(toHookJson(format, question)) as object;
      const left = new AbortController();
      const about = { toolUseId: format.callIdOf?.(question), signal: left.signal };
      const work = (async () => callback.ask(input, about))();
      const answer = await within(work, {
        signal,
        deadline: (expire) => clock.after(timeoutMs, expire),
        instead: (why) => {
          left.abort();
          if (why === 'aborted') throw new HookCancelled('the call was given up');
          throw new HookFailure(`did not answer within ${timeoutMs} ms`);
        },
      });
      const text = toJson(answer);
      onOutput?.({ output: text });
      return readSaid(JSON.parse(text), format);
    },
  };
}

const TIMEOUT_MS = 60_000;
const ANSWER_LENGTH = 16_777_216; // characters; as much as a server's response in one piece

/** The answer as JSON, read once: an embedder's object could say something else when it is read again. */
function toJson(answer: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(answer) as string | undefined;
  } catch (cause) {
    throw new HookFailure('answers with something that is no JSON', { cause });
  }
  if (text === undefined) throw new HookFailure(`answers with ${typeof answer}, which has to be an object`);
  if (text.length > ANSWER_LENGTH) throw new HookFailure(`answers with more than ${ANSWER_LENGTH} characters`);
  return text;
}
