import { expect, test } from 'vitest';
import { lineOf, newsLines, type ServerNewsItem } from './news-text.js';

const item = (more: Partial<ServerNewsItem>): ServerNewsItem => ({
  name: 'github',
  before: 'pending',
  after: 'connected',
  reason: 'it says so',
  tools: 3,
  changes: [],
  ...more,
});
const change = { list: 'tools', added: [], removed: [], changed: [] } as const;

test.each<[Partial<ServerNewsItem>, string | undefined]>([
  [{}, 'github is connected, 3 tools'],
  [{ tools: 1 }, 'github is connected, 1 tool'],
  [{ before: 'reconnecting' }, 'github is back, 3 tools'],
  [{ before: 'connected', after: 'reconnecting', retry: '2/5 in 4 s' }, 'github lost, retry 2/5 in 4 s: it says so'],
  [{ after: 'failed' }, 'github failed: it says so; /mcp shows more'],
  [{ after: 'needs-auth' }, 'github needs you to sign in: /mcp login github'],
  [{ after: 'unapproved' }, 'github of this project waits for approval: /mcp approve github'],
  [{ after: 'needs-auth', name: 'my server' }, "my server needs you to sign in: /mcp login 'my server'"],
  [{ after: 'pending' }, undefined],
  [{ before: 'connected', changes: [] }, undefined],
  [{ before: 'connected', changes: [{ ...change, added: ['a', 'b'] }] }, 'github has new tools a, b'],
  [
    {
      before: 'connected',
      changes: [
        { ...change, removed: ['a', 'b', 'c', 'd'] },
        { ...change, list: 'instructions', changed: ['instructions'] },
      ],
    },
    'github has tools gone: a, b, c and 1 more; new instructions',
  ],
  // After a manual reconnect everything is dropped and fetched again.
  [
    {
      before: 'connected',
      changes: [
        { ...change, removed: ['a', 'b'] },
        { ...change, list: 'instructions', removed: ['instructions'] },
        { ...change, list: 'instructions', added: ['instructions'] },
        { ...change, added: ['b', 'c', 'a'] },
      ],
    },
    'github has new tools c',
  ],
  [
    {
      before: 'connected',
      changes: [
        { ...change, removed: ['a'] },
        { ...change, added: ['a'] },
      ],
    },
    undefined,
  ],
  [{ after: 'failed', reason: 'a\u001b[31m\nb' }, 'github failed: a b; /mcp shows more'],
])('%j', (more, expected) => {
  expect(lineOf(item(more))).toBe(expected);
});

test('fifty servers are not fifty lines', () => {
  const many = Array.from({ length: 50 }, (_, at) =>
    item({ name: `s${at}`, after: at < 40 ? 'connected' : at < 49 ? 'failed' : 'needs-auth' }),
  );
  expect(newsLines(many)).toEqual([
    '40 servers are connected: s0, s1, s2 and 37 more',
    '9 servers failed: s40, s41, s42 and 6 more; /mcp shows more',
    's49 needs you to sign in: /mcp login s49',
  ]);
});
