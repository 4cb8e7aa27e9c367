import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { keeping, openAuthScene, openUnknown, signInByTool } from '../auth/auth-scene.js';
import { openProtectedServer } from '../auth/protected-server.js';
import { openStrictServer } from '../auth/strict-as.js';
import { readJson } from '../faults/journal-listen.js';
import { ModernServer } from '../faults/modern-server.js';
import { openScene, type Scene, type Watched } from './scene.js';
import { DIAGNOSED } from '../wait-limits.js';
import { SessionServer } from './session-server.js';

const HEADER = { headers: { Authorization: 'Bearer written-in-the-entry' } };

interface Told extends Watched {
  readonly notes: string[];
}

async function open(scene: Scene, url: string, more: object = HEADER): Promise<Told> {
  scene.configure({ remote: { type: 'http', url, ...more } });
  const watched = await scene.open({ watch: false, ports: { random: () => 1 } });
  const notes: string[] = [];
  watched.host.on('note', ({ kind, text }) => notes.push(`${kind}: ${text}`));
  await watched.host.settled();
  return { ...watched, notes };
}

async function calls({ host }: Told): Promise<unknown> {
  const { outcome } = await host.call({ name: 'mcp__remote__append', input: { key: 'a' } });
  return [host.server('remote')?.status, outcome];
}

const entries = [
  ['a header of its entry', HEADER],
  ['nobody signed in', {}],
  ['a headersHelper', { headersHelper: `echo '{"authorization":"Bearer printed"}'` }],
] as const;

test.each(entries.flatMap(([as, entry]) => [401, 403].map((status) => [status, as, entry] as const)))(
  'a server that answers %i to its stream, and calls as ever, is used (%s)',
  async (status, _as, entry) => {
    await using scene = openScene();
    await using server = await new SessionServer().listen();
    let streams = 0;
    server.refuse = (method) => (method === 'GET' && ++streams > 0 ? { status } : undefined);
    const told = await open(scene, server.url, entry);
    await expect
      .poll(() => told.notes, DIAGNOSED)
      .toEqual([expect.stringMatching(/^stream-off: it has no stream .*HTTP 40[13]/u)]);
    expect(await calls(told)).toEqual(['connected', 'ok']);
    // The new session requests the stream once more and is refused; no second note is reported.
    server.forget();
    expect(await calls(told)).toEqual(['connected', 'ok']);
    await expect.poll(() => streams, DIAGNOSED).toBe(2);
    expect([told.notes.length, told.changes.map(({ after }) => after)]).toEqual([1, ['pending', 'connected']]);
  },
);

test.each([
  ['DELETE', 'the end of its session', ''],
  ['notifications/initialized', 'a notification', 'oddity: it refuses notifications/initialized'],
  ['resources/list', 'a list beside the tools', ''],
  ['prompts/list', 'a list beside the tools', ''],
])('a server that refuses %s (%s) and answers calls is used', async (refused, _what, note) => {
  for (const status of [401, 403]) {
    await using scene = openScene();
    await using server = await new SessionServer().listen();
    server.capabilities = { tools: {}, resources: {}, prompts: {} };
    server.refuse = (method) => (method === refused ? { status } : undefined);
    const told = await open(scene, server.url);
    expect(await calls(told)).toEqual(['connected', 'ok']);
    expect(told.notes.join()).toContain(note);
    expect(told.changes.map(({ after }) => after)).toEqual(['pending', 'connected']);
    await told.host[Symbol.asyncDispose]();
  }
});

test.each([401, 403])(
  'a modern server that answers %i to subscriptions, and calls as ever, is used',
  async (status) => {
    await using scene = openScene();
    const server = new ModernServer();
    server.hasStream = true;
    await server.listen();
    let asked = 0;
    server.refuse = (method) => (method === 'subscriptions/listen' && ++asked > 0 ? { status } : undefined);
    const told = await open(scene, server.url);
    await expect
      .poll(() => told.notes, DIAGNOSED)
      .toEqual([expect.stringMatching(/^stream-off: it will not report changes: .*HTTP 40/u)]);
    expect(await calls(told)).toEqual(['connected', 'ok']);
    expect([asked, told.changes.map(({ after }) => after)]).toEqual([1, ['pending', 'connected']]);
    await server.die();
  },
);

test('a server that refuses a notification and everything else wants a sign-in', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  server.refuse = (method) => (method?.includes('i') === true && method !== 'initialize' ? { status: 401 } : undefined);
  const { host } = await open(scene, server.url, {});
  expect(host.server('remote')).toMatchObject({ status: 'needs-auth', error: { code: 'unauthorized' } });
});

test.each(['legacy', 'modern'] as const)(
  'a %s server that refuses all of a sudden, while nobody waits for anything, wants a sign-in',
  async (era) => {
    await using scene = openScene();
    const server = era === 'legacy' ? new SessionServer() : new ModernServer();
    server.hasStream = true;
    await server.listen();
    const told = await open(scene, server.url, {});
    expect(told.host.server('remote')?.status).toBe('connected');
    server.refuse = () => ({ status: 401 });
    server.endStreams();
    expect(await told.until(({ after }) => after === 'needs-auth')).toMatchObject({ before: 'connected' });
    await server.die();
  },
);

test('somebody who is signed in stays so, though the stream is refused with every token: it costs one refresh', async () => {
  const authority = await keeping(openStrictServer());
  const mcp = await keeping(openProtectedServer({ authority, isLegacy: true, refusesStream: true }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const watched = await openUnknown(scene);
  const notes: string[] = [];
  watched.host.on('note', ({ kind, status }) => notes.push(`${kind} ${status}`));
  await signInByTool(watched);
  await expect.poll(() => notes, DIAGNOSED).toEqual(['stream-off 401']);
  const { outcome } = await watched.host.call({ name: 'mcp__srv__append', input: { key: 'a' } });
  expect([watched.host.server('srv')?.status, outcome]).toEqual(['connected', 'ok']);
  expect([authority.tally.tokens, authority.reuses, notes.length]).toEqual([
    { authorization_code: 1, refresh_token: 1 },
    0,
    1,
  ]);
});

test.each([401, 403])(
  'an HTTP+SSE server that answers %i to a notification, and calls as ever, is used',
  async (status) => {
    await using scene = openScene();
    let stream: ServerResponse | undefined;
    const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      if (request.method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        stream.write('event: endpoint\ndata: /messages\n\n');
        return;
      }
      const { id, method = '' } = (await readJson(request)) as { id?: number; method?: string };
      response.writeHead(id === undefined ? status : 202).end();
      const result = SSE_RESULTS[method] ?? {};
      if (id !== undefined) stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    };
    const server = createServer((request, response) => void take(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => server.close().closeAllConnections());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`;
    const told = await open(scene, url, { ...HEADER, type: 'sse' });
    expect(await calls(told)).toEqual(['connected', 'ok']);
    expect(told.notes).toEqual([expect.stringContaining('oddity: it refuses notifications/initialized')]);
  },
);

const SSE_RESULTS: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'append', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
};
