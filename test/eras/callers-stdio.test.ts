import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { callTool } from '../../src/connection/requests/call-tool.js';
import { connect, type ConnectOptions, type Connection } from '../../src/connection/connect.js';
import { listTools } from '../../src/connection/catalog/tool-definition.js';
import { systemClock } from '../../src/edge/clock.js';
import { ProcessRegistry } from '../../src/edge/processes/process-registry.js';
import type { Caller } from '../../src/model/caller.js';
import { textOf } from './stand-in.js';
import { acceptedBy, testCaller } from './test-caller.js';

const file = join(import.meta.dirname, 'asking-stdio.mjs');
const question = { method: 'elicitation/create' };
const all = { capabilities: { elicitation: {}, roots: {} } };

const processes = new ProcessRegistry();
afterAll(() => processes[Symbol.asyncDispose]());

/** Starts asking-stdio.mjs and connects to it as the host does. */
function meet(options: Partial<ConnectOptions> = {}): Promise<Connection> {
  const context = { name: 'asking', clock: systemClock, env: {}, platform: process.platform, cwd: '/' };
  return connect({
    config: { type: 'stdio', command: process.execPath, args: [file], env: {}, era: 'legacy' },
    context: { ...context, processes },
    ...all,
    ...options,
  });
}

async function call(connection: Connection, tool: string, input: object, owner?: Caller): Promise<unknown> {
  const answer = await callTool(connection, { tool, input: { ...input } }, { timeoutMs: 20_000, owner });
  return JSON.parse(textOf(answer));
}

/** Checks the response to a request that the server sends after its call has ended. */
async function checkLater(options: Partial<ConnectOptions>, owner: Caller, expected: unknown): Promise<void> {
  await using connection = await meet(options);
  await call(connection, 'ask-later', question, owner);
  await expect.poll(() => call(connection, 'told', {}, owner)).toEqual([expected]);
}

/** The error for a server whose request could belong to several callers, or to none. */
function refusal(why: RegExp): object {
  return { error: { code: -32000, message: expect.stringMatching(why) as string } };
}

test('a question is answered by the one caller that all calls in flight have', async () => {
  const [ann, ben] = [testCaller('ann'), testCaller('ben')];
  await using connection = await meet();
  expect(await call(connection, 'ask', question, ann)).toEqual(acceptedBy(ann));
  expect(await call(connection, 'ask', question, ben)).toEqual(acceptedBy(ben));
  const many = Array.from({ length: 5 }, () => call(connection, 'ask', { method: 'roots/list' }, ann));
  expect(await Promise.all(many)).toEqual(Array.from({ length: 5 }, () => ({ roots: ann.roots })));
  expect([ann.asked.length, ben.asked]).toEqual([6, ['asking elicitation/create']]);
});

test('a question is refused, with the reason, while calls of two callers are in flight, and nobody is asked', async () => {
  const [ann, ben] = [testCaller('ann'), testCaller('ben')];
  await using connection = await meet();
  const holding = call(connection, 'hold', { key: 'k' }, ann);
  expect(await call(connection, 'ask', question, ben)).toEqual(refusal(/several callers/u));
  expect(await call(connection, 'ask', { method: 'ping' }, ben)).toEqual({});
  await call(connection, 'release', { key: 'k' }, ben);
  await holding;
  expect(await call(connection, 'ask', question, ben)).toEqual(acceptedBy(ben));
  expect(ann.asked).toEqual([]);
});

test('a call that its caller gave up still counts: what the server asks may be for its sake', async () => {
  const [ann, ben] = [testCaller('ann'), testCaller('ben')];
  await using connection = await meet();
  const abort = new AbortController();
  const holding = callTool(connection, { tool: 'hold', input: { key: 'k' } }, { signal: abort.signal, owner: ann });
  void holding.catch(() => {});
  await call(connection, 'told', {}, ann);
  abort.abort();
  await expect(holding).rejects.toMatchObject({ code: 'cancelled' });
  expect(await call(connection, 'ask', question, ben)).toEqual(refusal(/several callers/u));
  // The late response ends the call.
  await call(connection, 'release', { key: 'k' }, ben);
  expect(await call(connection, 'ask', question, ben)).toEqual(acceptedBy(ben));
  expect(ann.asked).toEqual([]);
});

