import { expect, test } from 'vitest';
import { anthropicDialect } from './anthropic-dialect.js';
import { openaiDialect } from './openai-dialect.js';
import type { Json } from './scripted-api.js';

const NOTHING = /^$/u;
const tool = { name: 'look', description: 'Looks', input_schema: { type: 'object', properties: {} } };
const later = { ...tool, name: 'later', defer_loading: true };
const ask = { role: 'user', content: 'Hello' };
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] };
const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'There' }] };
const reference = { ...result, content: [{ type: 'tool_reference', tool_name: 'later' }] };

function checkAnthropic(body: Json, expected: RegExp): void {
  const headers = { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };
  const whole = { model: 'm', max_tokens: 1, tools: [tool, later], messages: [ask], ...body };
  const refusals = anthropicDialect.refusals(whole, headers).join('; ');
  expect(refusals).toMatch(expected);
}

test.for<[string, Json, RegExp]>([
  ['takes a question', {}, NOTHING],
  ['takes a result', { messages: [ask, use, { role: 'user', content: [result] }] }, NOTHING],
  ['takes a reference', { messages: [ask, use, { role: 'user', content: [reference] }] }, NOTHING],
  ['wants every call answered', { messages: [ask, use, ask] }, /no tool_result directly after a/u],
  [
    'wants an answer to a call',
    { messages: [ask, { role: 'assistant', content: 'Yes' }, { role: 'user', content: [result] }] },
    /unexpected tool_use_id a/u,
  ],
  [
    'wants results before anything else',
    { messages: [ask, use, { role: 'user', content: [{ type: 'text', text: 'News' }, result] }] },
    /must come first/u,
  ],
  [
    'wants one result for a call',
    { messages: [ask, use, { role: 'user', content: [result, result] }] },
    /single result/u,
  ],
  [
    'knows what may be referred to',
    { tools: [tool], messages: [ask, use, { role: 'user', content: [reference] }] },
    /'later' not found/u,
  ],
  ['wants something to begin with', { tools: [later] }, /All tools have defer_loading/u],
  ['wants objects', { tools: [{ ...tool, input_schema: { type: 'string' } }] }, /input_schema\.type/u],
  ['wants names', { tools: [{ ...tool, name: 'a b' }] }, /name: does not match/u],
  ['wants one of a name', { tools: [tool, tool] }, /must be unique/u],
  ['knows its fields', { tools: [{ ...tool, inputSchema: {} }] }, /inputSchema: Extra inputs/u],
  ['wants text', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, /text is empty/u],
  ['wants a system that says something', { system: '' }, /non-empty/u],
  ['answers to the user', { messages: [ask, { role: 'assistant', content: 'Yes' }] }, /must end with a user message/u],
])('the API of Anthropic %s', ([, body, expected]) => {
  checkAnthropic(body, expected);
});

const parameters = { type: 'object', properties: {} };
const callable = { type: 'function', function: { name: 'look', description: 'Looks', parameters } };
const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };
const calling = { role: 'assistant', content: null, tool_calls: [call] };
const answer = { role: 'tool', tool_call_id: 'a', content: 'There' };

function checkOpenai(body: Json, expected: RegExp): void {
  const whole = { model: 'm', tools: [callable], messages: [ask], ...body };
  const refusals = openaiDialect.refusals(whole, { authorization: 'Bearer key' }).join('; ');
  expect(refusals).toMatch(expected);
}

test.for<[string, Json, RegExp]>([
  ['takes a question', {}, NOTHING],
  ['takes a result', { messages: [ask, calling, answer] }, NOTHING],
  ['wants every call answered', { messages: [ask, calling] }, /without a response: a/u],
  ['wants answers at once', { messages: [ask, calling, ask, answer] }, /without a response: a.*follows no tool_calls/u],
  [
    'wants no image from a tool',
    { messages: [ask, calling, { ...answer, content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
    /no image_url there/u,
  ],
  ['wants content', { messages: [ask, calling, { ...answer, content: { a: 1 } }] }, /expected a string/u],
  ['wants properties', { tools: [withFunction({ parameters: { type: 'object' } })] }, /missing properties/u],
  ['wants short descriptions', { tools: [withFunction({ description: 'x'.repeat(1025) })] }, /too long/u],
  ['wants names', { tools: [withFunction({ name: 'x'.repeat(65) })] }, /does not match/u],
  ['wants one of a name', { tools: [callable, callable] }, /look twice/u],
  ['wants few tools', { tools: Array.from({ length: 129 }, (_, at) => withFunction({ name: `t${at}` })) }, /too long/u],
  ['knows its fields', { messages: [ask, { ...calling, parsed: null }, answer] }, /parsed: Extra inputs/u],
])('the API of OpenAI %s', ([, body, expected]) => {
  checkOpenai(body, expected);
});

function withFunction(change: Json): Json {
  return { ...callable, function: { ...callable.function, ...change } };
}
