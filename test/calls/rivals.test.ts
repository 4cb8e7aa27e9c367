import { expect, test } from 'vitest';
import { isClaimed, type Rival } from '../../src/model/permissions/rivals.js';
import { ASKING, openWalk, person, SESSION, type WalkScene } from './walk-scene.js';

// `mcp__a__b__c` is tool `c` of server `a__b`, and tool `b__c` of server `a`: allowing one does not allow the other.

async function outcomesOf(
  scene: WalkScene,
  allow: readonly string[],
): Promise<Readonly<Record<string, string | undefined>>> {
  const host = await scene.settle({ permissions: { mode: 'dont-ask', allow } });
  const outcomes: Record<string, string | undefined> = {};
  for (const { name, server, tool } of host.tools()) {
    const { outcome, error } = await host.call({ name });
    outcomes[`${server} ${tool}`] = error?.code ?? outcome;
  }
  await host.close();
  return outcomes;
}

test('a rule that was written while there was one server does not move to another that comes later', async () => {
  await using scene = openWalk();
  scene.configure({ a: scene.walking(['b__c', 'b']) });
  for (const allow of [['mcp__a__b__c'], ['mcp__a__b__*']])
    expect(await outcomesOf(scene, allow)).toEqual({ 'a b__c': 'ok', 'a b': 'denied' });
  expect(await outcomesOf(scene, ['mcp__a__b'])).toEqual({ 'a b__c': 'denied', 'a b': 'ok' });
  scene.configure({ a: scene.walking(['b__c', 'b']), a__b: scene.walking(['c', 'd']) });
  const none = { 'a b__c': 'denied', 'a b': 'denied', 'a__b c': 'denied', 'a__b d': 'denied' };
  expect(await outcomesOf(scene, ['mcp__a__b__c'])).toEqual(none);
  for (const allow of [['mcp__a__b__*'], ['mcp__a__b']])
    expect(await outcomesOf(scene, allow)).toEqual({ ...none, 'a__b c': 'ok', 'a__b d': 'ok' });
  expect(await outcomesOf(scene, ['mcp__a__b__d'])).toEqual({ ...none, 'a__b d': 'ok' });
  expect(await outcomesOf(scene, ['mcp__*'])).toEqual({
    'a b__c': 'ok',
    'a b': 'ok',
    'a__b c': 'ok',
    'a__b d': 'ok',
  });
});

test('of two servers of the user’s own a rule holds where only one of them can be meant', async () => {
  await using scene = openWalk();
  scene.configure({ a: scene.walking(['x']), a__b: scene.walking(['c']) });
  for (const allow of [['mcp__a__b__c'], ['mcp__a__b__*'], ['mcp__a__b']])
    expect(await outcomesOf(scene, allow)).toEqual({ 'a x': 'denied', 'a__b c': 'ok' });
});

test('nor does it move in a sub-agent that has the other server alone', async () => {
  await using scene = openWalk();
  scene.configure({ a: scene.walking(['b__c']), a__b: scene.walking(['c']) });
  const host = await scene.settle({ permissions: { mode: 'dont-ask', allow: ['mcp__a__b__c'] } });
  await using fork = host.fork({ servers: ['a__b'] });
  expect(await fork.call({ name: 'mcp__a__b__c' })).toMatchObject({ error: { code: 'denied' } });
});

test('the question about such a tool offers no rule that would not hold, and the hint of a refusal neither', async () => {
  await using scene = openWalk();
  scene.configure({ a: scene.walking(['b__c']), a__b: scene.walking(['c']) });
  const { asked, ask } = person(SESSION);
  const host = await scene.settle({ permissions: ASKING, ports: { ask } });
  expect(await host.call({ name: 'mcp__a__b__c' })).toMatchObject({ outcome: 'ok', server: 'a__b' });
  expect(await host.call({ name: 'mcp__a__b__c' })).toMatchObject({ outcome: 'ok' });
  expect(asked).toMatchObject([{ offers: ['once', 'session'] }]);
  await host.close();
  const alone = await scene.settle({ permissions: ASKING });
  const { error } = await alone.call({ name: 'mcp__a__b__c' });
  expect(error?.hint).not.toContain('--allow');
  expect(error?.hint).toContain('another server');
});

const rival = (author: Rival['author'], tools: ReturnType<Rival['tools']>): Rival => ({
  server: 'a',
  author,
  tools: () => tools,
});

test.each([
  ['user', rival('user', ['b__c']), true],
  ['user', rival('user', ['x']), false],
  ['user', rival('user', 'soon'), true],
  ['user', rival('user', undefined), false],
  ['user', rival('repository', ['b__c']), false],
  ['repository', rival('user', ['x']), true],
  ['repository', rival('user', undefined), true],
  ['remote', rival('repository', undefined), true],
] as const)('a rule for a tool of a server of the %s is in doubt beside %j: %s', (author, other, isDoubted) => {
  expect(isClaimed('mcp__a__b__c', author, [other])).toBe(isDoubted);
  expect(isClaimed('mcp__z__b__c', author, [other])).toBe(false);
});
