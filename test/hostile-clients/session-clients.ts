import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../src/base/json.js';
import { envelope, eventsOf, initialize, messagesOf, post, serve } from '../serving/http-fixture.js';
import type { Message } from '../serving/message.js';
import { legacyCall, modernBody, modernHeaders, ping } from './messages.js';
import { bytesOf, openSocket, statusOf } from './raw-socket.js';
import { type HostileClient, IS_FULL, nextTurn, type Scene } from './scene.js';

/** What a request with this session id is answered with. */
function session(
  does: string,
  status: number,
  idOf: (scene: Scene, own: string) => Promise<readonly string[]>,
): HostileClient {
  return {
    does,
    sees: status,
    attack: async (scene) => {
      const own = await initialize(scene.url);
      const ids = await idOf(scene, own);
      return statusOf(scene.port, { headers: ids.map((id) => `Mcp-Session-Id: ${id}`), body: ping() });
    },
  };
}

/** What a message in a session of this revision is answered with: the status, and the codes of errors. */
function message(does: string, sees: unknown, body: unknown, revision = '2025-11-25'): HostileClient {
  return {
    does,
    sees,
    attack: async ({ url }) => {
      const headers = { 'mcp-session-id': await initialize(url, revision) };
      const answer = await post(url, body, headers);
      const text = await answer.text();
      if (text === '') return answer.status;
      const found = JSON.parse(text) as Message | Message[];
      const codes = [found].flat().map(({ error }) => error?.code);
      return [answer.status, ...new Set(codes)];
    },
  };
}

const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
const INVALID = -32600;

/** A stream by GET, with its answer once the head has come. */
function listen(url: string, id: string, more: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    headers: { 'mcp-session-id': id, accept: 'text/event-stream', ...more },
    ...(signal && { signal }),
  });
}

