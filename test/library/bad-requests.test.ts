import { expect, test } from 'vitest';
import type { Host } from '../../src/index.js';
import { embed } from '../calls/embedded.js';
import { openWalk } from '../calls/walk-scene.js';

const NONE: readonly unknown[] = [undefined, null, 5, 'mcp__a__one', [], () => {}, Symbol('x'), {}, { name: 7 }];

test.each(NONE)('a call that is none is a result: %s', async (request) => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['a', ['one']]]).options);
  const result = await host.call(request as never);
  const isObject = typeof request === 'object' && request !== null && !Array.isArray(request);
  // A request without a name has always been a call of an unknown tool.
  const code = isObject ? 'unknown-tool' : 'usage';
  expect(result).toMatchObject({ outcome: 'error', error: { code }, attempts: 0 });
  expect(result.content).toMatchObject([
    { type: 'text', text: expect.stringContaining(result.error!.message) as string },
  ]);
  expect(result.error!.hint).toContain(isObject ? 'host.tools()' : 'host.call({ name:');
});

test.each([
  [{ timeoutMs: 'soon' }, 'timeoutMs has to be a number of milliseconds; it is a string'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs has to be a number of milliseconds; it is NaN'],
  [{ signal: {} }, 'signal has to be an AbortSignal; it is an object'],
  [{ onProgress: 'x' }, 'onProgress has to be a function; it is a string'],
  [{ callId: 7 }, 'callId has to be a string; it is 7'],
  [{ input: 'text', isTyped: true }, 'The input of mcp__a__one has to be an object'],
  [{ input: 'text' }, 'The input of mcp__a__one does not fit'],
])('a call with %j names the field, and nothing is sent', async (more, message) => {
  await using scene = openWalk();
  const { options, servers } = embed([['a', ['one']]]);
  const host = await scene.settle(options);
  const result = await host.call({ name: 'mcp__a__one', ...more } as never);
  expect([result.outcome, result.error!.message]).toEqual(['error', expect.stringContaining(message)]);
  expect(servers.get('a')!.ran).toEqual([]);
  // A model API finds the result by the id of its call.
  const named = await host.call({ name: 'mcp__a__one', ...more, callId: 'c1' } as never);
  expect([named.name, named.callId]).toEqual(['mcp__a__one', 'c1']);
});

test('other requests that are none are answers with an error', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['a', ['one']]]).options);
  const asked: readonly [keyof Host, string][] = [
    ['getPrompt', 'getPrompt takes an object'],
    ['readResource', 'readResource takes an object'],
    ['complete', 'complete takes an object'],
    ['watchResource', 'watchResource takes an object'],
    ['readSkill', 'readSkill takes an object'],
    ['readSkillFile', 'readSkillFile takes an object'],
  ];
  for (const [method, message] of asked) {
    const ask = (host[method] as (request: unknown) => Promise<unknown>).bind(host);
    for (const request of ['x', undefined, null])
      expect(await ask(request)).toMatchObject({ ok: false, error: { code: 'usage', message } });
  }
  expect(await host.readResource({ server: 'a' } as never)).toMatchObject({
    ok: false,
    error: { message: 'readResource needs uri as a string', hint: 'Write host.readResource({ server, uri })' },
  });
  expect(await host.getPrompt({} as never)).toMatchObject({ ok: false });
  await expect(host.callAll(null as never)).rejects.toThrow('requests has to be a list; it is null');
  expect(await host.callAll([null as never])).toMatchObject([{ outcome: 'error', error: { code: 'usage' } }]);
});
