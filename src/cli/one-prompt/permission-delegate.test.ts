import { expect, test } from 'vitest';
import type { PermissionQuestion } from '../../guard/permission-question.js';
import type { DelegatedDecision } from './delegated-decision.js';
import { delegatedAsk } from './permission-delegate.js';

async function check(decision: DelegatedDecision, answer: object, stopped: readonly string[] = []): Promise<void> {
  const reasons: string[] = [];
  const ask = delegatedAsk({ decide: async () => decision, stop: ({ message }) => reasons.push(message) });
  const question = { name: 'mcp__a__look', input: {}, callId: 'call_0' } as PermissionQuestion;
  expect(await ask(question, new AbortController().signal)).toEqual(answer);
  expect(reasons).toEqual(stopped);
}

test('the decision of a program is the answer to the question: once, perhaps with another input', async () => {
  await check({ kind: 'allow' }, { kind: 'allow', remember: 'once', input: undefined });
  await check({ kind: 'allow', input: { a: 1 } }, { kind: 'allow', remember: 'once', input: { a: 1 } });
  await check({ kind: 'deny', reason: 'not that' }, { kind: 'deny', reason: 'not that', isWhole: true });
});

test('a denial that ends the turn ends it', async () => {
  await check({ kind: 'deny', reason: 'enough', stops: true }, { kind: 'deny', reason: 'enough', isWhole: true }, [
    'Stopped before the call of mcp__a__look: enough',
  ]);
});
