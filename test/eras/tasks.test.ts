import {
  CreateTaskResultV2Schema,
  GetTaskRequestV2Schema,
  GetTaskResultV2Schema,
  hasTaskClientCapabilityV2,
  UpdateTaskRequestV2Schema,
} from '@modelcontextprotocol/ext-tasks/core/v2';
import { expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.js';
import { callTool } from '../../src/connection/requests/call-tool.js';
import { listTools } from '../../src/connection/catalog/tool-definition.js';
import { openServer, sendJson } from '../../src/transports/http/http-fixtures.js';
import { FakeClock, turn } from '../fake-clock.js';
import {
  callText,
  discovered,
  failing,
  initialized,
  type Received,
  meet,
  meetOverHttp,
  modernServer,
  saying,
  StandIn,
} from './stand-in.js';

const task = (status: string, more: object = {}): object => ({
  taskId: 't1',
  status,
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttlMs: 60_000,
  pollIntervalMs: 50,
  ...more,
});
const handle = { resultType: 'task', ...task('working') };

/** A modern server whose call is a task that goes through these states, one for each tasks/get. */
function working(...states: object[]): StandIn {
  return modernServer(({ method }) => {
    if (method === 'tools/call') return handle;
    if (method !== 'tasks/get') return { resultType: 'complete' };
    return states.length > 1 ? states.shift() : states[0];
  });
}

/** A legacy server with a tool that can only be called as a task. */
function legacyTasks(answer: (message: Received, server: StandIn) => unknown): StandIn {
  return new StandIn((message, server) => {
    switch (message.method) {
      case 'server/discover':
        return failing(-32601);
      case 'initialize':
        return {
          ...initialized,
          capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } },
        };
      case 'tools/list':
        return {
          tools: [
            { name: 'x', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } },
            { name: 'plain', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } },
          ],
        };
      default:
        return answer(message, server);
    }
  });
}

test('a call that becomes a task is followed to its result, and what it is doing is shown', async () => {
  const server = working(task('working', { statusMessage: 'digging' }), task('completed', { result: saying('gold') }));
  await using connection = await meet({ server });
  const seen: unknown[] = [];
  const answer = await callTool(
    connection,
    { tool: 'x', input: {} },
    { onProgress: ({ message }) => seen.push(message) },
  );
  expect(answer.content[0]).toMatchObject({ text: 'gold' });
  expect(seen).toContain('digging');
});

test('a task is asked for at its own pace, and never faster than 20 times a second', async () => {
  const clock = new FakeClock();
  const server = working(task('working', { pollIntervalMs: 0 }));
  await using connection = await meet({ server, clock });
  const call = callTool(connection, { tool: 'x', input: {} }, { timeoutMs: 100_000 }).catch(() => {});
  await turn();
  await clock.pass(1_000);
  expect(server.methods().filter((method) => method === 'tasks/get').length).toBeLessThanOrEqual(20);
  await clock.pass(200_000);
  await call;
});

test('a task that asks gets each answer once', async () => {
  const inputRequests = { k: { method: 'elicitation/create', params: { message: 'Sure?' } } };
  const server = working(
    task('input_required', { inputRequests }),
    task('input_required', { inputRequests }),
    task('completed', { result: saying('sure') }),
  );
  let asked = 0;
  await using connection = await meet(
    { server },
    {
      capabilities: { elicitation: {} },
      handlers: { 'elicitation/create': () => ({ action: 'accept', content: { count: ++asked } }) },
    },
  );
  expect(await callText(connection)).toBe('sure');
  expect(asked).toBe(1);
  const updates = server.received.filter(({ method }) => method === 'tasks/update');
  expect(updates).toHaveLength(1);
  expect(updates[0]!.params).toMatchObject({ taskId: 't1', inputResponses: { k: { content: { count: 1 } } } });
});

test.each([
  ['fails', task('failed', { error: { code: -32603, message: 'disk full' } }), /disk full/u],
  ['fails without a word', task('failed', { statusMessage: 'oh no' }), /oh no/u],
  ['is cancelled by its server', task('cancelled', { statusMessage: 'too late' }), /too late/u],
  ['has no result', task('completed'), /no result/u],
  ['has a status that nobody knows', task('sleeping'), /status that is none/u],
  ['is another one', task('working', { taskId: 't2' }), /another one/u],
])('a task that %s ends the call with the reason', async (_, state, reason) => {
  const server = working(state);
  await using connection = await meet({ server });
  await expect(callText(connection)).rejects.toThrow(reason);
});

