import { expect, test } from 'vitest';
import { type Change, type Given, settingsOf, subjectWith } from '../model/permissions/subject-fixtures.js';
import { PermissionGuard } from './permission-guard.js';
import type { PermissionOutcome } from './permission-outcome.js';

async function judge(given: Given, change: Change): Promise<PermissionOutcome> {
  const settings = settingsOf(given);
  await using guard = new PermissionGuard({ settings: () => settings });
  return guard.check(subjectWith(change), { input: {}, callId: '1' });
}

const reading: Change = { hints: { readOnly: true } };
const claimed: Change = { isClaimed: (rule) => rule === 'mcp__s__t' };

test.each<[string, Given, Change, RegExp]>([
  ['nothing allows it', { mode: 'dont-ask' }, {}, /--allow mcp__s__t/u],
  ['it destroys', { mode: 'dont-ask', allow: ['mcp__s'] }, { marks: { saysDestructive: true } }, /--allow mcp__s__t/u],
  ['it destroys, unasked', { mode: 'bypass' }, { marks: { saysDestructive: true } }, /--allow mcp__s__t/u],
  [
    'its server wants you',
    { mode: 'dont-ask' },
    { marks: { needsUser: true } },
    /Use a mode in which you can be asked/u,
  ],
  ['its server wants you, unasked', {}, { marks: { needsUser: true } }, /Run it where you can be asked/u],
  ['a hook wants you', { mode: 'dont-ask' }, { isAskedByHook: true }, /Use a mode in which you can be asked/u],
  ['a hook wants you, unasked', {}, { isAskedByHook: true }, /Run it where you can be asked/u],
  ['a rule asks', { mode: 'dont-ask', ask: ['mcp__s'] }, {}, /plugboard permissions mcp__s__t/u],
  ['a rule asks, unasked', { ask: ['mcp__s'] }, {}, /plugboard permissions mcp__s__t/u],
  ['a rule denies', { deny: ['mcp__s'] }, {}, /plugboard permissions mcp__s__t/u],
  ['plan lets nothing write', { mode: 'plan' }, {}, /Leave mode plan/u],
  ['plan asks about what reads', { mode: 'plan' }, reading, /--allow mcp__s__t/u],
  ['a rule would be in doubt', { mode: 'dont-ask' }, claimed, /another server/u],
])('the hint says what helps where %s', async (_, given, change, expected) => {
  const verdict = await judge(given, change);
  const hint = verdict.kind === 'denied' ? (verdict.error.hint ?? '') : 'it is allowed';
  expect(hint).toMatch(expected);
  const { kind } = await judge({ ...given, allow: [...(given.allow ?? []), 'mcp__s__t'] }, change);
  expect(kind).toBe(hint.includes('--allow') ? 'allowed' : 'denied');
});

test('a name with a blank in it is one word of the command', async () => {
  const verdict = await judge({}, { name: 'mcp__a b__resources' });
  expect(verdict).toMatchObject({ error: { hint: expect.stringContaining("--allow 'mcp__a b__resources'") } });
});
