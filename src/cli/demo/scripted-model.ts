import { isObject } from '../../base/json.js';
import { type Message, type ModelEvent, type ModelPort, type ModelRequest, NO_USAGE } from '../../session/index.js';
import { type DemoStep, demoSteps, LAST_STEP, NO_STEP } from './demo-steps.js';

/** A model whose answers are written in advance. The servers and the calls are real. */
export class ScriptedModel implements ModelPort {
  readonly name = 'a script, no model';
  readonly provider = 'every answer is written in advance';
  readonly profile = 'anthropic';
  readonly contextTokens = 200_000;
  readonly #shown = new Set<DemoStep>();

  /** The message for the next step; undefined when all were shown. */
  get suggestion(): string | undefined {
    return demoSteps.find((step) => !this.#shown.has(step))?.say;
  }

  async *stream({ messages }: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { asked, since } = readTurn(messages);
    const step = findStep(asked);
    const isFirst = !since.some(({ role }) => role === 'assistant');
    const text = step ? this.#answer(step, isFirst, since) : listSteps();
    const isCalling = step !== undefined && isFirst;
    for (const word of text.match(/\S+\s*/gu) ?? []) {
      if (signal.aborted) return;
      yield { kind: 'text', text: word };
    }
    yield { kind: 'part', part: { kind: 'text', text } };
    if (isCalling) {
      const { name, input } = step.call;
      yield { kind: 'writing-call', id: CALL_ID, name };
      yield { kind: 'part', part: { kind: 'call', id: CALL_ID, name, input } };
    }
    yield { kind: 'end', reason: isCalling ? 'calls' : 'done', usage: NO_USAGE };
  }

  #answer(step: DemoStep, isFirst: boolean, since: readonly Message[]): string {
    if (isFirst) return step.before;
    this.#shown.add(step);
    const text = since.some(hasFailure) ? step.failed : step.done;
    return this.suggestion === undefined ? `${text}\n\n${LAST_STEP}` : text;
  }
}

const CALL_ID = 'demo';

/** The user's last message, and all that came after it. News about servers, behind results, are no message of the user. */
function readTurn(messages: readonly Message[]): { readonly asked: string; readonly since: readonly Message[] } {
  const at = messages.findLastIndex(({ role }, index) => role === 'user' && messages[index - 1]?.role !== 'results');
  const message = messages[at];
  const last = message?.role === 'user' ? message.parts.findLast(({ kind }) => kind === 'text') : undefined;
  return { asked: last?.kind === 'text' ? last.text : '', since: messages.slice(at + 1) };
}

/** The step that a message means: its sentence, its number, or a word of it. */
export function findStep(text: string): DemoStep | undefined {
  const typed = text.trim().toLowerCase();
  const words = new Set(typed.slice(0, MESSAGE_LIMIT).split(/[^\p{L}\p{N}]+/u));
  return (
    demoSteps.find(({ say }) => say.toLowerCase() === typed) ??
    demoSteps[Number(/^\d$/u.exec(typed)?.[0] ?? 0) - 1] ??
    demoSteps.find((step) => step.words.some((word) => words.has(word)))
  );
}

const MESSAGE_LIMIT = 1_000; // characters; a longer message means no step

function listSteps(): string {
  return [NO_STEP, '', ...demoSteps.map(({ name, say }, index) => `${index + 1}. ${name}: ${say}`)].join('\n');
}

/** In the format of the profile `anthropic`. */
function hasFailure(message: Message): boolean {
  return (
    message.role === 'results' && message.results.some((result) => isObject(result) && result['is_error'] === true)
  );
}
