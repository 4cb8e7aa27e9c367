import { expect, test } from 'vitest';
import type { PostAnswer } from '../../src/model/hooks/hook-call.js';
import type { ContentBlock } from '../../src/model/content/content-block.js';
import { complete, openOffering } from './offering-scene.js';
import { ONCE, person } from './walk-scene.js';

// A completion is made at each key press: it passes the guard of what it is for, and nobody is asked.

const PROMPTS = 'mcp__docs__prompts';
const READS = 'mcp__docs__resources';
const DENIED = { ok: false, error: { code: 'denied' } };

test('asks nobody in any mode, and leaves a line with the argument and nothing that was typed', async () => {
  const { asked, ask } = person(ONCE);
  const permissions = { mode: 'plan', ask: ['mcp__docs'] } as const;
  await using scene = await openOffering({ permissions, ports: { ask } });
  for (const type of ['ref/prompt', 'ref/resource'] as const) {
    const suggested = { ok: true, values: ['AKIA-1!'], total: undefined, hasMore: false };
    expect(await complete(scene.host, type, 'AKIA-1')).toEqual(suggested);
  }
  expect((await scene.host.skills()).skills).toHaveLength(1);
  expect(asked).toEqual([]);
  const line = { server: 'docs', completes: 'what', decision: 'allow', rule: 'typed', outcome: 'ok', attempts: 1 };
  expect(await scene.ledgerOf(scene.host)).toMatchObject([
    { tool: PROMPTS, prompt: 'say', ...line },
    { tool: READS, uri: 'note://q/{words}', ...line },
  ]);
  expect(scene.ledgerText()).not.toContain('AKIA');
});

test.each([
  [PROMPTS, [false, true]],
  [READS, [true, false]],
  ['mcp__docs', [false, false]],
])('is denied by the rule %s where that is about what it fills in', async (rule, completed) => {
  await using scene = await openOffering({ permissions: { mode: 'bypass', deny: [rule] } });
  const found = [await complete(scene.host), await complete(scene.host, 'ref/resource')];
  expect(found.map(({ ok }) => ok)).toEqual(completed);
  expect(scene.journalLines()).toHaveLength(completed.filter(Boolean).length);
});

test.each([
  [{ decision: 'deny', reason: 'no' }],
  // Nobody is asked about a key.
  [{ decision: 'ask' }],
] as const)('is refused by a hook that answers %j, and that is written down', async (answer) => {
  const { asked, ask } = person(ONCE);
  const preToolUse = [{ matcher: PROMPTS, run: () => answer }];
  await using scene = await openOffering({ ports: { ask }, hooks: { preToolUse } });
  expect(await complete(scene.host)).toMatchObject(DENIED);
  expect(await complete(scene.host, 'ref/resource')).toMatchObject({ ok: true });
  expect(asked).toEqual([]);
  expect(scene.journalLines()).toEqual(['complete note://q/{words} a']);
  const line = { tool: PROMPTS, prompt: 'say', completes: 'what', decision: 'deny', rule: 'hook', attempts: 0 };
  expect(await scene.ledgerOf(scene.host)).toMatchObject([line, { tool: READS }]);
});

test('is seen by hooks with what it is for, and they may change it', async () => {
  const seen: unknown[] = [];
  const run = ({ input }: { input: { completing?: object } }): object => {
    seen.push(input);
    return { input: { ...input, completing: { ...input.completing, value: 'b' } } };
  };
  await using scene = await openOffering({ hooks: { preToolUse: [{ matcher: 'mcp__docs', run }] } });
  const ref = { type: 'ref/prompt', name: 'say' } as const;
  const argument = { name: 'what', value: 'a' };
  const asked = { server: 'docs', ref, argument, context: { how: 'x' } };
  expect(await scene.host.complete(asked)).toMatchObject({ values: ['b!'] });
  expect(await complete(scene.host, 'ref/resource')).toMatchObject({ values: ['b!'] });
  expect(seen).toEqual([
    { server: 'docs', prompt: 'say', arguments: { how: 'x' }, completing: argument },
    { server: 'docs', uri: 'note://q/{words}', completing: argument },
  ]);
});

test('is not sent when a hook makes nothing of it', async () => {
  let more: object = {};
  const preToolUse = [{ run: ({ input }: { input: object }) => ({ input: { ...input, ...more } }) }];
  await using scene = await openOffering({ hooks: { preToolUse } });
  for (more of [{ server: 'x' }, { prompt: 7 }, { arguments: 'x' }, { completing: 'x' }, { completing: { name: 'w' } }])
    expect([more, await complete(scene.host)]).toMatchObject([more, { ok: false }]);
  expect(scene.journalLines()).toEqual([]);
});

test('suggests what hooks leave of the values', async () => {
  let answer: PostAnswer = {};
  await using scene = await openOffering({ hooks: { postToolUse: [{ run: () => answer }] } });
  answer = { output: { content: ['one', 'two'].map((text): ContentBlock => ({ type: 'text', text })) } };
  expect(await complete(scene.host, 'ref/prompt', 'a')).toMatchObject({ ok: true, values: ['one', 'two'] });
  answer = { context: 'be careful' };
  expect(await complete(scene.host, 'ref/prompt', 'b')).toMatchObject({ ok: true, values: ['b!'] });
  answer = { block: 'not for you' };
  expect(await complete(scene.host, 'ref/prompt', 'c')).toMatchObject(DENIED);
});

test('runs hooks and writes a line only where it is sent, and a server that is disabled answers nothing', async () => {
  let runs = 0;
  const preToolUse = [{ run: async () => void runs++ }];
  await using scene = await openOffering({ hooks: { preToolUse } });
  const typed = ['a', 'ab', 'abc', 'abcd'].map((value) => complete(scene.host, 'ref/prompt', value));
  expect((await Promise.all(typed)).map(({ ok }) => ok)).toEqual([true, false, false, true]);
  expect(await complete(scene.host, 'ref/prompt', 'abcd')).toMatchObject({ ok: true });
  expect(runs).toBe(2);
  // The key was followed by another one.
  const signal = AbortSignal.abort();
  expect(await complete(scene.host, 'ref/prompt', 'e', { signal })).toMatchObject({ error: { code: 'cancelled' } });
  expect(runs).toBe(2);
  scene.host.disable('docs');
  expect(await complete(scene.host, 'ref/prompt', 'abcd')).toMatchObject({ ok: false, error: { code: 'disabled' } });
  expect(await scene.ledgerOf(scene.host)).toHaveLength(3);
});