test('a task that fails over what it was told in confidence does not tell it on', async () => {
  const server = working(task('failed', { error: { code: -32000, message: 'bad token hunter2hunter2' } }));
  await using connection = await meet({ server }, { secrets: [new Secret('hunter2hunter2')] });
  const failure = await callText(connection).catch((error: unknown) => String(error));
  expect(failure).toContain('bad token');
  expect(failure).not.toContain('hunter2');
});

test('whoever stops waiting for a task has it cancelled', async () => {
  const server = working(task('working'));
  await using connection = await meet({ server });
  const abort = new AbortController();
  const call = callTool(connection, { tool: 'x', input: {} }, { signal: abort.signal });
  void call.catch(() => {});
  await expect.poll(() => server.methods()).toContain('tasks/get');
  abort.abort();
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  await turn();
  expect(server.received.at(-1)).toMatchObject({ method: 'tasks/cancel', params: { taskId: 't1' } });
});

test('a task has the one deadline of its call', async () => {
  const server = working(task('working'));
  await using connection = await meet({ server });
  await expect(callTool(connection, { tool: 'x', input: {} }, { timeoutMs: 200 })).rejects.toMatchObject({
    code: 'call-timeout',
  });
  await turn();
  expect(server.methods()).toContain('tasks/cancel');
});

test('a server that goes between two questions ends the call at once', async () => {
  const server = working(task('working', { pollIntervalMs: 10_000_000 }));
  await using connection = await meet({ server });
  const call = callText(connection);
  void call.catch(() => {});
  await expect.poll(() => server.methods()).toContain('tools/call');
  await turn();
  server.close();
  await expect(call).rejects.toMatchObject({ code: 'connection-closed' });
});

test('one question that is lost does not end a task', async () => {
  const clock = new FakeClock();
  let polls = 0;
  const server = modernServer(({ method }) => {
    if (method === 'tools/call') return handle;
    if (method !== 'tasks/get') return {};
    return ++polls === 1 ? undefined : task('completed', { result: saying('gold') });
  });
  await using connection = await meet({ server, clock });
  const call = callTool(connection, { tool: 'x', input: {} }, { timeoutMs: 3_600_000 });
  await turn();
  await clock.pass(70_000);
  expect((await call).content[0]).toMatchObject({ text: 'gold' });
  expect(server.methods()).not.toContain('tasks/cancel');
});

test('the time that a person takes is not the task’s', async () => {
  const clock = new FakeClock();
  const inputRequests = { k: { method: 'elicitation/create', params: {} } };
  const server = working(task('input_required', { inputRequests }), task('completed', { result: saying('sure') }));
  await using connection = await meet(
    { server, clock },
    {
      capabilities: { elicitation: {} },
      handlers: {
        'elicitation/create': () =>
          new Promise<object>((resolve) => void clock.after(5_000, () => resolve({ action: 'accept' }))),
      },
    },
  );
  const call = callTool(connection, { tool: 'x', input: {} }, { timeoutMs: 1_000 });
  await turn();
  await clock.pass(6_000);
  expect((await call).content[0]).toMatchObject({ text: 'sure' });
});

function listenBadly(): void {
  throw new Error('mine');
}

test('whoever listens badly to the progress of a task does it no harm', async () => {
  const server = working(task('working'), task('completed', { result: saying('gold') }));
  await using connection = await meet({ server });
  const answer = await callTool(connection, { tool: 'x', input: {} }, { onProgress: listenBadly });
  expect(answer.content[0]).toMatchObject({ text: 'gold' });
});

test.each([
  ['no id', { resultType: 'task', status: 'working' }],
  ['an endless id', { resultType: 'task', status: 'working', taskId: 'x'.repeat(2_000) }],
  ['no status', { resultType: 'task', taskId: 't1' }],
])('a task with %s is no answer', async (_, answer) => {
  const server = modernServer(() => answer);
  await using connection = await meet({ server });
  await expect(callText(connection)).rejects.toMatchObject({ code: 'bad-answer' });
});

