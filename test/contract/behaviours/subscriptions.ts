// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
import type { JsonObject } from '../../../src/base/json.js';
import type { SubscriptionFilter } from '../../../src/wire/eras/era.js';
import { type Behaviour, byHand, only, said, streaming } from '../behaviour.js';
import { textOf } from '../clients/contract-client.js';
import type { Note } from '../note-list.js';
import type { Stage } from '../stage.js';

const tools = 'notifications/tools/list_changed';
const resources = 'notifications/resources/list_changed';
const updated = 'notifications/resources/updated';
const everything: SubscriptionFilter = { lists: ['tools', 'resources'], resources: ['note:///a', 'note:///b'] };

/** A client gets the notifications that it subscribed to, and no others. */
export const subscriptions = only('modern', [
  received('a change of tools is told to whoever asked for it', { lists: ['tools'] }, [note(tools)], [note(tools)]),
  received(
    'changes arrive in the order in which they were sent',
    everything,
    [note(updated, 'note:///b'), note(tools), note(resources), note(updated, 'note:///a'), note(tools)],
    [note(updated, 'note:///b'), note(tools), note(resources), note(updated, 'note:///a'), note(tools)],
  ),
  received(
    'a change that nobody asked for is not told',
    { resources: ['note:///a'] },
    [note(tools), note(resources), note(updated, 'note:///b'), note(updated, 'note:///a')],
    [note(updated, 'note:///a')],
  ),
  whispered('a change of a resource that nobody watches goes no further', {
    method: updated,
    params: { uri: 'note:///b' },
    as: 'its own',
  }),
  whispered('a change that was not asked for goes no further', { method: resources, as: 'its own' }),
  whispered('a change under another subscription goes no further', { method: tools, as: 'another' }),
  whispered('a change under no subscription goes no further', { method: tools }),
  {
    title: 'a change that comes before the subscription is confirmed goes no further',
    own: { server: { subscription: 'a note before it is acknowledged' } },
    servers: byHand,
    run: async (stage) => {
      await stage.client().watch({ lists: ['tools'], resources: ['note:///a'] });
      await stage.call('announce', { method: updated, params: { uri: 'note:///a' } });
      return (await stage.noted(1)).map(withoutId);
    },
    expected: [note(updated, 'note:///a')],
  },
  {
    title: 'a server that ends a subscription is asked for it again',
    own: {},
    servers: byHand,
    run: async (stage) => {
      await stage.client().watch({ lists: ['tools'] });
      await stage.call('end subscriptions');
      const history = await stage.call('subscriptions', { events: 2 });
      await stage.call('announce', { method: tools });
      return [history, methodsOf(await stage.noted(1))];
    },
    expected: [said('opened 1,opened 2'), [tools]],
  },
  {
    title: 'something else to hear of is asked for before the old subscription ends',
    own: {},
    run: async (stage) => {
      const client = stage.client();
      await client.watch({ lists: ['tools'] });
      await client.watch({ lists: ['resources'] });
      const history = await stage.call('subscriptions', { events: 3 });
      await stage.call('announce', { method: tools });
      await stage.call('announce', { method: resources });
      return [history, methodsOf(await stage.noted(1))];
    },
    expected: [said('opened 1,opened 2,closed 1'), [resources]],
  },
  {
    title: 'whoever wants to hear of nothing more ends the subscription',
    own: {},
    run: async (stage) => {
      await stage.client().watch(everything);
      await stage.client().watch({});
      const history = await stage.call('subscriptions', { events: 2 });
      await stage.call('announce', { method: tools });
      return [history, methodsOf(stage.notes)];
    },
    expected: [said('opened 1,closed 1'), []],
  },
  {
    title: 'a server that cannot tell of changes is not asked to',
    own: { server: { capabilities: { tools: {} } } },
    servers: byHand,
    run: async (stage) => {
      await stage.client().watch(everything);
      return stage.call('count', { method: 'subscriptions/listen' });
    },
    expected: said('0'),
  },
  {
    title: 'a server that refuses to tell of changes is still called',
    own: { server: { subscription: 'refused' } },
    servers: byHand,
    run: async (stage) => {
      await stage.client().watch(everything);
      return stage.call('echo', { text: 'hello' });
    },
    expected: said('hello'),
  },
  {
    title: 'a note that belongs to a call arrives before its answer, without a subscription',
    transports: streaming,
    run: async (stage) => {
      const before = stage.notes.length;
      const outcome = await stage.client().request('tools/call', {
        name: 'log',
        arguments: {},
        _meta: { 'io.modelcontextprotocol/logLevel': 'error' },
      });
      const receivedOf = stage.notes.slice(before).map(({ params }) => (params as JsonObject)['data']);
      return ['ok' in outcome && textOf(outcome), receivedOf];
    },
    expected: ['logged', ['something of error']],
  },
]);

function note(method: string, uri?: string): Note {
  return { method, params: uri === undefined ? {} : { uri } };
}

/** Has the server announce these changes, and waits for the expected notifications. */
function received(
  title: string,
  wanted: SubscriptionFilter,
  sent: readonly Note[],
  expected: readonly Note[],
): Behaviour {
  return {
    title,
    run: async (stage) => {
      await stage.client().watch(wanted);
      const before = stage.notes.length;
      for (const { method, params } of sent) await stage.call('announce', { method, params });
      const all = await stage.noted(before + expected.length);
      return all.slice(before).map(withoutId);
    },
    expected,
  };
}

/** Sends a notification that does not belong on the stream of this subscription; it must be dropped. */
function whispered(title: string, whisper: { method: string; params?: JsonObject; as?: string }): Behaviour {
  return {
    title,
    servers: byHand,
    run: async (stage: Stage) => {
      await stage.client().watch({ lists: ['tools'], resources: ['note:///a'] });
      const before = stage.notes.length;
      await stage.call('whisper', whisper);
      // This notification comes after the whispered one, so when it has arrived, the other would have arrived too.
      await stage.call('announce', { method: updated, params: { uri: 'note:///a' } });
      const all = await stage.noted(before + 1);
      return all.slice(before).map(withoutId);
    },
    expected: [note(updated, 'note:///a')],
  };
}

function methodsOf(notes: readonly Note[]): string[] {
  return notes.map(({ method }) => method);
}

function withoutId({ method, params }: Note): Note {
  const { _meta: _, ...rest } = params as JsonObject;
  return { method, params: rest };
}
