import { expect, test } from 'vitest';
import type { Connection } from '../../src/connection/connect.js';
import { FakeClock, turn } from '../fake-clock.js';
import { discovered, failing, initialized, type Received, meet, modernServer, StandIn } from './stand-in.js';

const ID = 'io.modelcontextprotocol/subscriptionId';
const LISTEN = 'subscriptions/listen';

/** A server that acknowledges every subscription. */
function telling(): StandIn {
  return modernServer(({ method, id, params }, server) => {
    if (method === LISTEN) {
      const { notifications } = params;
      server.say('notifications/subscriptions/acknowledged', { _meta: { [ID]: id }, notifications });
    }
  });
}

const listens = (server: StandIn): Received[] => server.received.filter(({ method }) => method === LISTEN);

async function open(
  server: StandIn,
  clock?: FakeClock,
): Promise<{ connection: Connection; notes: [string, unknown][]; off: string[] } & AsyncDisposable> {
  const notes: [string, unknown][] = [];
  const off: string[] = [];
  const connection = await meet(
    { server, ...(clock && { clock }) },
    {
      onNotification: (method, { uri }) => void notes.push([method, uri]),
      onWarning: ({ kind, text }) => void (kind === 'stream-off' && off.push(text)),
    },
  );
  return { connection, notes, off, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() };
}

test('only what was asked for is told, and only on the stream that it was asked on', async () => {
  const server = telling();
  await using scene = await open(server);
  await scene.connection.session.watch({ lists: ['tools', 'prompts'], resources: ['file:///a', 'db://b'] });
  const { id, params } = listens(server)[0]!;
  // The server's capabilities have no prompts.
  expect(params['notifications']).toEqual({
    toolsListChanged: true,
    resourceSubscriptions: ['file:///a', 'db://b'],
  });
  const mine = { _meta: { [ID]: id } };
  server.say('notifications/tools/list_changed', { _meta: { [ID]: Number(id) + 1 } });
  server.say('notifications/tools/list_changed', {});
  server.say('notifications/tools/list_changed', { _meta: { [ID]: String(id) } });
  server.say('notifications/prompts/list_changed', mine);
  server.say('notifications/resources/list_changed', mine);
  server.say('notifications/resources/updated', { ...mine, uri: 'file:///never' });
  server.say('notifications/resources/updated', { ...mine, uri: 'file:///a' });
  server.say('notifications/resources/updated', { ...mine, uri: 'db://b/rows/1' });
  server.say('notifications/tools/list_changed', mine);
  await turn();
  expect(scene.notes).toEqual([
    ['notifications/resources/updated', 'file:///a'],
    ['notifications/resources/updated', 'db://b/rows/1'],
    ['notifications/tools/list_changed', undefined],
  ]);
});

test('nothing counts before the server has agreed', async () => {
  const server = modernServer(() => undefined);
  await using scene = await open(server);
  void scene.connection.session.watch({ lists: ['tools'] });
  await turn();
  const { id } = listens(server)[0]!;
  server.say('notifications/tools/list_changed', { _meta: { [ID]: id } });
  await turn();
  expect(scene.notes).toEqual([]);
});

test('when something else is wanted the new stream is there before the old one is closed', async () => {
  const server = telling();
  await using scene = await open(server);
  await scene.connection.session.watch({ lists: ['tools'] });
  await scene.connection.session.watch({ resources: ['a:b'] });
  await turn();
  const [first] = listens(server);
  expect(server.received.slice(1).map(({ method, params }) => [method, params['requestId']])).toEqual([
    [LISTEN, undefined],
    [LISTEN, undefined],
    ['notifications/cancelled', first!.id],
  ]);
  server.say('notifications/tools/list_changed', { _meta: { [ID]: first!.id } });
  await turn();
  expect(scene.notes).toEqual([]);
  await scene.connection.session.watch({});
  expect(scene.connection.peer.requests.size).toBe(0);
});

