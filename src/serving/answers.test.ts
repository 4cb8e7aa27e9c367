import { expect, test } from 'vitest';
import type { JsonObject } from '../base/json.js';
import { isAnswerTo } from './answers.js';

const text = { type: 'text', text: 'x' };

test.each<[method: string, params: JsonObject, answer: JsonObject, isAnswer: boolean]>([
  ['elicitation/create', {}, { action: 'accept', content: { a: 1 } }, true],
  ['elicitation/create', {}, { action: 'accept' }, true],
  ['elicitation/create', {}, { action: 'accept', content: 'yes' }, false],
  ['elicitation/create', {}, { action: 'accept', content: [1] }, false],
  ['elicitation/create', {}, { action: 'decline', content: 'left over' }, true],
  ['elicitation/create', {}, { action: 'maybe' }, false],
  ['elicitation/create', {}, {}, false],
  ['elicitation/create', { mode: 'url' }, { action: 'accept' }, true],
  ['elicitation/create', { mode: 'url' }, { action: 'yes' }, false],
  ['sampling/createMessage', {}, { role: 'assistant', model: 'm', content: text }, true],
  ['sampling/createMessage', {}, { role: 'assistant', model: 'm', content: [text] }, true],
  ['sampling/createMessage', {}, { role: 'assistant', model: 'm', content: 'x' }, false],
  ['sampling/createMessage', {}, { role: 'assistant', model: 'm', content: ['x'] }, false],
  ['sampling/createMessage', {}, { role: 'assistant', content: text }, false],
  ['sampling/createMessage', {}, { role: 'system', model: 'm', content: text }, false],
  ['roots/list', {}, { roots: [] }, true],
  ['roots/list', {}, { roots: [{ uri: 'file:///a' }] }, true],
  ['roots/list', {}, { roots: ['file:///a'] }, false],
  ['roots/list', {}, {}, false],
])('to %s %j the answer %j is one: %j', (method, params, answer, isAnswer) =>
  expect(isAnswerTo({ method, params }, answer)).toBe(isAnswer),
);
