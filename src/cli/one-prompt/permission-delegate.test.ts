import { expect, test } from 'vitest';
import type { PermissionQuestion } from '../../guard/permission-question.js';
import type { Host } from '../../host/host.js';
import { PermissionDelegate } from './permission-delegate.js';

const asking = { permission: () => ({ behavior: 'ask' }) } as unknown as Host;

function before(delegate: PermissionDelegate, name: string): unknown {
  const call = { name, input: {}, callId: 'call_0' } as Parameters<
    NonNullable<PermissionDelegate['hooks']['preToolUse']>[number]['run']
  >[0];
  return delegate.hooks.preToolUse![0]!.run(call, undefined);
}

function ask(delegate: PermissionDelegate, name: string): unknown {
  return delegate.ask({ name, input: {}, callId: 'call_0' } as PermissionQuestion, new AbortController().signal);
}

test('what was decided about a call counts for that one, and not for another with its id', async () => {
  const asked: string[] = [];
  const delegate = new PermissionDelegate({
    host: () => asking,
    stop: () => {},
    async decide({ name }) {
      asked.push(name);
      return name === 'mcp__a__look' ? { kind: 'allow' } : { kind: 'deny', reason: 'not that' };
    },
  });
  await before(delegate, 'mcp__a__look');
  expect(await ask(delegate, 'mcp__a__look')).toMatchObject({ kind: 'allow' });
  expect(asked).toEqual(['mcp__a__look']);
  await before(delegate, 'mcp__a__look');
  expect(await ask(delegate, 'mcp__a__delete')).toMatchObject({ kind: 'deny', reason: 'not that' });
});
