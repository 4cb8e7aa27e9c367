import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { collectGarbage } from '../faults/load-figures.js';
import { envelope, initialize, post } from '../serving/http-fixture.js';
import { legacyCall, modernBody, modernHeaders } from './messages.js';
import { bytesOf, openSocket } from './raw-socket.js';
import { IS_FULL, nextTurn, openScene, type Scene } from './scene.js';

const TIMES = IS_FULL ? 10_000 : 200;
const AT_ONCE = 20;

/** What a client can do as often as it likes; nothing of it may be kept. */
const repeated: readonly (readonly [string, (scene: Scene, at: number) => Promise<unknown>])[] = [
  ['initialize, and never come back', ({ url }) => initialize(url)],
  [
    'initialize, call once, and never come back',
    async ({ url }) => {
      const headers = { 'mcp-session-id': await initialize(url) };
      return (await post(url, legacyCall(1, 'echo'), headers)).text();
    },
  ],
  [
    'be another client with each request',
    async ({ url }, at) => {
      const own = { ...envelope(), 'io.modelcontextprotocol/clientInfo': { name: `client-${at}`, version: '1' } };
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', _meta: own } };
      return (await post(url, message, headers)).text();
    },
  ],
  ['ask for another path', async ({ url }) => (await fetch(`${url}/${randomUUID()}`)).text()],
  ['have another query', async ({ url }) => initialize(`${url}?${randomUUID()}`)],
  [
    'be refused for a session that there is not',
    async ({ url }) => (await post(url, legacyCall(1, 'echo'), { 'mcp-session-id': randomUUID() })).text(),
  ],
  [
    'call and leave',
    async ({ port, endpoint }) => {
      const label = randomUUID();
      const socket = await openSocket(port);
      socket.write(bytesOf({ headers: modernHeaders('wait'), body: modernBody('wait', { arguments: { label } }) }));
      while (!endpoint.requests.some(({ params }) => (params['arguments'] as { label?: string }).label === label))
        await nextTurn();
      socket.destroy();
      while (!endpoint.aborted.includes(label)) await nextTurn();
    },
  ],
];

test.each(repeated)(`a client can ${TIMES} times %s, and nothing is kept`, async (_, once) => {
  const scene = await openScene({ onRequest: () => {} });
  const forget = (): void => {
    scene.endpoint.requests.length = 0;
    scene.endpoint.aborted.length = 0;
    scene.endpoint.clientsLeft.length = 0;
    scene.endpoint.forget();
  };
  const repeat = async (times: number): Promise<void> => {
    for (let at = 0; at < times; at += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_one, index) => once(scene, at + index)));
      forget();
    }
  };
  const heap = async (): Promise<number> => {
    await expect.poll(() => scene.serving.open).toBe(0);
    await collectGarbage();
    return process.memoryUsage().heapUsed / 1e6;
  };
  // Caches are filled, and code is compiled.
  await repeat(IS_FULL ? 5_000 : 100);
  const before = await heap();
  await repeat(TIMES);
  const grown = (await heap()) - before;
  expect(grown).toBeLessThan(5);
});
