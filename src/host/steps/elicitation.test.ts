import { once } from 'node:events';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import { HostError } from '../../base/errors.js';
import type { Elicitation, ElicitationReply } from '../../model/hooks/hook-call.js';
import type { ToolResult } from '../../model/tool.js';
import { ElicitationQueue } from '../elicitation/elicitor.js';
import type { ToolCall } from '../calls/pipeline.js';
import { afterVisits } from './elicitation.js';
import { failed } from '../../model/failed-result.js';

const page = (id: string, more: object = {}): object => ({
  mode: 'url',
  elicitationId: id,
  message: 'Sign in',
  url: `https://example.com/${id}`,
  ...more,
});

/** The result of a call whose server requires visits to these pages. */
function wanting(elicitations: unknown): ToolResult {
  const detail = { kind: 'rpc', code: -32042, data: { elicitations } } as const;
  return failed('error', new HostError('server-error', 'sign in first', { detail }), 1);
}

const done: ToolResult = { outcome: 'ok', content: [], saved: [], notes: [], attempts: 1 };

interface Scene {
  readonly shown: Elicitation[];
  readonly elicitor: ElicitationQueue;
  readonly sent: () => number;
  readonly call: (answers: readonly ToolResult[], signal?: AbortSignal) => Promise<ToolResult>;
}

type Reply = (question: Elicitation, signal: AbortSignal, agreed: () => void) => Promise<ElicitationReply>;

/** A user who answers by `reply`, and a server that returns `answers` in turn, the last one repeatedly. */
function open(reply: Reply): Scene {
  const shown: Elicitation[] = [];
  const elicitor = new ElicitationQueue({
    clock: new FakeClock(),
    byHooks: async () => undefined,
    elicit: (question, signal, agreed) => {
      shown.push(question);
      return reply(question, signal!, agreed);
    },
    tell: () => {},
  });
  const again = afterVisits(
    (question, signal) => elicitor.ask(question, signal),
    () => undefined,
  );
  let sent = 0;
  return {
    shown,
    elicitor,
    sent: () => sent,
    call: (answers, signal) => {
      const call = { tool: { name: 'mcp__a__b', server: 'a' }, context: { callId: '1', signal } } as ToolCall;
      const next = async (): Promise<ToolResult> => answers[Math.min(sent++, answers.length - 1)]!;
      return next().then((first) => again(call, first, next) ?? first);
    },
  };
}

const accept = async (): Promise<ElicitationReply> => ({ action: 'accept' });
const never = (): Promise<ElicitationReply> => new Promise(() => {});

test('all pages are visited before the call is made again, one at a time', async () => {
  const { call, shown, sent } = open(accept);
  expect(await call([wanting([page('1'), page('2')]), done])).toMatchObject({ outcome: 'ok', attempts: 2 });
  expect(shown.map(({ url }) => url)).toEqual(['https://example.com/1', 'https://example.com/2']);
  expect(sent()).toBe(2);
});

const COMPLETE = 'notifications/elicitation/complete';

test('a server that says that its pages are visited changes nothing before the user has agreed to each of them', async () => {
  const agreeing: (() => void)[] = [];
  const { call, shown, elicitor, sent } = open((_question, _signal, agreed) => {
    agreeing.push(agreed);
    return new Promise(() => {});
  });
  const result = call([wanting([page('1'), page('2')]), done]);
  await expect.poll(() => shown.length).toBe(1);
  for (const elicitationId of ['1', '2']) elicitor.onCompleted('a', COMPLETE, { elicitationId });
  await turn();
  expect([shown.length, sent()]).toEqual([1, 1]);
  agreeing[0]!();
  elicitor.onCompleted('a', COMPLETE, { elicitationId: '1' });
  await expect.poll(() => shown.length).toBe(2);
  elicitor.onCompleted('a', COMPLETE, { elicitationId: '2' });
  await turn();
  expect(sent()).toBe(1);
  agreeing[1]!();
  elicitor.onCompleted('a', COMPLETE, { elicitationId: '2' });
  expect(await result).toMatchObject({ outcome: 'ok', attempts: 2 });
});

test('a server that says so while a hook thinks about the page does not answer in its place', async () => {
  const hook = new AbortController();
  let asked = 0;
  const elicitor = new ElicitationQueue({
    clock: new FakeClock(),
    byHooks: () => once(hook.signal, 'abort').then(() => undefined),
    elicit: async () => {
      asked++;
      return { action: 'decline' };
    },
    tell: () => {},
  });
  const question = { server: 'a', mode: 'url', message: '', url: 'https://example.com/', wants: 'completion' } as const;
  const reply = elicitor.ask({ ...question, elicitationId: '1' }, undefined);
  elicitor.onCompleted('a', COMPLETE, { elicitationId: '1' });
  hook.abort();
  expect([await reply, asked]).toEqual([{ action: 'decline' }, 1]);
});

test('the first no ends it, and nobody is asked for the others', async () => {
  const { call, shown, sent } = open(async () => ({ action: 'decline' }));
  const { error, attempts } = await call([wanting([page('1'), page('2'), page('3')]), done]);
  expect(error).toMatchObject({ code: 'input-failed', hint: 'The page is https://example.com/1' });
  expect([shown.length, sent(), attempts]).toEqual([1, 1, 1]);
});

test('who gives the call up while the user is asked hears that, and the question is withdrawn', async () => {
  const withdrawn: unknown[] = [];
  const { call, shown } = open((_, signal) => {
    signal.addEventListener('abort', () => withdrawn.push(true));
    return never();
  });
  const giveUp = new AbortController();
  const result = call([wanting([page('1'), page('2')]), done], giveUp.signal);
  await expect.poll(() => shown.length).toBe(1);
  giveUp.abort();
  expect((await result).error).toMatchObject({ code: 'cancelled' });
  expect(withdrawn).toEqual([true]);
});

test('a server that is never content is asked three times more', async () => {
  const { call, shown, sent } = open(accept);
  expect(await call([wanting([page('1')])])).toMatchObject({ outcome: 'error', attempts: 4 });
  expect([shown.length, sent()]).toEqual([3, 4]);
});

test.for([
  ['no pages', []],
  ['what is no list', { 0: page('1') }],
  ['a form', [page('1', { mode: 'form' })]],
  ['a good page and a bad one', [page('1'), page('2', { url: 'javascript:alert(1)' })]],
  ['something that is none', [null]],
] as const)('of a server that wants %s nobody is asked anything', async ([, elicitations]) => {
  const { call, shown, sent } = open(accept);
  expect((await call([wanting(elicitations), done])).error?.message).toBe('sign in first');
  expect([shown.length, sent()]).toEqual([0, 1]);
});

test('of a hundred pages ten are asked for, and the server says what is left', async () => {
  const { call, shown } = open(accept);
  const all = Array.from({ length: 100 }, (_, at) => page(String(at)));
  expect(await call([wanting(all), done])).toMatchObject({ outcome: 'ok' });
  expect(shown).toHaveLength(10);
});

test('who does not visit a page is still given what the server said, where that was asked for', async () => {
  const { call } = open(async () => ({ action: 'decline' }));
  const serverResult = { error: { code: -32042, message: 'sign in first' } };
  const declined = await call([{ ...wanting([page('1')]), serverResult }]);
  expect(declined).toMatchObject({ error: { code: 'input-failed' }, serverResult });
});
