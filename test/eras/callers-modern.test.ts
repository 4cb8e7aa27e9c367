import type { JsonObject } from '../../src/base/json.js';
import { expect, test } from 'vitest';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { Connection } from '../../src/connection/connect.js';
import { readResource } from '../../src/connection/requests/read-resource.js';
import type { Caller } from '../../src/model/caller.js';
import { openServer, httpResult, sendJson, startEvents, toSseEvent } from '../../src/transports/http/http-fixtures.js';
import { discovered, type Received, meet, meetOverHttp, modernServer, saying, textOf } from './stand-in.js';
import { acceptedBy, testCaller } from './test-caller.js';

const asking = { method: 'elicitation/create', params: { message: 'Who?' } };
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT = 'io.modelcontextprotocol/clientInfo';

function metaOf({ params }: Pick<Received, 'params'>): JsonObject {
  return params['_meta'] as JsonObject;
}

async function call(connection: Connection, owner: Caller | undefined, tool = 'x'): Promise<string> {
  return textOf(await callTool(connection, { tool, input: {} }, { timeoutMs: 20_000, owner }));
}

test('each request says who asks and what that caller can do', async () => {
  const server = modernServer(() => saying('ok'));
  const opener = testCaller('opener');
  const ann = testCaller('ann', { capabilities: { sampling: {} } });
  const ben = testCaller('ben', { client: undefined });
  await using connection = await meet({ server }, { capabilities: { roots: {} }, opener });
  for (const owner of [undefined, opener, ann, ben, ann]) await call(connection, owner);
  const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  expect(server.received.map((received) => metaOf(received)[CAPABILITIES])).toEqual(
    [{ roots: {} }, { roots: {} }, { roots: {} }, ann.capabilities, ben.capabilities, ann.capabilities].map(
      (capabilities) => ({ ...capabilities, ...tasks }),
    ),
  );
  const names = server.received.map((received) => (metaOf(received)[CLIENT] as { name: string }).name);
  const openers = Array.from({ length: 3 }, () => 'client-of-opener');
  expect(names).toEqual([...openers, 'client-of-ann', 'plugboard', 'client-of-ann']);
});

test('a connection that is opened for a caller, and says no more, has that caller answer', async () => {
  const server = modernServer(({ params }) =>
    params['inputResponses'] === undefined
      ? { resultType: 'input_required', inputRequests: { k: asking } }
      : saying(JSON.stringify(params['inputResponses'])),
  );
  const ann = testCaller('ann');
  await using connection = await meet({ server }, { capabilities: ann.capabilities, opener: ann });
  expect(JSON.parse(await call(connection, ann))).toEqual({ k: acceptedBy(ann) });
  expect(JSON.parse(await call(connection, undefined))).toEqual({ k: acceptedBy(ann) });
});

test('a server is not told of what its entry withholds, whoever calls', async () => {
  const server = modernServer(() => saying('ok'));
  const ann = testCaller('ann');
  await using connection = await meet(
    { server },
    { declares: ({ capabilities: { elicitation } }) => ({ elicitation }) },
  );
  await call(connection, ann);
  expect(metaOf(server.received.at(-1)!)[CAPABILITIES]).toMatchObject({ elicitation: { form: {} } });
  expect(metaOf(server.received.at(-1)!)[CAPABILITIES]).not.toHaveProperty('roots');
});

test('callers with other capabilities are asked in parallel, each inside its own answer', async () => {
  const server = await openServer((visit, response) => {
    const { message } = visit;
    const params = (message['params'] ?? {}) as JsonObject;
    if (message['method'] === 'server/discover') sendJson(response, httpResult(visit, discovered));
    else if (params['inputResponses'] === undefined) {
      const { roots } = metaOf({ params })[CAPABILITIES] as JsonObject;
      const inputRequests = { k: roots === undefined ? asking : { method: 'roots/list' } };
      sendJson(
        response,
        httpResult(visit, { resultType: 'input_required', requestState: String(params['name']), inputRequests }),
      );
    } else {
      const said = { state: params['requestState'], told: (params['inputResponses'] as JsonObject)['k'] };
      sendJson(response, httpResult(visit, saying(JSON.stringify(said)) as JsonObject));
    }
  });
  const forms = testCaller('forms', { capabilities: { elicitation: { form: {} } } });
  const roots = testCaller('roots', { capabilities: { roots: {} } });
  await using connection = await meetOverHttp(server.url);
  const callers = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? forms : roots));
  const answers = await Promise.all(callers.map((caller, index) => call(connection, caller, `call-${index}`)));
  expect(answers.map((answer) => JSON.parse(answer) as unknown)).toEqual(
    callers.map((caller, index) => ({
      state: `call-${index}`,
      told: caller === forms ? acceptedBy(forms) : { roots: roots.roots },
    })),
  );
  expect(new Set(forms.asked)).toEqual(new Set(['x elicitation/create']));
  expect(new Set(roots.asked)).toEqual(new Set(['x roots/list']));
});

