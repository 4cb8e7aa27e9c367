import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../../../test/house.js';
import { approvalsFile, type ApprovalDecision, forgetChoices, parseChoices, rememberChoice } from './approvals.js';
import type { ConfigContext } from '../context.js';

const choice = (hash: string, more: Partial<ApprovalDecision> = {}): ApprovalDecision => ({
  decision: 'approved',
  hash,
  file: '/project/.mcp.json',
  entry: { command: 'run' },
  salt: 'salt',
  at: '1970-01-01T00:00:00.000Z',
  ...more,
});
const inFolder = (folder: string): Partial<ApprovalDecision> => ({ place: { folder, variables: {} } });

function contextOf(house: House, project: string): ConfigContext {
  const cwd = join(house.root, project);
  mkdirSync(join(cwd, '.git'), { recursive: true });
  return house.context({ cwd });
}

/** The remembered decisions of each server of a project with their hashes, newest first. */
function known(context: ConfigContext): Record<string, string[]> {
  const whole = JSON.parse(readFileSync(approvalsFile(context)!, 'utf8')) as Record<string, unknown>;
  const choices = parseChoices(whole, context.projectRoot);
  return Object.fromEntries(
    Array.from(choices, ([name, list]) => [name, list.map(({ decision, hash }) => `${decision} ${hash}`)]),
  );
}

test('a choice in one project leaves those of others alone, and so does forgetting', async () => {
  using house = openHouse();
  const [mine, other] = [contextOf(house, 'mine'), contextOf(house, 'other')];
  await rememberChoice(other, 'db', choice('of-other'));
  await rememberChoice(mine, 'db', choice('1'));
  await rememberChoice(mine, 'web', choice('2'));
  expect([known(mine), known(other)]).toEqual([
    { db: ['approved 1'], web: ['approved 2'] },
    { db: ['approved of-other'] },
  ]);
  expect((await forgetChoices(mine)).servers).toEqual(['db', 'web']);
  expect([known(mine), known(other)]).toEqual([{}, { db: ['approved of-other'] }]);
});

test('the newest choice about a definition replaces the older ones about the same one, and no other', async () => {
  using house = openHouse();
  const mine = contextOf(house, 'mine');
  await rememberChoice(mine, 'db', choice('1'));
  await rememberChoice(mine, 'db', choice('2'));
  await rememberChoice(mine, 'db', choice('1', { decision: 'rejected' }));
  expect(known(mine)).toEqual({ db: ['rejected 1', 'approved 2'] });
});

test('one definition in two folders is two choices; one that was made before folders counted is replaced by either', async () => {
  using house = openHouse();
  const mine = contextOf(house, 'mine');
  await rememberChoice(mine, 'db', choice('1'));
  await rememberChoice(mine, 'db', choice('1', inFolder('/a')));
  expect(known(mine)).toEqual({ db: ['approved 1'] });
  await rememberChoice(mine, 'db', choice('1', { decision: 'rejected', ...inFolder('/b') }));
  expect(known(mine)).toEqual({ db: ['rejected 1', 'approved 1'] });
  await rememberChoice(mine, 'db', choice('1', { decision: 'rejected', ...inFolder('/a') }));
  expect(known(mine)).toEqual({ db: ['rejected 1', 'rejected 1'] });
});

test('the newest 24 choices of a name are kept', async () => {
  using house = openHouse();
  const mine = contextOf(house, 'mine');
  for (let count = 0; count < 30; count++) await rememberChoice(mine, 'db', choice(String(count)));
  expect(known(mine)['db']).toEqual(Array.from({ length: 24 }, (_, at) => `approved ${29 - at}`));
});

test.each([
  ['decision', 'maybe'],
  ['hash', 7],
  ['file', undefined],
  ['salt', undefined],
  ['entry', 'run'],
  ['place', { folder: 7, variables: {} }],
  ['place', { folder: '/a' }],
])('a choice whose %s is %j is none', (field, value) => {
  const list = [{ ...choice('1'), [field]: value }, choice('2')];
  const choices = parseChoices({ projects: { '/p': { db: list, web: 'no list' } } }, '/p');
  expect([...choices]).toEqual([['db', [choice('2')]]]);
  expect(parseChoices({ projects: { '/p': list } }, '/q').size).toBe(0);
});
