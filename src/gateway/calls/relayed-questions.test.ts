import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.js';
import { withoutHidden } from '../clean.js';
import { relayedQuestions } from './relayed-questions.js';

test('a question is cleaned for the user and names its server, and the state of its server stays as it is', () => {
  const result = asking('Na\u200Bme?\u{E0041}');
  const options = { server: 'books', clean: withoutHidden };
  const offers = { maySample: () => true };
  const [all, one] = [undefined, 'books'].map((only) =>
    relayedQuestions(result, { ...options, offering: { offers, only } }),
  );
  // Only where there are several servers a person has to be told which of them asks.
  expect([all, one]).toEqual([asking('Server "books" asks: Name?'), asking('Name?')]);
});

function asking(message: string): JsonObject {
  const inputRequests = { k: { method: 'elicitation/create', params: { message } }, m: SAMPLING };
  return { resultType: 'input_required', requestState: 'a\u200Bb\u{E0041}', inputRequests };
}

const SAMPLING = { method: 'sampling/createMessage', params: { messages: [], message: 'x' } };