test.each([
  ['by an answer', (server: StandIn, id: number | undefined) => server.answer(id, { resultType: 'complete' })],
  [
    'by taking it back',
    (server: StandIn, id: number | undefined) => server.say('notifications/cancelled', { requestId: id }),
  ],
])('a stream that the server ends %s is opened again, a second later', async (_, end) => {
  const clock = new FakeClock();
  const server = telling();
  await using scene = await open(server, clock);
  await scene.connection.session.watch({ lists: ['tools'] });
  await clock.pass(20_000);
  end(server, listens(server)[0]!.id);
  await turn();
  await clock.pass(900);
  expect(listens(server)).toHaveLength(1);
  await clock.pass(200);
  expect(listens(server)).toHaveLength(2);
  server.say('notifications/tools/list_changed', { _meta: { [ID]: listens(server)[1]!.id } });
  await turn();
  expect(scene.notes).toHaveLength(1);
});

test('a stream that keeps ending at once is given up after three times, and that is told', async () => {
  const clock = new FakeClock();
  const server = modernServer(({ method }) => (method === LISTEN ? failing(-32603, 'Subscription limit reached') : {}));
  await using scene = await open(server, clock);
  await scene.connection.session.watch({ lists: ['tools'] });
  await clock.pass(600_000);
  expect(listens(server)).toHaveLength(3);
  expect(scene.off).toEqual([expect.stringContaining('Subscription limit reached')]);
});

test('a server that never agrees is not asked for ever', async () => {
  const clock = new FakeClock();
  const server = modernServer(() => undefined);
  await using scene = await open(server, clock);
  const watching = scene.connection.session.watch({ lists: ['tools'] });
  await clock.pass(600_000);
  await watching;
  expect(listens(server)).toHaveLength(3);
  expect(scene.off).toHaveLength(1);
});

test('nothing is opened for what a server cannot tell', async () => {
  const server = new StandIn(({ method }) =>
    method === 'server/discover' ? { ...discovered, capabilities: { tools: {} } } : undefined,
  );
  await using scene = await open(server);
  await scene.connection.session.watch({ lists: ['tools', 'resources'], resources: ['a:b'] });
  expect(listens(server)).toEqual([]);
});

test('of a legacy server, resources are subscribed to one by one, and others are not heard of', async () => {
  const server = new StandIn(({ method }) =>
    method === 'initialize' ? initialized : method === 'server/discover' ? failing(-32601) : {},
  );
  await using scene = await open(server);
  const { session } = scene.connection;
  await session.watch({ lists: ['tools'], resources: ['a:1', 'a:2'] });
  await session.watch({ resources: ['a:2', 'a:3'] });
  const asked = server.received.filter(({ method }) => method.startsWith('resources/'));
  expect(asked.map(({ method, params }) => [method, params['uri']])).toEqual([
    ['resources/subscribe', 'a:1'],
    ['resources/subscribe', 'a:2'],
    ['resources/subscribe', 'a:3'],
    ['resources/unsubscribe', 'a:1'],
  ]);
  for (const uri of ['a:1', 'a:3']) server.say('notifications/resources/updated', { uri });
  await turn();
  expect(scene.notes).toEqual([['notifications/resources/updated', 'a:3']]);
});

test('what was refused is asked for again when it is wanted again, and one wish does not overtake another', async () => {
  let isRefused = true;
  const server = new StandIn(({ method }) => {
    if (method === 'initialize') return initialized;
    if (method === 'server/discover') return failing(-32601);
    if (method !== 'resources/subscribe' || !isRefused) return {};
    isRefused = false;
    return failing(-32000, 'busy');
  });
  await using scene = await open(server);
  const { session } = scene.connection;
  await session.watch({ resources: ['a:1'] });
  await session.watch({ resources: ['a:1'] });
  const back = session.watch({});
  await Promise.all([back, session.watch({ resources: ['a:1'] })]);
  const asked = server.methods().filter((method) => method.startsWith('resources/'));
  expect(asked.slice(0, 2)).toEqual(['resources/subscribe', 'resources/subscribe']);
  server.say('notifications/resources/updated', { uri: 'a:1' });
  await turn();
  expect(scene.notes).toHaveLength(1);
  expect(asked.at(-1)).not.toBe('resources/unsubscribe');
});
