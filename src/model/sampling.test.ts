import { expect, test } from 'vitest';
import { parseSamplingRequest, parseSamplingResult, type SamplingFields, type SamplingRequest } from './sampling.js';

const user = { role: 'user', content: { type: 'text', text: 'Hi' } };
const uses = (...ids: readonly string[]): object => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })),
});
const results = (...ids: readonly string[]): { role: string; content: object[] } => ({
  role: 'user',
  content: ids.map((toolUseId) => ({ type: 'tool_result', toolUseId, content: [] })),
});

function parse(params: SamplingFields): SamplingRequest | string {
  const read = parseSamplingRequest('db', { messages: [user], maxTokens: 10, ...params });
  return read.kind === 'request' ? read.request : read.reason;
}

test('a request keeps what it says, its content as lists', () => {
  const asked = {
    messages: [user, { role: 'assistant', content: [{ type: 'hologram', beam: 1 }] }],
    systemPrompt: 'Be brief',
    temperature: 0.5,
    stopSequences: ['END'],
    metadata: { a: 1 },
    tools: [{ name: 'look', inputSchema: { type: 'object' }, description: 'Looks' }],
    toolChoice: { mode: 'required' },
    modelPreferences: { hints: [{ name: 'small' }, {}], costPriority: 1, speedPriority: 7 },
    includeContext: 'allServers',
  };
  expect(parse(asked)).toEqual({
    server: 'db',
    maxTokens: 10,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'hologram', beam: 1 }] },
    ],
    systemPrompt: 'Be brief',
    temperature: 0.5,
    stopSequences: ['END'],
    metadata: { a: 1 },
    tools: asked.tools,
    toolChoice: { mode: 'required' },
    modelPreferences: { hints: ['small'], costPriority: 1 },
  });
});

test('advice that makes no sense is left out, and texts lose what does not show', () => {
  const hidden = { role: 'user', content: { type: 'text', text: 'a\u{e0041}b\u001b[31mc' } };
  const advice = { temperature: 'hot', stopSequences: 'END', modelPreferences: [], metadata: 'x', toolChoice: {} };
  expect(parse({ ...advice, messages: [hidden], systemPrompt: 'x\u200by' })).toEqual({
    server: 'db',
    maxTokens: 10,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'abc' }] }],
    systemPrompt: 'xy',
    toolChoice: { mode: 'auto' },
  });
});

test.each([
  ['no messages', { messages: undefined }, /^messages has to be a list/u],
  ['an empty list of them', { messages: [] }, /^messages has to be a list/u],
  ['too many of them', { messages: Array.from({ length: 1001 }, () => user) }, /1001 of them; 1000/u],
  ['one that is none', { messages: [user, null] }, /^messages\[1\]\.role/u],
  ['a role that nobody has', { messages: [{ ...user, role: 'system' }] }, /^messages\[0\]\.role/u],
  [
    'a text as content',
    { messages: [{ role: 'user', content: 'Hi' }] },
    /^messages\[0\]\.content has a block without a type/u,
  ],
  ['no content', { messages: [{ role: 'user', content: [] }] }, /^messages\[0\]\.content is empty/u],
  ['an image without data', { messages: [{ role: 'user', content: { type: 'image' } }] }, /type image that lacks/u],
  ['no maxTokens', { maxTokens: undefined }, /^maxTokens/u],
  ['none of them', { maxTokens: 0 }, /^maxTokens/u],
  ['half of one', { maxTokens: 1.5 }, /^maxTokens/u],
  ['a systemPrompt that is a list', { systemPrompt: [] }, /^systemPrompt/u],
  ['tools that are no list', { tools: {} }, /^tools has to be a list/u],
  [
    'too many tools',
    { tools: Array.from({ length: 101 }, (_, n) => ({ name: `t${n}`, inputSchema: {} })) },
    /101 of them; 100/u,
  ],
  ['a tool without a schema', { tools: [{ name: 'a' }] }, /needs a name and an inputSchema/u],
  [
    'a tool twice',
    {
      tools: [
        { name: 'a', inputSchema: {} },
        { name: 'a', inputSchema: {} },
      ],
    },
    /the same name/u,
  ],
  ['a mode that nobody knows', { toolChoice: { mode: 'some' } }, /^toolChoice\.mode/u],
])('a request with %s is refused by name', (_, params, reason) => {
  expect(parse(params)).toMatch(reason);
});

test.each([
  ['one use and its result', [user, uses('1'), results('1')], /^$/u],
  ['two, in any order', [user, uses('1', '2'), results('2', '1'), user], /^$/u],
  ['a use without a result', [user, uses('1')], /last message/u],
  ['a use that is passed over', [user, uses('1'), user], /messages\[2\] does not have exactly one/u],
  ['one of two', [user, uses('1', '2'), results('1')], /exactly one/u],
  ['a result twice', [user, uses('1', '2'), results('1', '1')], /exactly one/u],
  ['a result of nothing', [user, results('1')], /exactly one/u],
  ['a result of another use', [user, uses('1'), results('2')], /exactly one/u],
  [
    'words beside a result',
    [user, uses('1'), { role: 'user', content: [...results('1').content, user.content] }],
    /beside other content/u,
  ],
  ['a result of the assistant', [user, uses('1'), { ...results('1'), role: 'assistant' }], /not the user's/u],
  ['a use of the user', [{ ...uses('1'), role: 'user' }, results('1')], /not the assistant's/u],
  ['the same id twice', [user, uses('1', '1'), results('1')], /twice/u],
])('a conversation with %s', (_, messages, reason) => {
  const parsed = parse({ messages });
  expect(typeof parsed === 'string' ? parsed : '').toMatch(reason);
});

const text = { type: 'text', text: 'Hello' };
const use = { type: 'tool_use', id: '1', name: 'look', input: {} };
const answer = { role: 'assistant', content: text, model: 'm' };
const request = parse({}) as SamplingRequest;
const withTools = parse({ tools: [{ name: 'look', inputSchema: {} }] }) as SamplingRequest;

test.each([
  ['as it is', request, { ...answer, stopReason: 'endTurn' }, { ...answer, stopReason: 'endTurn' }],
  ['with one block alone, which every server reads', request, { ...answer, content: [text] }, answer],
  ['with several', request, { ...answer, content: [text, text] }, { ...answer, content: [text, text] }],
  ['without what nobody asked for', request, { ...answer, usage: { secret: 1 } }, answer],
  ['with a tool that was offered', withTools, { ...answer, content: [use] }, { ...answer, content: use }],
])('an answer is sent %s', (_, asked, said, sent) => {
  expect(parseSamplingResult(said, asked)).toEqual(sent);
});

test.each([
  ['nothing', undefined, /no object/u],
  ['no role', { ...answer, role: 'system' }, /role/u],
  ['no model', { ...answer, model: '' }, /name its model/u],
  ['a stopReason that is none', { ...answer, stopReason: 1 }, /stopReason/u],
  ['text that is no block', { ...answer, content: 'Hello' }, /content has a block without a type/u],
  ['a tool that nobody offered', { ...answer, content: use }, /none was offered/u],
])('an answer that is %s is not sent', (_, said, reason) => {
  expect(parseSamplingResult(said, request)).toMatch(reason);
});
