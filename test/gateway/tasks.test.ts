import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Gateway } from '../../src/gateway/gateway.js';
import { inside } from '../../src/host/inside.js';
import { Seals } from '../../src/serving/seal.js';
import type { JsonObject } from '../../src/base/json.js';
import type { HostOptions } from '../../src/host/host-options.js';
import type { FinishedCall, PostAnswer } from '../../src/model/hooks/hook-call.js';
import type { Endpoint } from '../../src/serving/endpoint.js';
import type { Entries } from '../host/scene.js';
import { ask, type GatewayScene, openGatewayScene, refusalOf, testClient, type TestClient } from './gateway-scene.js';
import { suiteUpstream } from './start-gateway.js';

const TASKS = 'io.modelcontextprotocol/tasks';
const RELATED = 'io.modelcontextprotocol/related-task';

function openTasks(
  eras: 'legacy' | 'modern' | readonly ('legacy' | 'modern')[],
  host: HostOptions = {},
): Promise<GatewayScene> {
  const entries = [eras]
    .flat()
    .map((era) => [era, { type: 'stdio', command: process.execPath, args: [...suiteUpstream(era), '--stdio'] }]);
  const settings = { permissions: { defaultMode: 'bypassPermissions' } };
  return openGatewayScene(Object.fromEntries(entries) as Entries, { settings, host });
}

/** Servers of both eras, for the tests that need none of their own. */
let shared: GatewayScene;
beforeAll(async () => {
  shared = await openTasks(['legacy', 'modern']);
});
afterAll(() => shared[Symbol.asyncDispose]());

/** A client of 2026-07-28 that follows tasks. */
function follower(more: Partial<TestClient> = {}): TestClient {
  return testClient({ capabilities: { elicitation: { form: {} }, extensions: { [TASKS]: {} } }, ...more });
}

/** A client of 2025-11-25. */
function elder(more: Parameters<typeof testClient>[0] = {}): TestClient {
  return testClient({ era: 'legacy', revision: '2025-11-25', capabilities: { elicitation: {} }, ...more });
}

async function begin(endpoint: Endpoint, client: TestClient, name: string, input: JsonObject = {}): Promise<string> {
  const task = client.era === 'legacy' ? { task: { ttl: 60_000 } } : {};
  const handle = await ask(endpoint, 'tools/call', { name, arguments: input, ...task }, { client });
  expect(handle).toMatchObject({ resultType: 'task', ttlMs: 300_000, pollIntervalMs: 50 });
  expect(handle['createdAt']).toEqual(expect.any(String));
  return String(handle['taskId']);
}

/** Asks until the task has another status than `working`. */
async function until(endpoint: Endpoint, client: TestClient, taskId: string): Promise<JsonObject> {
  for (;;) {
    const task = await ask(endpoint, 'tasks/get', { taskId }, { client });
    expect(task['taskId']).toBe(taskId);
    if (task['status'] !== 'working') return task;
    await pause(10); // the interval at which the client asks
  }
}

const text = (said: string): object => ({ content: [{ type: 'text', text: said }] });

