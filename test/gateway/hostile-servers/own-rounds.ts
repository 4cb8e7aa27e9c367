import { isObject, type JsonObject } from '../../../src/base/json.js';
import { success } from '../../../src/testing/healthy.js';
import type { HttpHandler } from '../../../src/testing/http/http-turn.js';
import { TASKS_EXTENSION } from '../../../src/wire/eras/envelope.js';
import { briefly } from './own-messages.js';
import type { OwnAttack } from './own-scene.js';
import { newer, numbers } from './spoken.js';
import type { Outcome, WatchedClient } from './watched-client.js';

const FORM = { elicitation: { form: {} } };
const FOLLOWING = { extensions: { [TASKS_EXTENSION]: {} } };
const QUESTION = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: { type: 'object' } } };
const UNKNOWN = -32602;

const asking =
  (requestState?: string): HttpHandler =>
  ({ id, json }) =>
    json(
      success(id, {
        resultType: 'input_required',
        inputRequests: { k: QUESTION },
        ...(requestState && { requestState }),
      }),
    );

const task = (taskId: string): JsonObject => {
  const time = '2026-11-19T12:00:00Z';
  return { resultType: 'task', taskId, status: 'working', createdAt: time, lastUpdatedAt: time, ttl: null };
};

/** The first round of a call: what the server wants of the client. */
async function firstRound(client: WatchedClient): Promise<JsonObject> {
  return (await client.request('tools/call', { name: 'attack', arguments: {} })).result ?? {};
}

function answering(client: WatchedClient, name: string, requestState: unknown): Promise<Outcome> {
  const inputResponses = { k: { action: 'decline' } };
  return client.request('tools/call', { name, arguments: {}, inputResponses, requestState });
}

function askAfter(client: WatchedClient, taskId: unknown): Promise<Outcome> {
  return client.request('tasks/get', { taskId });
}

/** Servers of 2026-07-28 that answer with questions and tasks. */
export const roundAttacks: readonly OwnAttack[] = [
  {
    mode: newer('forged-states', 'gives as its state what the gateway could have made', {
      attack: asking('eyJraW5kIjoicGFya2VkIiwiY2FsbCI6Im5laWdoYm91ciJ9'),
    }),
    attack: async ({ client }) => {
      const one = await client('modern', { capabilities: FORM });
      const { requestState } = await firstRound(one);
      const changed = `${String(requestState).slice(0, -2)}AA`;
      const elsewhere = await client('modern', { capabilities: FORM, path: '/mcp/healthy' });
      return [
        requestState === 'eyJraW5kIjoicGFya2VkIiwiY2FsbCI6Im5laWdoYm91ciJ9',
        briefly(await answering(one, 'attack', changed)),
        briefly(await answering(elsewhere, 'echo', requestState)),
        (await answering(one, 'attack', requestState)).result?.['resultType'],
      ];
    },
    sees: [false, UNKNOWN, UNKNOWN, 'input_required'],
  },
  {
    mode: newer('asks-on', 'answers every answer with a question', { attack: asking() }),
    attack: async ({ client, counts }) => {
      const one = await client('legacy', { capabilities: FORM });
      const said = String(briefly(await one.call('attack', {})));
      // As many rounds as a host by itself takes part in.
      return [/^failed: .*"asks-on"/u.test(said), one.asked.length, counts()['tools/call attack']];
    },
    sees: [true, 10, 11],
  },
  {
    mode: newer('asks-both', 'asks legacy and modern clients what they have not declared', {
      attack: ({ id, json }) =>
        json(
          success(id, { resultType: 'input_required', inputRequests: { k: { method: 'roots/list' }, l: QUESTION } }),
        ),
    }),
    attack: async ({ client }) => {
      const clients = [await client('legacy', { capabilities: FORM }), await client('modern', { capabilities: FORM })];
      const ended = await Promise.all(clients.map((one) => one.call('attack', {})));
      return [
        ended.map((outcome) => /^failed: .*"asks-both"/u.test(String(briefly(outcome)))),
        clients.map(({ asked }) => asked),
      ];
    },
    sees: [
      [true, true],
      [[], []],
    ],
  },
  {
    mode: newer('stale-at-once', 'says of its list that it is stale at once', {}),
    attack: async ({ client, counts }) => {
      const clients = [await client('legacy'), await client('modern')];
      for (let round = 0; round < 50; round++) await Promise.all(clients.map((one) => one.request('tools/list')));
      return (counts()['tools/list'] ?? 0) < 20;
    },
    sees: true,
  },
  {
    mode: newer('tasks-of-others', 'gives its tasks the ids of others, and never ends them', {
      attack: ({ id, json }) => json(success(id, task('task-of-healthy'))),
      methods: {
        'tasks/get': ({ id, json }) => json(success(id, { ...task('task-of-healthy'), resultType: 'complete' })),
        'tasks/cancel': ({ id, json }) => json(success(id, { resultType: 'complete' })),
      },
    }),
    attack: async ({ client, counts }) => {
      const one = await client('modern', { capabilities: FOLLOWING });
      const handles = await Promise.all(numbers(5).map(() => firstRound(one)));
      const { taskId } = handles[0]!;
      const healthy = await client('modern', { capabilities: FOLLOWING, path: '/mcp/healthy' });
      return [
        handles.every((handle) => handle['taskId'] !== 'task-of-healthy' && handle['resultType'] === 'task'),
        (await askAfter(one, taskId)).result?.['status'],
        // Neither by its own id, nor where it is not.
        briefly(await askAfter(one, 'task-of-healthy')),
        briefly(await askAfter(healthy, taskId)),
        isObject((await one.request('tasks/cancel', { taskId })).result),
        counts()['tasks/get'],
      ];
    },
    sees: [true, 'working', UNKNOWN, UNKNOWN, true, 1],
  },
];
