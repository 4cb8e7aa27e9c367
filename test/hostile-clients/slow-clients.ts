import type { Socket } from 'node:net';
import { envelope, initialize } from '../serving/http-fixture.js';
import { legacyCall, modernBody, modernHeaders } from './messages.js';
import { bytesOf, openSocket, type RawRequest } from './raw-socket.js';
import { type HostileClient, IS_FULL, nextTurn, type Scene } from './scene.js';

const COUNT = IS_FULL ? 1_000 : 200;
const SLOW = 'X-Request-Id: slow';

/** A client that sends a request, and reads nothing of what it is answered with. It has to be cut. */
function unread(
  does: string,
  request: RawRequest | ((scene: Scene) => RawRequest | Promise<RawRequest>),
  meanwhile: (scene: Scene) => void = () => {},
): HostileClient {
  return {
    does: `reads nothing of ${does}`,
    sees: 'cut',
    attack: async (scene) => {
      const { headers = [], ...rest } = typeof request === 'function' ? await request(scene) : request;
      const socket = await openSocket(scene.port);
      socket.pause();
      socket.write(bytesOf({ ...rest, headers: [...headers, SLOW] }));
      while (!scene.handled.some(({ requestId }) => requestId === 'slow')) {
        meanwhile(scene);
        await nextTurn();
      }
      socket.destroy();
      return 'cut';
    },
  };
}

/** Many connections on which a request never becomes whole. */
function drip(does: string, bytes: Buffer): HostileClient {
  return {
    does: `${does}, on ${COUNT} connections`,
    sees: COUNT,
    attack: async ({ port }) => {
      const sockets: Socket[] = [];
      for (let at = 0; at < COUNT; at++) sockets.push(await openSocket(port));
      for (let at = 0; at < 20; at++) {
        for (const socket of sockets) socket.write(bytes.subarray(at, at + 1));
        await nextTurn();
      }
      const open = sockets.filter(({ destroyed }) => !destroyed).length;
      for (const socket of sockets) socket.destroy();
      return open;
    },
  };
}

const flooded = ({ endpoint }: Scene): void => {
  for (let at = 0; at < 1_000; at++)
    for (const { tell } of endpoint.watches) tell('notifications/resources/list_changed');
};
const sessionOf = async ({ url }: Scene): Promise<string> => `Mcp-Session-Id: ${await initialize(url)}`;
const wanted = { notifications: { resourcesListChanged: true }, _meta: envelope() };
const head = bytesOf({ headers: ['Content-Length: 1000', ...modernHeaders('echo')] });

/** Clients that read or write slower than anybody can wait for. */
export const slowClients: readonly HostileClient[] = [
  unread('a result of 10 MB', { headers: modernHeaders('large'), body: modernBody('large') }),
  unread('a result of 10 MB on an event stream', {
    headers: [...modernHeaders('large'), 'Accept: text/event-stream'],
    body: modernBody('large'),
  }),
  unread('a result of 10 MB in a session', async (scene) => ({
    headers: [await sessionOf(scene)],
    body: JSON.stringify(legacyCall(1, 'large')),
  })),
  unread('progress without end', {
    headers: modernHeaders('progress-flood'),
    body: modernBody('progress-flood', { meta: { progressToken: 1 } }),
  }),
  unread(
    'the changes of its session',
    async (scene) => ({ method: 'GET', headers: [await sessionOf(scene)] }),
    flooded,
  ),
  unread(
    'the changes that it listens to',
    {
      headers: ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: subscriptions/listen'],
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: wanted }),
    },
    flooded,
  ),
  drip('sends its head byte by byte', head),
  drip('sends nothing', Buffer.alloc(0)),
  {
    does: `sends its body byte by byte, on ${COUNT} connections`,
    sees: COUNT,
    attack: async ({ port }) => {
      const sockets: Socket[] = [];
      for (let at = 0; at < COUNT; at++) sockets.push(await openSocket(port));
      for (const socket of sockets) socket.write(head);
      for (let at = 0; at < 20; at++) {
        for (const socket of sockets) socket.write('x');
        await nextTurn();
      }
      const open = sockets.filter(({ destroyed }) => !destroyed).length;
      for (const socket of sockets) socket.destroy();
      return open;
    },
  },
  {
    does: 'opens event streams of 2024 and leaves',
    sees: 0,
    attack: async ({ port, serving, endpoint }) => {
      for (let at = 0; at < COUNT; at++) {
        const socket = await openSocket(port);
        socket.write(bytesOf({ method: 'GET', target: '/sse', headers: ['Accept: text/event-stream'] }));
        if (at % 2 === 0) await nextTurn();
        socket.destroy();
      }
      while (serving.open > 0) await nextTurn();
      return endpoint.watches.length;
    },
  },
];
