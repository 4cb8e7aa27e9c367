import type { AssistantPart } from '../../src/session/message.js';
import {
  type ModelEvent,
  type ModelPort,
  type ModelRequest,
  NO_USAGE,
  type StopReason,
} from '../../src/session/model-port.js';

/** One response: its parts, or a function that yields the events. */
export type Line = readonly AssistantPart[] | ((signal: AbortSignal) => AsyncIterable<ModelEvent>);

export interface ScriptedModel extends ModelPort {
  readonly requests: ModelRequest[];
}

/** A model port that plays a script, for tests in which the API does not matter. */
export function scriptedModel(lines: readonly Line[], more: Partial<ModelPort> = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    provider: 'a script',
    profile: 'anthropic',
    contextTokens: 200_000,
    ...more,
    requests,
    async *stream(request, signal) {
      requests.push(request);
      const line = lines[requests.length - 1] ?? [say('(the script is over)')];
      yield* typeof line === 'function' ? line(signal) : answer(line);
    },
  };
}

export async function* answer(parts: readonly AssistantPart[], reason?: StopReason): AsyncIterable<ModelEvent> {
  for (const part of parts) {
    if (part.kind === 'text') yield { kind: 'text', text: part.text };
    if (part.kind === 'call') yield { kind: 'writing-call', id: part.id, name: part.name };
    yield { kind: 'part', part };
  }
  const isCalling = parts.some(({ kind }) => kind === 'call');
  yield { kind: 'end', reason: reason ?? (isCalling ? 'calls' : 'done'), usage: { ...NO_USAGE, input: 10, output: 1 } };
}

export function say(text: string): AssistantPart {
  return { kind: 'text', text };
}

export function call(name: string, input: Readonly<Record<string, unknown>> = {}, id = 'c1'): AssistantPart {
  return { kind: 'call', id, name, input };
}
