import { expect, test } from 'vitest';
import { growth, type SentRequest } from './request-growth.js';

const MARK = { cache_control: { type: 'ephemeral' } };
const TEXT = (text: string): object => ({ type: 'text', text });

/** Two correct requests of one conversation. */
const first = {
  model: 'm',
  cache_control: { type: 'ephemeral' },
  tools: [{ name: 'a' }, { name: 'b', ...MARK }],
  system: [{ ...TEXT('stable'), ...MARK }],
  messages: [{ role: 'user', content: [TEXT('hello')] }],
};
const second = {
  ...first,
  tools: [...first.tools, { name: 'c', defer_loading: true }],
  messages: [
    ...first.messages,
    { role: 'assistant', content: [TEXT('hi'), { type: 'tool_use', id: '1' }] },
    { role: 'user', content: [{ type: 'tool_result' }, TEXT('news')] },
  ],
};
const openai = {
  model: 'm',
  messages: [
    { role: 'system', content: 'stable' },
    { role: 'user', content: 'hello' },
  ],
};

function sent(...bodies: readonly object[]): SentRequest[] {
  return bodies.map((body) => ({ text: JSON.stringify(body) }));
}

test('a request that begins with the one before is right, and what is behind that is told', () => {
  const { faults, steps } = growth(sent(first, second));
  expect(faults).toEqual([]);
  expect(steps[0]).toMatchObject({ tools: first.tools, system: first.system, takenBack: [] });
  expect(steps[1]!.tools).toEqual([{ name: 'c', defer_loading: true }]);
  expect(steps[1]!.system).toEqual([]);
  expect(steps[1]!.messages.map(({ kind }) => kind).join(' ')).toBe('close open block block close open block block');
  const longer = { ...openai, messages: [...openai.messages, { role: 'assistant', content: 'hi' }] };
  expect(growth(sent(openai, longer, longer)).faults).toEqual([]);
});

const [hello, hi, result] = second.messages as [object, object, { content: object[] }];

test.each<[string, object]>([
  ['another word of the user', { ...second, messages: [{ role: 'user', content: [TEXT('Hello')] }, hi, result] }],
  ['another role', { ...second, messages: [{ ...hello, role: 'assistant' }, hi, result] }],
  ['a field more', { ...second, messages: [{ ...hello, name: 'x' }, hi, result] }],
  ['a mark in a message', { ...second, messages: [{ role: 'user', content: [{ ...TEXT('hello'), ...MARK }] }, hi] }],
  ['fields in another order', { ...second, messages: [{ role: 'user', content: [{ text: 'hello', type: 'text' }] }] }],
  ['something before', { ...second, messages: [{ role: 'user', content: [TEXT('news'), TEXT('hello')] }, hi] }],
  ['a message less', { ...second, messages: [] }],
  ['another tool', { ...second, tools: [{ name: 'a', description: 'new' }, ...second.tools.slice(1)] }],
  ['a mark that has moved', { ...second, tools: [{ name: 'a' }, { name: 'b' }, { name: 'c', ...MARK }] }],
  ['a tool in the middle', { ...second, tools: [first.tools[0], { name: 'x' }, first.tools[1]] }],
  ['a tool less', { ...second, tools: [first.tools[0]] }],
  ['no tools', { ...second, tools: undefined }],
  ['another system text', { ...second, system: [{ ...TEXT('stable.'), ...MARK }] }],
  ['a system text more', { ...second, system: [...first.system, TEXT('more')] }],
  ['another model', { ...second, model: 'n' }],
  ['a switch that was set', { ...second, temperature: 0 }],
  ['the parts in another order', Object.fromEntries(Object.entries(second).toReversed())],
])('%s is a fault', (_, doctored) => {
  expect(growth(sent(first, doctored)).faults.length).toBeGreaterThan(0);
});

test('a message that is not the last one any more may not grow', () => {
  const third = {
    ...second,
    messages: [{ role: 'user', content: [TEXT('hello'), TEXT('more')] }, hi, result],
  };
  expect(growth(sent(first, second, third)).faults).toHaveLength(1);
  const grown = { ...second, messages: [hello, hi, { ...result, content: [...result.content, TEXT('more')] }] };
  expect(growth(sent(first, second, grown)).faults).toEqual([]);
  const other = { ...openai, messages: [openai.messages[0], { role: 'user', content: 'hello there' }] };
  expect(growth(sent(openai, other)).faults).toHaveLength(1);
});

test('what nobody has answered may be taken back, and nothing else', () => {
  const [one, two] = sent(first, second);
  const other = { ...second, messages: [hello, { role: 'assistant', content: [TEXT('hi again')] }] };
  const { faults, steps } = growth([one!, { ...two!, isRead: false }, ...sent(other)]);
  expect(faults).toEqual([]);
  expect(steps[2]!.takenBack.length).toBe(6);
  expect(growth([one!, two!, ...sent(other)]).faults).toHaveLength(1);
  const less = { ...other, tools: first.tools };
  expect(growth([one!, { ...two!, isRead: false }, ...sent(less)]).faults).toHaveLength(1);
});

test('bytes that are not what they say are a fault', () => {
  const [one] = sent(first);
  const spaced = JSON.stringify(second, undefined, 1);
  for (const text of [spaced, '{', '[]', '{"messages":{}}']) {
    expect(growth([one!, { text }]).faults).toHaveLength(1);
  }
});
