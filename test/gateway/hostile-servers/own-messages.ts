import { expect } from 'vitest';
import type { JsonObject } from '../../../src/base/json.js';
import { answer, failure, notification, request, success, tool, toolList } from '../../../src/testing/healthy.js';
import type { OwnAttack } from './own-scene.js';
import { declaring, many, numbers, onCall, resulting, sayingFirst, spoken } from './spoken.js';
import type { Outcome, WatchedClient } from './watched-client.js';

const FORM = { elicitation: { form: {} } };
const question = (at: number, more: object = {}): string =>
  request(`q${at}`, 'elicitation/create', {
    mode: 'form',
    message: `Question ${at}`,
    requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
    ...more,
  });

/** The text of a result, or the code of an error. */
export function briefly({ result, error }: Outcome): unknown {
  if (error) return error['code'];
  const [first] = (result?.['content'] ?? []) as readonly JsonObject[];
  return result?.['isError'] === true ? `failed: ${String(first?.['text'])}` : first?.['text'];
}

const changes = (client: WatchedClient, kind: string): number =>
  client.notified.filter((method) => method === `notifications/${kind}/list_changed`).length;

/** What a server says without being asked, and asks without being called. */
export const messageAttacks: readonly OwnAttack[] = [
  {
    mode: onCall(
      'foreign-progress',
      'reports progress of everybody else',
      sayingFirst(() => {
        const tokens = [...numbers(500), ...numbers(500).map((at) => `neighbour-legacy-${at}`), null, {}, '__proto__'];
        return tokens.map((progressToken) =>
          notification('notifications/progress', { progressToken, progress: 1, message: 'yours' }),
        );
      }),
    ),
    attack: async ({ client }) => {
      const one = await client('legacy');
      return [briefly(await one.call('attack', {})), one.notified];
    },
    sees: ['survived', []],
  },
  {
    mode: spoken('late-progress', 'reports progress of a call after its answer', () => {
      let token: unknown;
      return {
        attack: ({ id, params, say }) => {
          const meta = params['_meta'] as JsonObject;
          token ??= meta['progressToken'];
          const late = numbers(100).map((progress) =>
            notification('notifications/progress', { progressToken: token, progress }),
          );
          return say(answer(id), ...late);
        },
      };
    }),
    attack: async ({ client }) => {
      const one = await client('legacy');
      one.listen();
      return [briefly(await one.call('attack', {})), briefly(await one.call('echo', { text: 'x' })), one.notified];
    },
    sees: ['survived', 'x', []],
  },
  {
    mode: onCall(
      'changes-of-nothing',
      'says 10,000 times that its lists have changed, and they have not',
      sayingFirst(() =>
        numbers(many(10_000)).map((at) =>
          notification(`notifications/${['tools', 'prompts', 'resources'][at % 3]!}/list_changed`),
        ),
      ),
    ),
    attack: async ({ client, counts }) => {
      const one = await client('legacy');
      one.listen();
      const said = briefly(await one.call('attack', {}));
      const next = briefly(await one.call('echo', { text: 'x' }));
      return [said, next, one.notified, (counts()['tools/list'] ?? 0) < 20];
    },
    sees: ['survived', 'x', [], true],
  },
  {
    mode: spoken('changes-of-all', 'lists other tools each time, and says so 10,000 times', () => {
      let read = 0;
      return {
        list: ({ id, say }) => say(toolList(id, [tool(`again-${++read}`)])),
        attack: sayingFirst(() => numbers(many(10_000)).map(() => notification('notifications/tools/list_changed'))),
      };
    }),
    attack: async ({ client, counts }) => {
      const one = await client('legacy');
      await one.request('tools/list');
      one.listen();
      const said = briefly(await one.call('attack', {}));
      await expect.poll(() => changes(one, 'tools')).toBeGreaterThan(0);
      return [said, changes(one, 'tools') < 20, (counts()['tools/list'] ?? 0) < 20];
    },
    sees: ['survived', true, true],
  },
  {
    mode: spoken('updates-unwatched', 'reports changes of resources that nobody watches', {
      ...declaring({ resources: { subscribe: true } }),
      methods: resulting({
        'resources/list': { resources: [{ uri: 'own://watched', name: 'w' }] },
        'resources/subscribe': {},
      }),
      attack: sayingFirst(() => [
        ...numbers(many(10_000)).map((at) => notification('notifications/resources/updated', { uri: `own://${at}` })),
        ...['file:///etc/passwd', 'note://a', 7, null, '__proto__'].map((uri) =>
          notification('notifications/resources/updated', { uri }),
        ),
      ]),
    }),
    attack: async ({ client }) => {
      const one = await client('legacy');
      one.listen();
      await one.request('resources/subscribe', { uri: 'own://watched' });
      return [briefly(await one.call('attack', {})), one.notified];
    },
    sees: ['survived', []],
  },
  {
    mode: onCall('asks-in-a-call', 'asks 1,000 questions in one call', async ({ id, say, hear }) => {
      const count = many(1_000);
      const replied = new Set<unknown>();
      const heard = hear((message) => message.method === undefined && replied.add(message.id).size === count);
      await say(...numbers(count).map((at) => question(at)));
      await heard;
      await say(answer(id, `${replied.size} replies`));
    }),
    attack: async ({ client }) => {
      const one = await client('legacy', { capabilities: FORM });
      const newer = await client('modern', { capabilities: FORM });
      const said = [briefly(await one.call('attack', {})), briefly(await newer.call('attack', {}))];
      return [said, one.asked.length <= 256, newer.asked.length <= 256];
    },
    sees: [[`${many(1_000)} replies`, `${many(1_000)} replies`], true, true],
  },
  {
    mode: onCall('asks-outside', 'asks 1,000 questions of nobody, when no call is in flight', async ({ id, say }) => {
      await say(answer(id));
      const asked = numbers(many(1_000));
      await say(...asked.map((at) => question(at)));
      await say(...asked.map((at) => request(`s${at}`, 'sampling/createMessage', { messages: [], maxTokens: 1 })));
      await say(...asked.map((at) => request(`r${at}`, 'roots/list')));
    }),
    attack: async ({ client }) => {
      const [deaf, one] = [
        await client('modern', { capabilities: FORM }),
        await client('legacy', { capabilities: FORM }),
      ];
      one.listen();
      const said = [await deaf.call('attack', {}), await one.call('attack', {}), await one.call('echo', { text: 'x' })];
      // One that can be asked outside of calls is, but not of what it has not declared.
      const kinds = new Set(one.asked);
      kinds.delete('elicitation/create');
      return [said.map((outcome) => briefly(outcome)), deaf.asked, [...kinds], one.asked.length <= 256];
    },
    sees: [['survived', 'survived', 'x'], [], [], true],
  },
  {
    mode: onCall('asks-for-others', 'asks about calls and tasks of others', async ({ id, say, hear }) => {
      const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'neighbour' } } };
      const heard = hear((message) => message.id === 'q1' && !message.method);
      await say(question(1, related));
      const { error, result } = (await heard) ?? {};
      await say(answer(id, error === undefined ? JSON.stringify(result) : 'refused'));
    }),
    attack: async ({ client }) => {
      const one = await client('legacy', { capabilities: FORM });
      const other = await client('legacy', { capabilities: FORM });
      other.listen();
      const said = briefly(await one.call('attack', {}));
      return [said === 'refused' || said === '{"action":"decline"}', other.asked];
    },
    sees: [true, []],
  },
  {
    mode: onCall(
      'ends-pages',
      'says that pages of others were visited',
      sayingFirst(() =>
        [...numbers(200), 'e1', null, '__proto__'].map((elicitationId) =>
          notification('notifications/elicitation/complete', { elicitationId }),
        ),
      ),
    ),
    attack: async ({ client }) => {
      const one = await client('legacy', { capabilities: { elicitation: { form: {}, url: {} } } });
      one.listen();
      return [briefly(await one.call('attack', {})), one.notified];
    },
    sees: ['survived', []],
  },
  {
    mode: onCall('dies-in-64-calls', 'dies when 64 calls of it are in flight', dieAt(64)),
    attack: async ({ client, counts }) => {
      const [one, newer] = [await client('legacy'), await client('modern')];
      const ended = await Promise.all([one, newer].flatMap((by) => numbers(64).map(() => by.call('attack', {}))));
      const texts = ended.map((outcome) => String(briefly(outcome)));
      const outcomes = new Set(ended.map(({ result = {} }) => (result['_meta'] as JsonObject)['plugboard/outcome']));
      return [
        texts.filter((text) => /^failed: .*"dies-in-64-calls"/u.test(text)).length,
        [...outcomes],
        counts()['tools/call attack'],
      ];
    },
    sees: [128, ['unknown'], 128],
  },
  {
    mode: spoken('restarts-in-a-loop', 'ends every connection as soon as it is open', {
      initialize: ({ reset }) => reset(),
    }),
    attack: async ({ client, counts }) => {
      const [one, newer] = [await client('legacy'), await client('modern')];
      const ended = await Promise.all([one, newer].map((by) => by.call('attack', {})));
      const isNamed = ended.map(({ error }) => String(error?.['message']).includes('"restarts-in-a-loop"'));
      return [isNamed, (counts()['connections'] ?? 0) < 20];
    },
    sees: [[true, true], true],
  },
  {
    mode: onCall('huge-error', 'fails with details of 10 MB', ({ id, say }) =>
      say(failure(id, -32000, 'no', { padding: 'x'.repeat(many(10_000_000)), deep: success(1, {}) })),
    ),
    attack: async ({ client }) => {
      const one = await client('modern');
      const { error, bytes } = await one.call('attack', {});
      return [error?.['code'], error?.['message'], bytes.length < 17_000_000];
    },
    sees: [-32000, 'no', true],
  },
];

/** Answers nothing, and resets the connection when so many calls have come over it. */
function dieAt(count: number): Parameters<typeof onCall>[2] {
  const calls = new WeakMap<AbortSignal, number>();
  return ({ gone, reset }) => {
    const come = (calls.get(gone) ?? 0) + 1;
    calls.set(gone, come);
    if (come === count) reset();
  };
}