test('a task that is given up for what it asks is cancelled', async () => {
  const server = working(task('input_required', { inputRequests: { k: { method: 'roots/list' } } }));
  await using connection = await meet({ server });
  await expect(callText(connection)).rejects.toMatchObject({ code: 'unsupported' });
  await turn();
  expect(server.methods()).toContain('tasks/cancel');
});

test('a legacy tool that has to be a task is called as one, and its result is fetched', async () => {
  let polls = 0;
  const server = legacyTasks(({ method, params }) => {
    if (method === 'tools/call') {
      return params['task'] === undefined
        ? saying('plain')
        : { task: { taskId: 't1', status: 'working', ttl: 60_000, pollInterval: 50 } };
    }
    if (method === 'tasks/get')
      return { taskId: 't1', status: ++polls > 1 ? 'completed' : 'working', pollInterval: 50 };
    return method === 'tasks/result' ? { content: [{ type: 'text', text: 'fetched' }] } : {};
  });
  await using connection = await meet({ server });
  await listTools(connection);
  expect(await callText(connection)).toBe('fetched');
  expect(await callText(connection, 'plain')).toBe('plain');
});

test('what somebody has answered for a task is sent again when it does not arrive', async () => {
  const inputRequests = { k: { method: 'elicitation/create', params: {} } };
  let updates = 0;
  const states = [task('input_required', { inputRequests }), task('completed', { result: saying('sure') })];
  const server = await openServer(({ message, method }, response) => {
    const { id, method: asked } = message;
    const answer = (result: object): void => sendJson(response, { jsonrpc: '2.0', id, result });
    if (method !== 'POST') response.writeHead(405).end();
    else if (asked === 'server/discover') answer(discovered);
    else if (asked === 'tools/call') answer(handle);
    else if (asked === 'tasks/get') answer(updates < 2 ? states[0]! : states[1]!);
    else if (++updates === 1) response.writeHead(502).end();
    else answer({ resultType: 'complete' });
  });
  let asked = 0;
  await using connection = await meetOverHttp(server.url, {
    capabilities: { elicitation: {} },
    handlers: { 'elicitation/create': () => ({ action: 'accept', content: { count: ++asked } }) },
  });
  expect(await callText(connection)).toBe('sure');
  expect([asked, updates]).toEqual([1, 2]);
});

test('a legacy task that asks does so while its result is waited for', async () => {
  const server: StandIn = legacyTasks(({ method }) => {
    if (method === 'tools/call') return { task: { taskId: 't1', status: 'input_required', pollInterval: 50 } };
    if (method !== 'tasks/result') return {};
    server.ask(7, 'elicitation/create');
    return new Promise((resolve) => {
      setTimeout(() => resolve({ content: [{ type: 'text', text: 'answered' }] }), 20);
    });
  });
  let asked = 0;
  await using connection = await meet(
    { server },
    { handlers: { 'elicitation/create': () => ({ action: 'decline', count: ++asked }) } },
  );
  await listTools(connection);
  expect(await callText(connection)).toBe('answered');
  expect(asked).toBe(1);
});

test('what both sides say about a task is what the official package takes for it', async () => {
  const inputRequests = {
    k: {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
    },
  };
  const asked = { resultType: 'complete', ...task('input_required', { inputRequests }) };
  const done = { resultType: 'complete', ...task('completed', { result: saying('sure') }) };
  const server = working(asked, done);
  await using connection = await meet(
    { server },
    {
      capabilities: { elicitation: {} },
      handlers: { 'elicitation/create': () => ({ action: 'accept', content: {} }) },
    },
  );
  await callText(connection);
  const said = (name: string): object => {
    const { id, method, params } = server.received.find(({ method: received }) => received === name)!;
    return { jsonrpc: '2.0', id, method, params };
  };
  expect([
    CreateTaskResultV2Schema.safeParse(handle),
    GetTaskResultV2Schema.safeParse(asked),
    GetTaskResultV2Schema.safeParse(done),
  ]).toMatchObject([{ success: true }, { success: true }, { success: true }]);
  expect(GetTaskRequestV2Schema.safeParse(said('tasks/get'))).toMatchObject({ success: true });
  expect(UpdateTaskRequestV2Schema.safeParse(said('tasks/update'))).toMatchObject({ success: true });
  const { params } = server.received.find(({ method }) => method === 'tools/call')!;
  expect(hasTaskClientCapabilityV2(params)).toBe(true);
});
