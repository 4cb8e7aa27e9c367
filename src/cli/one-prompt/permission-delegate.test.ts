import { expect, test } from 'vitest';
import type { PermissionQuestion } from '../../guard/permission-question.js';
import type { Host } from '../../host/host.js';
import { PermissionDelegate } from './permission-delegate.js';

const asking = { permission: () => ({ behavior: 'ask' }) } as unknown as Host;

function before(desk: PermissionDelegate, name: string): unknown {
  const call = { name, input: {}, callId: 'call_0' } as Parameters<
    NonNullable<PermissionDelegate['hooks']['preToolUse']>[number]['run']
  >[0];
  return desk.hooks.preToolUse![0]!.run(call, undefined);
}

function ask(desk: PermissionDelegate, name: string): unknown {
  return desk.ask({ name, input: {}, callId: 'call_0' } as PermissionQuestion, new AbortController().signal);
}

test('what was decided about a call counts for that one, and not for another with its id', async () => {
  const asked: string[] = [];
  const desk = new PermissionDelegate({
    host: () => asking,
    stop: () => {},
    async decide({ name }) {
      asked.push(name);
      return name === 'mcp__a__look' ? { kind: 'allow' } : { kind: 'deny', reason: 'not that' };
    },
  });
  await before(desk, 'mcp__a__look');
  expect(await ask(desk, 'mcp__a__look')).toMatchObject({ kind: 'allow' });
  expect(asked).toEqual(['mcp__a__look']);
  await before(desk, 'mcp__a__look');
  expect(await ask(desk, 'mcp__a__delete')).toMatchObject({ kind: 'deny', reason: 'not that' });
});
