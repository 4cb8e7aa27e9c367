import { expect, test } from 'vitest';
import type { AssistantPart, Message } from '../../session/index.js';
import { demoSteps } from './demo-steps.js';
import { findStep, ScriptedModel } from './scripted-model.js';

const user = (text: string): Message => ({ role: 'user', parts: [{ kind: 'text', text }] });
const results = (isError: boolean): Message => ({
  role: 'results',
  results: [{ type: 'tool_result', tool_use_id: 'demo', content: 'x', is_error: isError }],
});
const [read, ask] = demoSteps as [(typeof demoSteps)[0], (typeof demoSteps)[0]];

/** The parts of one answer, and how it ended. */
async function hear(model: ScriptedModel, messages: readonly Message[]): Promise<readonly unknown[]> {
  const heard: unknown[] = [];
  for await (const event of model.stream({ tools: [], system: [], messages }, new AbortController().signal)) {
    if (event.kind === 'part') heard.push(event.part.kind === 'text' ? event.part.text : event.part.kind);
    if (event.kind === 'end') heard.push(event.reason);
  }
  return heard;
}

const called = (step: typeof read): Message => ({
  role: 'assistant',
  parts: [{ kind: 'text', text: step.before }, { kind: 'call', id: 'demo', ...step.call } satisfies AssistantPart],
});

test('a step is found by its sentence, its number and its words', () => {
  for (const [index, step] of demoSteps.entries()) {
    for (const text of [step.say, ` ${step.say.toUpperCase()} `, String(index + 1), `please ${step.words[0]}`]) {
      expect([text, findStep(text)?.name]).toEqual([text, step.name]);
    }
  }
  for (const text of ['', '0', '9', '10', 'x'.repeat(1_000_000), '\u0000', '}{'])
    expect(findStep(text)).toBeUndefined();
});

test('the model calls, then says what came of it, and the next step is suggested', async () => {
  const model = new ScriptedModel();
  expect(model.suggestion).toBe(read.say);
  expect(await hear(model, [user(read.say)])).toEqual([read.before, 'call', 'calls']);
  expect(await hear(model, [user(read.say), called(read), results(false)])).toEqual([read.done, 'done']);
  expect(model.suggestion).toBe(ask.say);
  const before = [user(read.say), called(read), results(false), { role: 'assistant', parts: [] } as const];
  // News about servers come behind the results, and are not what the user asked.
  const denied = [...before, user('news'), user(ask.say), called(ask), results(true), user('notes is connected')];
  expect(await hear(model, denied)).toEqual([ask.failed, 'done']);
});

test('after the last step the model says where to go', async () => {
  const model = new ScriptedModel();
  const texts: unknown[] = [];
  for (const step of demoSteps) texts.push((await hear(model, [user(step.say), called(step), results(false)]))[0]);
  expect(texts.slice(0, -1)).toEqual(demoSteps.slice(0, -1).map(({ done }) => done));
  expect(texts.at(-1)).toContain('To use your own servers: plugboard');
  expect(model.suggestion).toBeUndefined();
});

test('whatever else is said, the model says what it can show', async () => {
  for (const messages of [[], [user('Who are you?')], [{ role: 'user', parts: [] } as const], [results(true)]]) {
    const [text, end] = await hear(new ScriptedModel(), messages);
    for (const { say } of demoSteps) expect(text).toContain(say);
    expect(end).toBe('done');
  }
});
