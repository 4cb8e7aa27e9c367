import { expect, test } from 'vitest';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { Caller } from '../../src/model/caller.js';
import { meet, modernServer, saying, textOf } from './stand-in.js';

test.each([
  [30, /^done$/u],
  [31, /more than 10 times/u],
])('of %i rounds those in which the user still visits a page do not count', async (count, expected) => {
  const url = 'https://example.com/in';
  const page = { method: 'elicitation/create', params: { mode: 'url', message: 'Sign in', url } };
  let rounds = 0;
  const server = modernServer(() =>
    ++rounds > count ? saying('done') : { resultType: 'input_required', inputRequests: { k: page } },
  );
  await using connection = await meet({ server });
  let visits = 0;
  const owner: Caller = {
    principal: 'someone',
    client: undefined,
    capabilities: { elicitation: { url: {} } },
    roots: [],
    answer: async () => ({ action: 'accept' }),
    isVisiting: (_, params) => params['url'] === url && ++visits <= 20,
  };
  const called = callTool(connection, { tool: 'x', input: {} }, { owner }).then(textOf, String);
  expect(await called).toMatch(expected);
});
