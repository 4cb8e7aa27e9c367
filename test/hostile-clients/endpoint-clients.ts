import { envelope, eventsOf, initialize, messagesOf, modern, post } from '../serving/http-fixture.js';
import type { Message } from '../serving/message.js';
import { legacyCall } from './messages.js';
import { type HostileClient, nextTurn, type Scene } from './scene.js';

/** What a client of each era is told when the endpoint behind does this. */
function both(does: string, tool: string, sees: unknown): HostileClient {
  return {
    does,
    sees: [sees, sees],
    attack: async ({ url }) => {
      const headers = { 'mcp-session-id': await initialize(url) };
      const answers = [await modern(url, 1, tool), await post(url, legacyCall(1, tool), headers)];
      return Promise.all(answers.map(async (answer) => briefly(await lastOf(answer))));
    },
  };
}

async function lastOf(answer: Response): Promise<Message> {
  if (answer.headers.get('content-type') !== 'text/event-stream') return (await answer.json()) as Message;
  return (await messagesOf(answer)).at(-1)!;
}

function briefly({ error, result }: Message): unknown {
  return error ? `${error.code} ${error.message}` : result.content[0]?.text;
}

/** A legacy call whose questions are all answered: how often it asked, and how it ended. */
async function answering({ url }: Scene, tool: string): Promise<[number, unknown]> {
  const headers = { 'mcp-session-id': await initialize(url) };
  let asked = 0;
  let last: Message | undefined;
  for await (const { data } of eventsOf(await post(url, legacyCall(1, tool), headers))) {
    if (!data) continue;
    last = data;
    if (data.method !== 'elicitation/create') continue;
    asked++;
    await post(url, { jsonrpc: '2.0', id: data.id, result: { action: 'decline' } }, headers);
  }
  return [asked, briefly(last!)];
}

const INTERNAL = '-32603 Internal error';

/** What stands behind the served side may be hostile as well: its client is told, and no neighbour notices. */
export const endpointClients: readonly HostileClient[] = [
  both('throws at once', 'throws', INTERNAL),
  both('fails with a secret in its error', 'rejects', INTERNAL),
  both('answers with itself', 'cyclic', INTERNAL),
  both('answers with a number that JSON has not', 'bigint', INTERNAL),
  both('answers with nothing', 'undefined', INTERNAL),
  both('fails with details that are no JSON', 'bad-details', '-32000 no'),
  both('reports and asks after the end', 'after-the-end', 'done'),
  {
    does: 'ends while it asks',
    sees: ['done', 'done'],
    attack: async (scene) => {
      const modernly = briefly(await lastOf(await modern(scene.url, 1, 'ends-while-asking')));
      const [, legacy] = await answering(scene, 'ends-while-asking');
      return [modernly, legacy];
    },
  },
  {
    does: 'asks a thousand things at once',
    sees: [100, 'input_required', 100],
    attack: async (scene) => {
      const { result } = (await (await modern(scene.url, 1, 'asks-at-once')).json()) as Message;
      const [asked] = await answering(scene, 'asks-at-once');
      return [Object.keys(result.inputRequests).length, result.resultType, asked];
    },
  },
  {
    does: 'asks ten thousand times, of a client that cannot be asked',
    sees: undefined,
    attack: async ({ url }) => {
      const headers = { 'mcp-session-id': await initialize(url, '2025-11-25', {}) };
      return briefly(await lastOf(await post(url, legacyCall(1, 'asks-on'), headers)));
    },
  },
  {
    does: 'asks what is no JSON',
    sees: 'refused',
    attack: async ({ url }) => {
      const headers = { 'mcp-session-id': await initialize(url) };
      const texts = [
        briefly(await lastOf(await modern(url, 1, 'bad-question'))),
        briefly(await lastOf(await post(url, legacyCall(1, 'bad-question'), headers))),
      ];
      return texts.every((text) => /cannot be told|circular/u.test(String(text))) ? 'refused' : texts;
    },
  },
  {
    does: 'never answers a client that leaves',
    sees: ['left'],
    attack: async ({ url, endpoint }) => {
      const abort = new AbortController();
      const call = modern(url, 1, 'wait', { arguments: { label: 'left' } }, abort.signal).catch(() => {});
      while (
        endpoint.requests.at(-1)?.params['name'] !== 'wait' &&
        !endpoint.requests.some(({ params }) => params['name'] === 'wait')
      )
        await nextTurn();
      abort.abort();
      await call;
      while (endpoint.aborted.length === 0) await nextTurn();
      // Too late: nobody is harmed.
      endpoint.release('left');
      return endpoint.aborted;
    },
  },
  {
    does: 'never says what it watches, and tells of changes all the time',
    sees: 'left',
    attack: async ({ url, endpoint }) => {
      endpoint.neverHonours = true;
      const abort = new AbortController();
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
      const params = { notifications: { toolsListChanged: true }, _meta: envelope() };
      const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params };
      const listening = post(url, message, headers, abort.signal).catch(() => {});
      while (endpoint.watches.length === 0) await nextTurn();
      for (let at = 0; at < 100_000; at++) endpoint.watches[0]!.tell('notifications/tools/list_changed');
      abort.abort();
      await listening;
      while (endpoint.watches.length > 0) await nextTurn();
      return 'left';
    },
  },
  {
    does: 'tells of a thousand changes at once',
    sees: [1_000, 1_000],
    attack: async ({ url, endpoint }) => {
      const abort = new AbortController();
      const headers = { 'mcp-session-id': await initialize(url), accept: 'text/event-stream' };
      const stream = await fetch(url, { headers, signal: abort.signal });
      const modernly = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
      const params = { notifications: { toolsListChanged: true }, _meta: envelope() };
      const message = { jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params };
      const listening = await post(url, message, modernly, abort.signal);
      for (let at = 0; at < 1_000; at++)
        for (const { tell } of endpoint.watches) tell('notifications/tools/list_changed');
      const counts = [];
      for (const one of [stream, listening]) {
        let count = 0;
        for await (const { data } of eventsOf(one)) {
          if (data?.method === 'notifications/tools/list_changed') count++;
          if (count === 1_000) break;
        }
        counts.push(count);
      }
      abort.abort();
      return counts;
    },
  },
];
