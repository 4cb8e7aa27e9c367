import { HostError } from '../base/errors.js';
import { unreachable } from '../base/never.js';
import { toHostError } from '../base/to-host-error.js';
import type { AssistantPart } from './message.js';
import { type ModelEvent, NO_USAGE, type StopReason, type Usage } from './model-port.js';
import { dropUnfinished } from './drop-unfinished.js';
import type { SessionEvent } from './session-event.js';

/** One answer of a model: whole, or as far as it came when it was stopped. */
export interface ModelAnswer {
  readonly parts: readonly AssistantPart[];
  readonly usage: Usage;
  readonly end: AnswerEnd;
}

export type AnswerEnd =
  | { readonly kind: 'end'; readonly reason: StopReason }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: HostError };

export interface ReadModelAnswerOptions {
  readonly signal: AbortSignal;
  /** The call ids of the whole conversation; those of this answer are added. */
  readonly ids: Set<string>;
  readonly onEvent: (event: SessionEvent) => void;
}

/** Never rejects. A stopped answer keeps its text and loses its calls, which will not be made. */
export async function readModelAnswer(
  events: AsyncIterable<ModelEvent>,
  { signal, ids, onEvent }: ReadModelAnswerOptions,
): Promise<ModelAnswer> {
  const parts: AssistantPart[] = [];
  let words = '';
  let end: Extract<ModelEvent, { kind: 'end' }> | undefined;
  try {
    for await (const event of events) {
      if (signal.aborted) break;
      switch (event.kind) {
        case 'text':
          words += event.text;
          onEvent(event);
          break;
        case 'part': {
          if (event.part.kind === 'text') words = '';
          const part = withOwnId(event.part, ids);
          parts.push(part);
          if (part.kind === 'provider-call')
            onEvent({ kind: part.kind, id: part.id, name: part.name, input: part.input });
          if (part.kind === 'provider-result')
            onEvent({ kind: part.kind, id: part.id, name: part.name, result: part.result, isError: part.isError });
          break;
        }
        case 'reasoning':
        case 'writing-call':
        case 'retry':
          onEvent(event);
          break;
        case 'end':
          end = event;
          break;
        default:
          return unreachable(event);
      }
    }
  } catch (cause) {
    if (!signal.aborted)
      return {
        parts: [],
        usage: NO_USAGE,
        end: { kind: 'failed', error: toHostError(cause, 'The model could not be asked') },
      };
  }
  if (signal.aborted)
    return { parts: toStopped(parts, words), usage: end?.usage ?? NO_USAGE, end: { kind: 'cancelled' } };
  if (!end) {
    const error = new HostError('model-failed', 'The model stopped in the middle of its answer', {
      hint: 'Send your message again',
    });
    return { parts: [], usage: NO_USAGE, end: { kind: 'failed', error } };
  }
  const said = end.reason === 'length' ? toCut(parts) : parts;
  return { parts: said.filter(saysSomething), usage: end.usage, end: { kind: 'end', reason: end.reason } };
}

/** A call that was cut before its first argument looks like one without arguments. */
function toCut(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const last = parts.at(-1);
  if (last?.kind !== 'call' || last.fault !== undefined || Object.keys(last.input).length > 0) return parts;
  return [...parts.slice(0, -1), { ...last, fault: 'the answer was cut before its arguments' }];
}

/** Makes ids unique, since results are found by id: some small servers number calls from 0 in every answer. */
function withOwnId(part: AssistantPart, ids: Set<string>): AssistantPart {
  if (part.kind !== 'call') return part;
  let id = part.id;
  for (let count = 2; id === '' || ids.has(id); count++) id = `${part.id || 'call'}_${count}`;
  ids.add(id);
  return id === part.id ? part : { ...part, id };
}

/** An API refuses blank texts when they are sent back. */
function saysSomething(part: AssistantPart): boolean {
  return part.kind !== 'text' || part.text.trim() !== '';
}

/** Leaves out the calls of a stopped answer, which will not be made. */
function toStopped(parts: readonly AssistantPart[], words: string): readonly AssistantPart[] {
  const said = [...parts.filter(({ kind }) => kind !== 'call'), { kind: 'text' as const, text: words }];
  const [message] = dropUnfinished([{ role: 'assistant', parts: said.filter(saysSomething) }]);
  return message?.role === 'assistant' ? message.parts : [];
}