describe.each(['legacy', 'modern'] as const)('a modern client that follows tasks of a %s server', (era) => {
  test('gets a handle, and the result with the task', async () => {
    const endpoint = shared.endpoint();
    const client = follower();
    const id = await begin(endpoint, client, `${era}__slow_compute`, { seconds: 0.1, label: 'it' });
    expect(id).not.toMatch(/^[0-9a-f-]{36}$/u);
    const done = await until(endpoint, client, id);
    expect(done).toMatchObject({ status: 'completed', result: { ...text('it took 0.1 s'), resultType: 'complete' } });
    expect(JSON.stringify(done)).not.toContain(RELATED);
    // As long as the server keeps it.
    expect(await until(endpoint, client, id)).toMatchObject({ status: 'completed', result: text('it took 0.1 s') });
  });

  test('is told an error of the tool as a result, and one of the protocol as an error', async () => {
    const endpoint = shared.endpoint(`/mcp/${era}`);
    const client = follower();
    const failing = await begin(endpoint, client, 'failing_job');
    expect(await until(endpoint, client, failing)).toMatchObject({
      status: 'completed',
      result: { ...text('The job has failed, on purpose.'), isError: true },
    });
    const broken = await begin(endpoint, client, 'protocol_error_job');
    expect(await until(endpoint, client, broken)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The job broke, on purpose.' },
    });
  });

  test('answers questions of the task one by one', async () => {
    const endpoint = shared.endpoint();
    const client = follower();
    const taskId = await begin(endpoint, client, `${era}__multi_input`);
    let task = await until(endpoint, client, taskId);
    while (Object.keys(task['inputRequests'] as JsonObject).length < 2) task = await until(endpoint, client, taskId);
    const [first, second] = Object.keys(task['inputRequests'] as JsonObject);
    expect(task).toMatchObject({
      status: 'input_required',
      inputRequests: {
        [first!]: { method: 'elicitation/create', params: { message: `Server "${era}" asks: The first?` } },
      },
    });
    expect(JSON.stringify(task)).not.toContain(RELATED);
    const answer = async (key: string, confirm: boolean): Promise<void> => {
      const inputResponses = { [key]: { action: 'accept', content: { confirm } }, other: { action: 'accept' } };
      const { _meta: _, ...rest } = await ask(endpoint, 'tasks/update', { taskId, inputResponses }, { client });
      expect(rest).toEqual({});
    };
    await answer(first!, true);
    const { inputRequests } = await until(endpoint, client, taskId);
    expect(Object.keys(inputRequests as JsonObject)).toEqual([second]);
    await answer(second!, false);
    expect(await until(endpoint, client, taskId)).toMatchObject({
      status: 'completed',
      result: text('[{"confirm":true},{"confirm":false}]'),
    });
    expect(client.asked).toEqual([]);
  });

  test('can cancel it', async () => {
    const endpoint = shared.endpoint();
    const client = follower();
    const taskId = await begin(endpoint, client, `${era}__slow_compute`, { seconds: 100 });
    const { _meta: _, ...rest } = await ask(endpoint, 'tasks/cancel', { taskId }, { client });
    expect(rest).toEqual({});
    expect(await until(endpoint, client, taskId)).toMatchObject({ status: 'cancelled' });
  });

  test('hears of what becomes of it, where it listens', async () => {
    const endpoint = shared.endpoint();
    const client = follower();
    const id = await begin(endpoint, client, `${era}__confirm_delete`, { filename: 'a.txt' });
    const told: JsonObject[] = [];
    const over = new Promise<void>((resolve) => {
      const wanted = { tools: false, prompts: false, resources: false, uris: [], tasks: [id, 'none'] };
      const watch = endpoint.watch(client, wanted, ({ method, params }) => {
        expect(method).toBe('notifications/tasks');
        told.push(params);
        if (params['status'] === 'completed') resolve();
        if (params['status'] !== 'input_required') return;
        const [key] = Object.keys(params['inputRequests'] as JsonObject);
        const inputResponses = { [key!]: { action: 'accept', content: { confirm: true } } };
        void ask(endpoint, 'tasks/update', { taskId: id, inputResponses }, { client });
      });
      void watch.honoured.then(({ tasks }) => expect(tasks).toEqual([id]));
    });
    await over;
    expect(told.at(-1)).toMatchObject({ taskId: id, result: text('a.txt is deleted') });
    expect(told.map(({ status }) => status)).toContain('input_required');
  });

  test('has it to itself: for another principal, or changed, the id is unknown', async () => {
    const endpoint = shared.endpoint();
    const taskId = await begin(endpoint, follower(), `${era}__slow_compute`, { seconds: 100 });
    const other = shared.gateway.endpoint('/mcp', 'other')!;
    const changed = `${taskId.slice(0, -2)}${taskId.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const foreign = ask(other, method, { taskId, inputResponses: {} }, { client: follower({ principal: 'other' }) });
      const forged = ask(endpoint, method, { taskId: changed, inputResponses: {} }, { client: follower() });
      expect(await refusalOf(foreign)).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/^Unknown task/u),
      });
      expect(await refusalOf(forged)).toMatchObject({ code: -32602, message: expect.stringMatching(/^Unknown task/u) });
    }
    // Another session of the same user may ask.
    const again = await ask(endpoint, 'tasks/get', { taskId }, { client: follower({ owner: 'owner-2' }) });
    expect(again).toMatchObject({ status: 'working' });
  });

  test('finds it again through another instance with the same secret', async () => {
    const seals = new Seals([randomBytes(32)]);
    await using one = new Gateway({ host: shared.host, seals });
    await using other = new Gateway({ host: shared.host, seals });
    const client = follower();
    const input = { seconds: 0.1, label: 'it' };
    const id = await begin(one.endpoint('/mcp', 'local')!, client, `${era}__slow_compute`, input);
    const done = await until(other.endpoint('/mcp', 'local')!, client, id);
    expect(done).toMatchObject({ status: 'completed', result: text('it took 0.1 s') });
  });

  test('has to declare them', async () => {
    const refusal = await refusalOf(ask(shared.endpoint(), 'tasks/get', { taskId: 'x' }));
    expect(refusal).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } });
  });
});

test('the line of a client stays open while its task runs, and is given back with the session', async () => {
  await using opened = await openTasks('legacy');
  const endpoint = opened.endpoint();
  const client = follower();
  const inFlight = (): number[] => opened.host[inside].lanes.states().map((lane) => lane.inFlight);
  const first = await begin(endpoint, client, 'legacy__slow_compute', { seconds: 0.1 });
  const second = await begin(endpoint, client, 'legacy__slow_compute', { seconds: 100 });
  await expect.poll(inFlight).toEqual([2]);
  await until(endpoint, client, first);
  expect(inFlight()).toEqual([1]);
  endpoint.left(client);
  await expect.poll(inFlight).toEqual([]);
  expect(await refusalOf(ask(endpoint, 'tasks/get', { taskId: second }, { client }))).toMatchObject({ code: -32602 });
});

test('a modern client that follows no tasks gets the result of a legacy task', async () => {
  const messages: unknown[] = [];
  const result = await ask(
    shared.endpoint(),
    'tools/call',
    { name: 'legacy__slow_compute', arguments: { seconds: 0.1, label: 'it' } },
    { onProgress: ({ message }) => messages.push(message) },
  );
  expect(result).toMatchObject(text('it took 0.1 s'));
  expect(messages[0]).toBe('At work');
});

test('a legacy client gets the result of a modern task, and answers its questions', async () => {
  const endpoint = shared.endpoint();
  const client = elder({ answers: () => ({ action: 'accept', content: { confirm: true } }) });
  const messages: unknown[] = [];
  const result = await ask(
    endpoint,
    'tools/call',
    // Who makes no tasks of that revision ignores that one is wanted.
    { name: 'modern__confirm_delete', arguments: { filename: 'a.txt' }, task: {} },
    { client, onProgress: ({ message }) => messages.push(message) },
  );
  expect(result).toMatchObject(text('a.txt is deleted'));
  expect(client.asked).toMatchObject([
    { method: 'elicitation/create', params: { message: 'Server "modern" asks: Delete a.txt?' } },
  ]);
  expect(messages).toContain('Waits for an answer');
});

test('a legacy client that cancels a call cancels the modern task', async () => {
  const leaving = new AbortController();
  const call = ask(
    shared.endpoint(),
    'tools/call',
    { name: 'modern__slow_compute', arguments: { seconds: 100 } },
    { client: elder(), signal: leaving.signal, onProgress: () => leaving.abort() },
  );
  expect(await call).toMatchObject({ isError: true });
});

describe('a legacy client of a legacy server', () => {
  test('is offered tasks as the server offers them', async () => {
    const taskSupport = async (path: string, client: TestClient): Promise<unknown[]> => {
      const { tools } = await ask(shared.endpoint(path), 'tools/list', {}, { client });
      return (tools as JsonObject[])
        .filter(({ name }) => String(name).endsWith('slow_compute'))
        .map(({ name, execution }) => [name, execution]);
    };
    expect(await taskSupport('/mcp', elder())).toEqual([
      ['legacy__slow_compute', { taskSupport: 'required' }],
      ['modern__slow_compute', undefined],
    ]);
    for (const client of [testClient(), elder({ revision: '2025-06-18' })]) {
      expect(await taskSupport('/mcp/legacy', client)).toEqual([['slow_compute', undefined]]);
    }
    const { capabilities } = await shared.endpoint('/mcp/legacy').describe(elder());
    expect(capabilities).toMatchObject({ tasks: { cancel: {}, requests: { tools: { call: {} } } } });
    const modern = await shared.endpoint('/mcp/modern').describe(elder());
    expect(modern.capabilities['tasks']).toBeUndefined();
  });

  test('follows one, and is asked its questions, with ids of the gateway', async () => {
    const endpoint = shared.endpoint();
    const client = elder({ answers: () => ({ action: 'accept', content: { confirm: true } }) });
    const taskId = await begin(endpoint, client, 'legacy__confirm_delete', { filename: 'a.txt' });
    expect(await ask(endpoint, 'tasks/get', { taskId }, { client })).toMatchObject({ taskId, ttlMs: 300_000 });
    const result = await ask(endpoint, 'tasks/result', { taskId }, { client });
    expect(result).toMatchObject({ ...text('a.txt is deleted'), _meta: { [RELATED]: { taskId } } });
    expect(client.asked).toMatchObject([
      { params: { message: 'Server "legacy" asks: Delete a.txt?', _meta: { [RELATED]: { taskId } } } },
    ]);
    expect(await until(endpoint, client, taskId)).toMatchObject({ status: 'completed' });
    const other = await begin(endpoint, client, 'legacy__slow_compute', { seconds: 100 });
    const cancelled = await ask(endpoint, 'tasks/cancel', { taskId: other }, { client });
    expect(cancelled).toMatchObject({ taskId: other, status: 'cancelled' });
  });

  test('that asks for no task gets the result', async () => {
    const params = { name: 'legacy__slow_compute', arguments: { seconds: 0, label: 'it' } };
    const result = await ask(shared.endpoint(), 'tools/call', params, { client: elder() });
    expect(result).toMatchObject(text('it took 0 s'));
  });
});

test.each(['legacy', 'modern'] as const)(
  'a hook sees, and may replace, the result of a task of a %s server',
  async (era) => {
    const seen: unknown[] = [];
    const run = ({ call, result: { content } }: FinishedCall): PostAnswer | undefined => {
      seen.push([call.name, call.input, content.length]);
      return content.length === 0 ? undefined : { output: { content: [{ type: 'text', text: 'censored' }] } };
    };
    await using opened = await openTasks(era, { hooks: { postToolUse: [{ run }] } });
    const endpoint = opened.endpoint();
    const client = follower();
    const id = await begin(endpoint, client, `${era}__slow_compute`, { seconds: 0, label: 'it' });
    expect(await until(endpoint, client, id)).toMatchObject({ status: 'completed', result: text('censored') });
    expect(seen.at(-1)).toEqual([`mcp__${era}__slow_compute`, { seconds: 0, label: 'it' }, 1]);
  },
);
