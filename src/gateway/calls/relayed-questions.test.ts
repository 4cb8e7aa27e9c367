import { expect, test } from 'vitest';
import { withoutHidden } from '../clean.js';
import { relayedQuestions } from './relayed-questions.js';

test('a question is cleaned for the user, and the state of its server stays as it is', () => {
  const requestState = 'a\u200Bb\u{E0041}';
  const result = {
    resultType: 'input_required',
    requestState,
    inputRequests: { k: { method: 'elicitation/create', params: { message: 'Na\u200Bme?\u{E0041}' } } },
  };
  const options = { server: 's', offers: { maySample: () => true }, clean: withoutHidden };
  const relayed = relayedQuestions(result, options);
  expect(relayed['requestState']).toBe(requestState);
  expect(JSON.stringify(relayed['inputRequests'])).not.toContain('\u{E0041}');
});
