import { HostError } from '../../../base/errors.js';
import { isObject, type JsonObject } from '../../../base/json.js';
import { shorten } from '../../../base/shorten.js';
import type { HookCallback } from '../../../index.js';
import { type HookEvent, hookEvents } from '../../../model/hooks/hook-settings.js';

/** Asks the program that drives this one. Rejects with a HostError: an error response, the signal, or its end. */
export type AskProgram = (request: JsonObject, signal?: AbortSignal) => Promise<JsonObject>;

/** The hooks of the program, and what is told about those that never run. */
export interface CallbackHooks {
  readonly callbacks: readonly HookCallback[];
  readonly notes: readonly string[];
}

/**
 * The hooks that `initialize` brings: each is asked over the lines by its id. Throws `config-invalid` for one that cannot be
 * read, because it may be there to stop calls. Events that do not happen here are named.
 */
export function toCallbackHooks(hooks: JsonObject | undefined, ask: AskProgram): CallbackHooks {
  const callbacks: HookCallback[] = [];
  const never: string[] = [];
  for (const [event, matchers] of Object.entries(hooks ?? {})) {
    const known = hookEvents.find((word) => word === event);
    if (matchers === undefined || matchers === null || (Array.isArray(matchers) && matchers.length === 0)) continue;
    if (known) callbacks.push(...readMatchers(known, matchers, ask));
    else never.push(event);
  }
  const told = shorten(never.join(', '), 300);
  return { callbacks, notes: never.length === 0 ? [] : [`hooks of these events never run here: ${told}`] };
}

function readMatchers(event: HookEvent, matchers: unknown, ask: AskProgram): readonly HookCallback[] {
  if (!Array.isArray(matchers)) throw wrong(event, 'expected a list');
  return matchers.flatMap((one: unknown) => {
    const { matcher, hookCallbackIds: ids, timeout, onFailure } = isObject(one) ? one : {};
    if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) throw wrong(event, 'no hookCallbackIds');
    if (matcher !== undefined && matcher !== null && typeof matcher !== 'string') throw wrong(event, 'a wrong matcher');
    if (timeout !== undefined && timeout !== null && !(typeof timeout === 'number' && timeout > 0))
      throw wrong(event, 'a wrong timeout');
    if (onFailure !== undefined && onFailure !== 'continue' && onFailure !== 'block')
      throw wrong(event, 'a wrong onFailure');
    return ids.map((id): HookCallback => ({
      event,
      label: `the hook ${shorten(id, 60)} of the program`,
      ...(typeof matcher === 'string' && { matcher }),
      ...(typeof timeout === 'number' && { timeoutMs: Math.min(Math.ceil(timeout * 1000), LONGEST_MS) }),
      ...(onFailure !== undefined && { onFailure }),
      ask: (input, { toolUseId, signal }) =>
        ask(
          {
            subtype: 'hook_callback',
            callback_id: id,
            input,
            ...(toolUseId !== undefined && { tool_use_id: toolUseId }),
          },
          signal,
        ),
    }));
  });
}

function wrong(event: HookEvent, what: string): HostError {
  return new HostError('config-invalid', `initialize: hooks.${event}: ${what}`);
}

const LONGEST_MS = 2 ** 31 - 1; // the largest delay of a timer
