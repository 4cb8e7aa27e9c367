import type { JsonObject } from '../../src/base/json.js';
import { envelope, messagesOf, modern, post, serve } from '../serving/http-fixture.js';
import type { Message } from '../serving/message.js';
import type { HostileClient, Scene } from './scene.js';

interface Parked {
  readonly requestState: string;
  readonly inputResponses: JsonObject;
}

/** A call that waits for an answer, and what the retry that answers it has. */
async function park(url: string, name = 'ask'): Promise<Parked> {
  const { result } = (await (await modern(url, 1, name)).json()) as Message;
  const answers = Object.keys(result.inputRequests).map((key) => [key, { action: 'decline' }] as const);
  return { requestState: result.requestState, inputResponses: Object.fromEntries(answers) };
}

/** The reason why the retry of a parked call is refused; then the rightful one is answered all the same. */
function refused(
  does: string,
  reason: string,
  retry: (parked: Parked, scene: Scene) => Promise<Response>,
): HostileClient {
  return {
    does,
    sees: [reason, '{"action":"decline"}'],
    attack: async (scene) => {
      const parked = await park(scene.url);
      const { error } = (await (await retry(parked, scene)).json()) as Message;
      const rightful = (await (await modern(scene.url, 3, 'ask', { ...parked })).json()) as Message;
      return [error.data['reason'], rightful.result.content[0]!.text];
    },
  };
}

const flipped = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