test('a question outside a call is for whom the connection was opened, and else refused', async () => {
  const [ann, ben] = [testCaller('ann'), testCaller('ben')];
  const mine = { action: 'decline' };
  const handlers = { 'elicitation/create': () => mine };
  await checkLater({ opener: ann, handlers }, ann, mine);
  await checkLater({ opener: ann, handlers }, ben, mine);
  await checkLater({ handlers }, ben, refusal(/no call is in flight/u));
  expect([ann.asked, ben.asked]).toEqual([[], []]);
  await checkLater({ opener: ann }, ben, acceptedBy(ann));
});

test('where calls have no owners, or all the one that the connection was opened for, everything is as without', async () => {
  for (const opener of [undefined, testCaller('ann')]) {
    const handlers = { 'elicitation/create': () => ({ action: 'decline' }) };
    await using connection = await meet({ opener, handlers });
    const holding = call(connection, 'hold', { key: 'k' }, opener);
    const asking = [call(connection, 'ask', question, opener), call(connection, 'ask', question)];
    expect(await Promise.all(asking)).toEqual([{ action: 'decline' }, { action: 'decline' }]);
    expect(await call(connection, 'ask', { method: 'roots/list' }, opener)).toMatchObject({ error: { code: -32601 } });
    await call(connection, 'release', { key: 'k', ...question }, opener);
    expect(await holding).toEqual({ action: 'decline' });
    await call(connection, 'ask-later', question, opener);
    await expect.poll(() => call(connection, 'told', {}, opener)).toEqual([{ action: 'decline' }]);
  }
});

test('a caller is not asked for what it has not declared, whatever the connection was opened with', async () => {
  const ann = testCaller('ann', { capabilities: { elicitation: { form: {} } } });
  const ben = testCaller('ben');
  await using connection = await meet({ opener: testCaller('opener'), declares: () => ({ roots: {} }) });
  expect(await call(connection, 'ask', question, ben)).toMatchObject({ error: { code: -32601 } });
  expect(await call(connection, 'ask', { method: 'roots/list' }, ben)).toEqual({ roots: ben.roots });
  await using other = await meet();
  expect(await call(other, 'ask', { method: 'roots/list' }, ann)).toMatchObject({ error: { code: -32601 } });
  const url = { method: 'elicitation/create', params: { mode: 'url' } };
  expect(await call(other, 'ask', url, ann)).toMatchObject({ error: { code: -32601 } });
  expect(ann.asked).toEqual([]);
});

test('a question of a task is for whoever began the task, from its handle to its end', async () => {
  const [ann, ben] = [testCaller('ann'), testCaller('ben')];
  await using connection = await meet();
  await listTools(connection);
  const holding = call(connection, 'hold', { key: 'k' }, ben);
  const jobs = [ann, ben, ann].map((owner) => call(connection, 'job', { ask: 'elicitation/create' }, owner));
  expect(await Promise.all(jobs)).toEqual([ann, ben, ann].map(acceptedBy));
  // The task is over, and the calls in flight do not belong to it.
  const late = call(connection, 'ask-job', { taskId: 't1', ...question }, ben);
  expect(await late).toEqual(refusal(/has ended/u));
  await call(connection, 'release', { key: 'k' }, ben);
  await holding;
  expect([ann.asked.length, ben.asked.length]).toEqual([2, 1]);
});

test('a log message reaches the one caller that it can belong to, and everybody who listens', async () => {
  const [ann, ben] = [testCaller('ann'), testCaller('ben')];
  const received: unknown[] = [];
  await using connection = await meet({ onNotification: (method, { data }) => void received.push([method, data]) });
  await call(connection, 'log', { data: 1 }, ann);
  const holding = call(connection, 'hold', { key: 'k' }, ann);
  await call(connection, 'log', { data: 2 }, ben);
  await call(connection, 'release', { key: 'k' }, ben);
  await holding;
  await call(connection, 'log', { data: 3 }, ben);
  expect(ann.logs).toEqual([{ server: 'asking', level: 'notice', logger: 'l', data: 1 }]);
  expect(ben.logs).toEqual([{ server: 'asking', level: 'notice', logger: 'l', data: 3 }]);
  expect(received).toEqual([1, 2, 3].map((data) => ['notifications/message', data]));
});