/** Clients of the legacy era that take sessions, streams and batches for something else. */
export const sessionClients: readonly HostileClient[] = [
  session('cuts its session id', 404, async (_, own) => [own.slice(0, -5)]),
  session('lengthens its session id', 404, async (_, own) => [`${own}A`]),
  session('flips a bit of its session id', 404, async (_, own) => [
    own.slice(0, 50) + (own[50] === 'A' ? 'B' : 'A') + own.slice(51),
  ]),
  session('writes a session id with padding', 404, async (_, own) => [`${own}=`]),
  session('sends its session id twice', 404, async (_, own) => [own, own]),
  session('sends a session id of 15 KB', 404, async () => ['A'.repeat(15_000)]),
  session('sends a session id of a megabyte', 431, async () => ['A'.repeat(1_000_000)]),
  session('has the session id of another gateway', 404, async () => [
    await initialize((await serve({ secret: randomBytes(32) })).url),
  ]),
  session('has the session id of another path', 404, async ({ url }) => [await initialize(`${url}?tools=search`)]),
  {
    does: 'uses the session of another user',
    sees: [404, 404, 404],
    attack: async ({ url }) => {
      const headers = { 'mcp-session-id': await initialize(url), 'x-user': 'you' };
      const answers = [
        await post(url, legacyCall(1, 'echo'), headers),
        await fetch(url, { method: 'DELETE', headers }),
        await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } }),
      ];
      return answers.map(({ status }) => status);
    },
  },
  {
    does: 'sends a session id that is none with a modern request',
    sees: 200,
    attack: ({ port }) =>
      statusOf(port, { headers: [...modernHeaders('echo'), 'Mcp-Session-Id: nonsense'], body: modernBody('echo') }),
  },
  {
    does: 'ends its session twice, and goes on',
    sees: [204, 404, 404, 404],
    attack: async ({ url }) => {
      const headers = { 'mcp-session-id': await initialize(url) };
      const statuses = [];
      for (let at = 0; at < 2; at++) statuses.push((await fetch(url, { method: 'DELETE', headers })).status);
      statuses.push((await post(url, legacyCall(1, 'echo'), headers)).status);
      statuses.push((await listen(url, headers['mcp-session-id'])).status);
      return statuses;
    },
  },
  {
    does: 'ends its session while calls run and streams are open',
    sees: [202, 202, 202, 'ended'],
    attack: async ({ url, endpoint }) => {
      const headers = { 'mcp-session-id': await initialize(url) };
      const calls = [1, 2, 3].map((id) => post(url, legacyCall(id, 'wait', { label: `d${id}` }), headers));
      const stream = await listen(url, headers['mcp-session-id']);
      while (endpoint.requests.filter(({ params }) => params['name'] === 'wait').length < 3) await nextTurn();
      await fetch(url, { method: 'DELETE', headers });
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      await messagesOf(stream);
      return [...statuses, endpoint.aborted.length === 3 ? 'ended' : endpoint.aborted];
    },
  },
  message('sends initialize in a session', [200, undefined], {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {},
  }),
  {
    does: 'opens sessions and leaves',
    sees: 0,
    attack: async ({ url, serving }) => {
      for (let at = 0; at < (IS_FULL ? 500 : 25); at++)
        await Promise.all(Array.from({ length: 20 }, () => initialize(url)));
      return serving.open;
    },
  },
  {
    does: 'says of itself more than fits into a session id',
    sees: [true, 200],
    attack: async ({ url }) => {
      const flag = { x: '\u{1F980}'.repeat(50) };
      const capabilities = {
        roots: { listChanged: flag },
        sampling: { tools: flag, context: flag },
        elicitation: { form: flag, url: flag },
        tasks: { list: flag, cancel: flag, requests: flag },
        extensions: Object.fromEntries(
          Array.from({ length: 30 }, (_, at) => [`a.b/${at}`, { y: '\u{1F980}'.repeat(5) }]),
        ),
        ...Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`unknown-${at}`, {}])),
      };
      const clientInfo = { name: '\u0001'.repeat(10_000), version: '\u{1F980}'.repeat(10_000) };
      const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
      const long = `${url}?x=${'y'.repeat(8_000)}`;
      const answer = await post(long, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
      const id = answer.headers.get('mcp-session-id')!;
      const used = await post(long, legacyCall(1, 'echo'), { 'mcp-session-id': id });
      return [id.length <= 1_024, used.status];
    },
  },
  {
    does: 'comes back for events that it never had',
    sees: [404, 404, 404, 404, 404],
    attack: async ({ url }) => {
      const [own, other] = [await initialize(url), await initialize(url)];
      const abort = new AbortController();
      const { value } = await eventsOf(await listen(url, own, {}, abort.signal)).next();
      const known = value!.id!;
      const wanted = ['x', known.replace(/-.*/u, '-99'), known.replace(/^./u, 'z'), 'A'.repeat(10_000)];
      const statuses = [];
      for (const last of wanted) statuses.push((await listen(url, own, { 'last-event-id': last })).status);
      statuses.push((await listen(url, other, { 'last-event-id': known })).status);
      abort.abort();
      return statuses;
    },
  },
  {
    does: 'resumes one stream twice',
    sees: 'the first has ended',
    attack: async ({ url, endpoint }) => {
      const id = await initialize(url);
      const abort = new AbortController();
      const first = await listen(url, id, {}, abort.signal);
      const events = eventsOf(first);
      const { value } = await events.next();
      const second = await listen(url, id, { 'last-event-id': value!.id! }, abort.signal);
      for await (const event of events) void event;
      endpoint.watches[0]!.tell('notifications/tools/list_changed');
      for await (const { data } of eventsOf(second)) if (data) break;
      abort.abort();
      return 'the first has ended';
    },
  },
  {
    does: 'opens streams all the time in one session',
    sees: [16, 1],
    attack: async ({ url, serving, endpoint }) => {
      const id = await initialize(url);
      const abort = new AbortController();
      for (let at = 0; at < (IS_FULL ? 1_000 : 100); at++) await listen(url, id, {}, abort.signal);
      while (serving.open > 16) await nextTurn();
      const found = [serving.open, endpoint.watches.length];
      abort.abort();
      return found;
    },
  },
  {
    does: 'subscribes to resources without end',
    sees: [32, -32000],
    attack: async ({ url }) => {
      const headers = { 'mcp-session-id': await initialize(url) };
      for (let taken = 0; ; taken++) {
        const params = { uri: `${taken}:${'x'.repeat(7_900)}` };
        const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params }, headers);
        const { error } = (await answer.json()) as Message;
        if (error) return [taken, error.code];
      }
    },
  },
  {
    does: 'begins calls and leaves, again and again',
    sees: 500,
    attack: async ({ port, url, endpoint }) => {
      const id = await initialize(url);
      const calls = 520;
      for (let at = 0; at < calls; at++) {
        const socket = await openSocket(port);
        const body = JSON.stringify(legacyCall(1, 'wait', { label: String(at) }));
        socket.write(bytesOf({ headers: [`Mcp-Session-Id: ${id}`], body }));
        while (!endpoint.requests.some(({ params }) => (params['arguments'] as JsonObject)['label'] === String(at)))
          await nextTurn();
        socket.destroy();
      }
      // It may come back for the last ones; the others are cancelled, though all have one id.
      while (endpoint.aborted.length < calls - 500) await nextTurn();
      const aborted = endpoint.aborted.length;
      await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': id } });
      return calls - aborted;
    },
  },
  message('unsubscribes from what it never had', [200, undefined], {
    jsonrpc: '2.0',
    id: 1,
    method: 'resources/unsubscribe',
    params: { uri: 'a:b' },
  }),
  message('subscribes to no URI', [200, -32602], {
    jsonrpc: '2.0',
    id: 1,
    method: 'resources/subscribe',
    params: { uri: ['a'] },
  }),
  message('wants a log level that there is not', [200, -32602], {
    jsonrpc: '2.0',
    id: 1,
    method: 'logging/setLevel',
    params: { level: '__proto__' },
  }),
  message('calls a method of another revision', [200, -32601], { jsonrpc: '2.0', id: 1, method: 'tasks/update' }),
  message('calls a method named as a property', [200, -32601], { jsonrpc: '2.0', id: 1, method: 'constructor' }),
  message('sends a batch where there are none', [400, INVALID], [notification]),
  message('sends an empty batch', [400, INVALID], [], '2025-03-26'),
  message(
    'sends a batch of 101',
    [400, INVALID],
    Array.from({ length: 101 }, () => notification),
    '2025-03-26',
  ),
  message('sends batches in a batch', [200, INVALID], [[notification], [[notification]], 1, null, 'x'], '2025-03-26'),
  message('sends a batch of notifications', 202, [notification, notification], '2025-03-26'),
  message('sends a batch of responses to nothing', 202, [{ jsonrpc: '2.0', id: 1, result: {} }], '2025-03-26'),
  message(
    'initializes in a batch',
    [200, INVALID],
    [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }],
    '2025-03-26',
  ),
  message('answers what nobody asked', 202, { jsonrpc: '2.0', id: 'x', result: {} }),
  message('answers without an id', [400, INVALID], { jsonrpc: '2.0', id: null, result: {} }),
  message('cancels what does not run', 202, notification),
  message('cancels with an id that is none', 202, { ...notification, params: { requestId: { a: 1 } } }),
  {
    does: 'forgets its envelope',
    sees: [400, -32602],
    attack: async ({ url }) => {
      const answer = await post(url, legacyCall(1, 'echo'), { 'mcp-protocol-version': '2026-07-28' });
      return [answer.status, ((await answer.json()) as Message).error.code];
    },
  },
  {
    does: 'answers the question of another client, and its own twice',
    sees: ['{"action":"accept","content":{"n":1}}', 'refused'],
    attack: async ({ url }) => {
      const [own, other] = [await initialize(url), await initialize(url)];
      const asked = async (
        id: string,
        answers: (question: unknown) => Promise<unknown>,
      ): Promise<Message | undefined> => {
        let last: Message | undefined;
        for await (const { data } of eventsOf(await post(url, legacyCall(1, 'ask'), { 'mcp-session-id': id }))) {
          if (!data) continue;
          last = data;
          if (data.method === 'elicitation/create') await answers(data.id);
        }
        return last;
      };
      const reply = (id: string, question: unknown, result: unknown): Promise<Response> =>
        post(url, { jsonrpc: '2.0', id: question, result }, { 'mcp-session-id': id });
      const first = await asked(own, async (question) => {
        await reply(other, question, { action: 'accept', content: { n: 'stolen' } });
        await reply(own, question, { action: 'accept', content: { n: 1 } });
        await reply(own, question, { action: 'accept', content: { n: 2 } });
      });
      const second = await asked(own, (question) => reply(own, question, ['accept']));
      return [first?.result.content[0]!.text, second?.error ? 'refused' : second];
    },
  },
  {
    does: 'posts to the connection of another client of 2024',
    sees: [404, 404, 404],
    attack: async ({ url, port }) => {
      const stream = await fetch(url.replace('/mcp', '/sse'), { headers: { accept: 'text/event-stream' } });
      const reader = stream.body!.getReader();
      const text = new TextDecoder().decode((await reader.read()).value);
      const path = /data: (.*)/u.exec(text)![1]!;
      const messages = `http://127.0.0.1:${port}${path}`;
      const statuses = [(await post(messages, notification, { 'x-user': 'you' })).status];
      statuses.push((await post(messages.replace(/session=.*/u, 'session=__proto__'), notification)).status);
      await reader.cancel();
      let gone = await post(messages, notification);
      while (gone.status === 202) gone = await post(messages, notification);
      return [...statuses, gone.status];
    },
  },
  {
    does: 'of 2024 initializes and leaves before it is answered',
    sees: 0,
    attack: async ({ url, endpoint, port, serving }) => {
      let go!: () => void;
      endpoint.describing = new Promise((resolve) => (go = resolve));
      const abort = new AbortController();
      const stream = await fetch(url.replace('/mcp', '/sse'), { signal: abort.signal });
      const reader = stream.body!.getReader();
      const path = /data: (.*)/u.exec(new TextDecoder().decode((await reader.read()).value))![1]!;
      const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      await post(`http://127.0.0.1:${port}${path}`, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
      abort.abort();
      while (serving.open > 0) await nextTurn();
      go();
      await nextTurn();
      return endpoint.watches.length;
    },
  },
  {
    does: 'says in its envelope that it is nobody',
    sees: [200, 200, 200],
    attack: async ({ url }) => {
      const statuses = [];
      for (const info of [null, 'x', { name: { a: 1 }, version: [], __proto__: null }]) {
        const meta: JsonObject = { ...envelope(), 'io.modelcontextprotocol/clientInfo': info };
        const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
        const answer = await post(url, { ...legacyCall(1, 'echo'), params: { name: 'echo', _meta: meta } }, headers);
        statuses.push(answer.status);
      }
      return statuses;
    },
  },
];