/** Clients that take the states of calls for something that they can make, change or share. */
export const stateClients: readonly HostileClient[] = [
  refused('cuts a state', 'invalid', (parked, { url }) =>
    modern(url, 2, 'ask', { ...parked, requestState: parked.requestState.slice(0, -1) }),
  ),
  refused('flips a bit of a state', 'invalid', (parked, { url }) =>
    modern(url, 2, 'ask', { ...parked, requestState: flipped(parked.requestState, 60) }),
  ),
  refused('sends a state of a megabyte', 'invalid', (parked, { url }) =>
    modern(url, 2, 'ask', { ...parked, requestState: 'A'.repeat(1_000_000) }),
  ),
  refused('sends a number as the state', 'invalid', (parked, { url }) =>
    modern(url, 2, 'ask', { ...parked, requestState: 1 }),
  ),
  refused('sends a session id as the state', 'invalid', async (parked, { url }) => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    return modern(url, 2, 'ask', { ...parked, requestState: answer.headers.get('mcp-session-id')! });
  }),
  refused('changes the arguments', 'changed', (parked, { url }) =>
    modern(url, 2, 'ask', { ...parked, arguments: { more: 1 } }),
  ),
  refused('changes the tool', 'changed', (parked, { url }) => modern(url, 2, 'echo', { ...parked })),
  refused('adds a parameter named __proto__', 'changed', (parked, { url }) =>
    modern(url, 2, 'ask', { ...parked, ...(JSON.parse('{"x":{"__proto__":1}}') as JsonObject) }),
  ),
  refused('uses a state at another path', 'changed', (parked, { url }) =>
    modern(`${url}?tools=search`, 2, 'ask', { ...parked }),
  ),
  refused('uses the state of another user', 'foreign', (parked, { url }) => {
    const params = { name: 'ask', arguments: {}, ...parked, _meta: envelope({ elicitation: {}, roots: {} }) };
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'ask',
      'x-user': 'you',
    };
    return post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
  }),
  refused('uses the state of another gateway', 'invalid', async (parked, { url }) => {
    const other = await serve();
    return modern(url, 2, 'ask', { ...parked, ...(await park(other.url)) });
  }),
  {
    does: 'sends one answer fifty times at once',
    sees: [1, 49],
    attack: async ({ url }) => {
      const parked = await park(url);
      const answers = await Promise.all(
        Array.from(
          { length: 50 },
          async (_, id) => (await (await modern(url, id, 'ask', { ...parked })).json()) as Message,
        ),
      );
      const reasons = answers.filter(({ error }) => error?.data['reason'] === 'used');
      return [answers.filter(({ result }) => result?.content !== undefined).length, reasons.length];
    },
  },
  {
    does: 'answers with what is no answer, and is asked again each time',
    sees: ['input_required', '{"action":"accept"}'],
    attack: async ({ url }) => {
      let { requestState } = await park(url);
      let kind = '';
      const wrong: readonly unknown[] = [
        undefined,
        null,
        [],
        'x',
        {},
        { q1: 'yes' },
        { q1: [] },
        { q2: {} },
        JSON.parse('{"__proto__":{"q1":{}}}'),
      ];
      for (const inputResponses of wrong) {
        const { result } = (await (await modern(url, 1, 'ask', { requestState, inputResponses })).json()) as Message;
        ({ requestState, resultType: kind } = result);
      }
      const inputResponses = { q1: { action: 'accept' } };
      const { result } = (await (await modern(url, 1, 'ask', { requestState, inputResponses })).json()) as Message;
      return [kind, result.content[0]!.text];
    },
  },
  {
    does: 'parks more calls than it may',
    sees: [100, 'ended'],
    attack: async ({ url }) => {
      const answers = await Promise.all(
        Array.from({ length: 110 }, async (_, id) => (await (await modern(url, id, 'ask')).json()) as Message),
      );
      const parked = answers.filter(({ result }) => result?.resultType === 'input_required');
      // Others are not kept from it.
      const params = { name: 'ask', arguments: {}, _meta: envelope({ elicitation: {} }) };
      const headers = {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'ask',
        'x-user': 'you',
      };
      const other = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
      const { result } = (await other.json()) as Message;
      return [parked.length, result.resultType === 'input_required' ? 'ended' : result];
    },
  },
  {
    does: 'answers a question that nobody asked, without a state',
    sees: 'input_required',
    attack: async ({ url }) => {
      const inputResponses = { q1: { action: 'accept' }, constructor: {} };
      return ((await (await modern(url, 1, 'ask', { inputResponses })).json()) as Message).result.resultType;
    },
  },
  {
    does: 'leaves with its retry',
    sees: ['used', 0],
    attack: async ({ url, endpoint }) => {
      const parked = await park(url);
      const abort = new AbortController();
      // The answer lets the call end at once, so that the retry may also have its result: both are right.
      const retry = modern(url, 2, 'ask', { ...parked }, abort.signal).catch(() => undefined);
      abort.abort();
      await retry;
      let { error } = (await (await modern(url, 3, 'ask', { ...parked })).json()) as Message;
      while (error?.data['reason'] !== 'used' && error === undefined) {
        ({ error } = (await (await modern(url, 3, 'ask', { ...parked })).json()) as Message);
      }
      return [error?.data['reason'], endpoint.unsettled.size];
    },
  },
  {
    does: 'listens, and takes no event stream',
    sees: 406,
    attack: async ({ url }) => {
      const headers = {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
        accept: 'application/json',
      };
      const params = { notifications: { toolsListChanged: true }, _meta: envelope() };
      return (await post(url, { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }, headers)).status;
    },
  },
  {
    does: 'answers without the token and the level of its call',
    sees: [undefined, ['notifications/progress', 'notifications/message', undefined]],
    attack: async ({ url }) => {
      const told = { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' };
      const ends = [];
      for (const retry of [{}, told]) {
        const first = (await (await modern(url, 1, 'ask-and-report', { _meta: told })).json()) as Message;
        const { requestState } = first.result;
        const inputResponses = { q1: { action: 'decline' } };
        const answer = await modern(url, 2, 'ask-and-report', { requestState, inputResponses, _meta: retry });
        const isStream = answer.headers.get('content-type') === 'text/event-stream';
        ends.push(
          isStream ? (await messagesOf(answer)).map(({ method }) => method) : ((await answer.json()) as Message).method,
        );
      }
      return ends;
    },
  },
  ...(
    [
      ['listens to nothing', undefined],
      ['listens with a list', []],
      ['listens to 1,001 resources', { resourceSubscriptions: Array.from({ length: 1_001 }, () => 'a:b') }],
      [
        'listens to resources of a megabyte',
        { resourceSubscriptions: Array.from({ length: 200 }, () => 'x'.repeat(5_000)) },
      ],
      ['listens to numbers', { taskIds: [1] }],
    ] as const
  ).map(([does, notifications]): HostileClient => ({
    does,
    sees: -32602,
    attack: async ({ url }) => {
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
      const params = { ...(notifications && { notifications }), _meta: envelope() };
      const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }, headers);
      return ((await answer.json()) as Message).error.code;
    },
  })),
];