test('a caller is not asked for what it has not declared, though another one has', async () => {
  const server = modernServer(() => ({ resultType: 'input_required', inputRequests: { k: asking } }));
  const ann = testCaller('ann');
  const ben = testCaller('ben', { capabilities: { roots: {} } });
  const handlers = { 'elicitation/create': () => ({ action: 'accept' }) };
  await using connection = await meet({ server }, { capabilities: { elicitation: {} }, handlers, opener: ann });
  await expect(call(connection, ben)).rejects.toMatchObject({ code: 'unsupported' });
  expect([ann.asked, ben.asked]).toEqual([[], []]);
});

test('one caller with many questions open does not keep another from being asked', async () => {
  const inputRequests = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, asking]));
  const server = modernServer(({ params }) =>
    params['inputResponses'] === undefined ? { resultType: 'input_required', inputRequests } : saying('done'),
  );
  const answers: ((answer: object) => void)[] = [];
  const slow = testCaller('slow', { answer: () => new Promise((resolve) => void answers.push(resolve)) });
  await using connection = await meet({ server });
  const waiting = call(connection, slow);
  await expect.poll(() => answers.length).toBe(20);
  await expect(call(connection, slow)).rejects.toMatchObject({
    code: 'input-failed',
    message: /more than 20 questions/u,
  });
  expect(await call(connection, testCaller('quick'))).toBe('done');
  for (const answer of answers) answer({ action: 'cancel' });
  expect(await waiting).toBe('done');
});

test('a task that asks is answered by whoever began it', async () => {
  const states = new Map<unknown, object>();
  const server = modernServer(({ method, params }) => {
    const { taskId, name } = params;
    if (method === 'tools/call') return { resultType: 'task', taskId: name, status: 'working', pollIntervalMs: 50 };
    if (method === 'tasks/update') states.set(taskId, params['inputResponses'] as object);
    if (method !== 'tasks/get') return { resultType: 'complete' };
    const told = states.get(taskId);
    return told
      ? { taskId, status: 'completed', result: saying(JSON.stringify(told)) }
      : { taskId, status: 'input_required', inputRequests: { k: asking }, pollIntervalMs: 50 };
  });
  const callers = [testCaller('ann'), testCaller('ben')];
  await using connection = await meet({ server });
  const answers = await Promise.all(callers.map((caller) => call(connection, caller, caller.principal)));
  expect(answers.map((answer) => JSON.parse(answer) as unknown)).toEqual(
    callers.map((caller) => ({ k: acceptedBy(caller) })),
  );
  for (const { method, params } of server.received.filter(({ method: received }) => received.startsWith('tasks/'))) {
    expect([method, metaOf({ params })[CLIENT]]).toEqual([
      method,
      { name: `client-of-${String(params['taskId'])}`, version: '1' },
    ]);
  }
});

test.each([
  ['public', [1, 1, 1, 1, 1]],
  ['private', [1, 2, 3, 1, 2]],
  [undefined, [1, 2, 3, 1, 2]],
])('what a server calls %s is cached for all, or for one principal', async (cacheScope, expected) => {
  let reads = 0;
  const server = modernServer(({ params }) => ({
    contents: [{ uri: params['uri'], text: String(++reads) }],
    ttlMs: 60_000,
    cacheScope,
  }));
  const ann = testCaller('ann');
  await using link = await meet({ server }, { opener: ann });
  const read = async (owner: Caller | undefined): Promise<number> => {
    const { contents } = await readResource(link, 'a:b', { owner });
    return Number((contents[0] as { text: string }).text);
  };
  const owners = [ann, testCaller('ben'), testCaller('cy'), testCaller('ann'), testCaller('ben')];
  const found: number[] = [];
  for (const owner of owners) found.push(await read(owner));
  expect(found).toEqual(expected);
  // A request without an owner belongs to the caller for whom the connection was opened.
  expect(await read(undefined)).toBe(1);
});

test('log messages on the stream of a modern request are its caller’s', async () => {
  const server = await openServer((visit, response) => {
    const { message } = visit;
    if (message['method'] === 'server/discover') return sendJson(response, httpResult(visit, discovered));
    const { name } = message['params'] as JsonObject;
    const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: name } };
    startEvents(response, toSseEvent(log), toSseEvent(httpResult(visit, saying('ok') as JsonObject))).end();
    return undefined;
  });
  const callers = [testCaller('ann'), testCaller('ben')];
  await using connection = await meetOverHttp(server.url);
  await Promise.all(callers.map((caller) => call(connection, caller, caller.principal)));
  expect(callers.map(({ logs }) => logs)).toEqual(
    callers.map(({ principal }) => [{ server: 'x', level: 'error', data: principal }]),
  );
});
