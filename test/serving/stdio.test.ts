import { PassThrough } from 'node:stream';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/edge/clock.js';
import { ParkedCalls } from '../../src/serving/modern/parked-calls.js';
import { RequestStates } from '../../src/serving/modern/request-state.js';
import { Seals } from '../../src/serving/seal.js';
import { serveOverStdio, type StdioServing } from '../../src/serving/stdio/serve-over-stdio.js';
import type { JsonObject } from '../../src/base/json.js';
import { TestEndpoint } from './endpoint-fixture.js';
import type { Message } from './message.js';

interface Line {
  readonly endpoint: TestEndpoint;
  readonly serving: StdioServing;
  readonly input: PassThrough;
  readonly messages: Message[];
  readonly send: (message: unknown) => void;
  /** The message with this id, when it has come. */
  readonly answerTo: (id: unknown) => Promise<Message>;
}

function serve(): Line {
  const endpoint = new TestEndpoint();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const states = new RequestStates(new Seals([randomBytes(32)]), Date.now);
  const services = { clock: systemClock, states, parked: new ParkedCalls(), parks: true };
  const serving = serveOverStdio({ input, output, endpoint, principal: 'me', services });
  const messages: Message[] = [];
  let rest = '';
  output.on('data', (bytes: Buffer) => {
    const lines = (rest + bytes.toString()).split('\n');
    rest = lines.pop()!;
    for (const line of lines) messages.push(JSON.parse(line) as Message);
  });
  return {
    endpoint,
    serving,
    input,
    messages,
    send: (message) => void input.write(`${JSON.stringify(message)}\n`),
    answerTo: async (id) => {
      const find = (): Message | undefined => messages.find((one) => one.id === id && !('method' in one));
      await expect.poll(find).toBeDefined();
      return find()!;
    },
  };
}

function modern(capabilities: object = { elicitation: {} }): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

const call = (id: unknown, name: string, given: object = {}, more: object = {}): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given, ...more },
});
const hello = {
  protocolVersion: '2025-06-18',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'old', version: '1' },
};

test('a legacy client initializes, calls, is asked and is told of changes', async () => {
  const { send, answerTo, messages, endpoint } = serve();
  send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello });
  expect((await answerTo(0)).result).toMatchObject({ protocolVersion: '2025-06-18', instructions: 'Be kind.' });
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  send(call('a', 'ask'));
  const asked = (): Message | undefined => messages.find(({ method }) => method === 'elicitation/create');
  await expect.poll(asked).toBeDefined();
  send({ jsonrpc: '2.0', id: asked()!.id, result: { action: 'decline' } });
  expect((await answerTo('a')).result.content[0]!.text).toBe('{"action":"decline"}');
  endpoint.watches[0]!.tell('notifications/tools/list_changed');
  await expect.poll(() => messages.some(({ method }) => method === 'notifications/tools/list_changed')).toBe(true);
});

test('a subscription is answered when it is in place, and the earlier ones tell of changes until then', async () => {
  const { send, answerTo, messages, endpoint } = serve();
  const subscribe = (id: number, uri: string): void =>
    send({ jsonrpc: '2.0', id, method: 'resources/subscribe', params: { uri } });
  send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello });
  await answerTo(0);
  subscribe(1, 'a://1');
  await answerTo(1);
  let place: (() => void) | undefined;
  endpoint.placed = new Promise((resolve) => (place = resolve));
  subscribe(2, 'a://2');
  subscribe(3, 'a://3');
  send({ jsonrpc: '2.0', id: 4, method: 'ping' });
  await answerTo(4);
  // The one that tells, and the newest: what it replaces will never be in place.
  expect(endpoint.watches.map(({ wanted }) => wanted.uris)).toEqual([['a://1'], ['a://1', 'a://2', 'a://3']]);
  for (const { tell } of endpoint.watches) tell('notifications/resources/updated');
  expect(messages.filter(({ id }) => id === 2 || id === 3)).toEqual([]);
  place?.();
  await Promise.all([answerTo(2), answerTo(3)]);
  expect(endpoint.watches.map(({ wanted }) => wanted.uris)).toEqual([['a://1', 'a://2', 'a://3']]);
  endpoint.watches[0]!.tell('notifications/resources/updated');
  const told = (): number => messages.filter(({ method }) => method === 'notifications/resources/updated').length;
  await expect.poll(told).toBe(2);
});

test('a client may probe with server/discover and then initialize', async () => {
  const { send, answerTo } = serve();
  send({ jsonrpc: '2.0', id: 'probe', method: 'server/discover', params: { _meta: modern() } });
  expect((await answerTo('probe')).result.supportedVersions).toContain('2026-07-28');
  send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
  expect((await answerTo(1)).result.protocolVersion).toBe('2025-06-18');
});

test('a modern client cancels by a notification, and calls again to answer a question', async () => {
  const { send, answerTo, endpoint } = serve();
  send(call(1, 'wait', { label: 'w' }, { _meta: modern() }));
  await expect.poll(() => endpoint.requests.length).toBe(1);
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await expect.poll(() => endpoint.aborted).toEqual(['w']);
  send(call(2, 'ask', {}, { _meta: modern() }));
  const { result } = await answerTo(2);
  const inputResponses = { q1: { action: 'accept', content: { x: 1 } } };
  send(call(3, 'ask', {}, { _meta: modern(), requestState: result.requestState, inputResponses }));
  expect((await answerTo(3)).result.content[0]!.text).toBe('{"action":"accept","content":{"x":1}}');
});

test.each([
  ['no JSON', 'hello', -32700],
  ['a request before initialize', JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/list' }), -32600],
  ['a batch of a client that has none', '[]', -32600],
  ['an id that would be rounded', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600],
])('a client that writes %s is told so, and can go on', async (_, line, code) => {
  const { input, messages, send, answerTo } = serve();
  input.write(`${line}\n`);
  await expect.poll(() => messages[0]?.error?.code).toBe(code);
  send({ jsonrpc: '2.0', id: 'p', method: 'ping' });
  expect((await answerTo('p')).result).toEqual({});
});

test('a client that closes stdin has its calls cancelled, and the serving ends', async () => {
  const { send, input, endpoint, serving, answerTo } = serve();
  send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello });
  await answerTo(0);
  send(call('w', 'wait', { label: 'w' }));
  await expect.poll(() => endpoint.requests.length).toBe(1);
  input.end();
  await serving.ended;
  expect(endpoint.aborted).toEqual(['w']);
  expect(endpoint.clientsLeft.length).toBe(1);
});

test('a shell that writes one request and closes still gets the answer', async () => {
  const { input, serving, messages } = serve();
  input.end(`${JSON.stringify(call('e', 'echo', { a: 1 }, { _meta: modern() }))}\n`);
  await serving.ended;
  expect(messages).toMatchObject([{ id: 'e', result: { content: [{ text: '{"a":1}' }] } }]);
});
