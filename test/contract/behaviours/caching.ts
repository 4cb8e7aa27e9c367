// https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
import { type Behaviour, byHand, only } from '../behaviour.js';
import { textOf } from '../clients/contract-client.js';
import type { FixtureOptions } from '../servers/fixture-options.js';
import type { Stage } from '../stage.js';

const MINUTE = 60_000;

/** A client requests a list again only when the server no longer calls it fresh. */
export const caching = only('modern', [
  listed('a list that is fresh for this user only is kept for this user', { ttlMs: MINUTE, cacheScope: 'private' }, 1),
  listed('a list that is fresh for everybody is kept, too', { ttlMs: MINUTE, cacheScope: 'public' }, 1),
  listed('a list that is fresh for no time is asked for again', { ttlMs: 0, cacheScope: 'public' }, 3),
  listed('a list that is fresh for less than no time is asked for again', { ttlMs: -1, cacheScope: 'public' }, 3),
  listed('a list whose freshness is no number is asked for again', { ttlMs: 'for ever', cacheScope: 'public' }, 3),
  listed('a list that says nothing of freshness is asked for again', {}, 3),
  {
    title: 'a list is asked for again when its time is over',
    own: { server: { list: 'empty', cache: { ttlMs: 1, cacheScope: 'public' } } },
    servers: byHand,
    run: async (stage) => {
      await stage.client().listTools();
      await stage.call('rest', { ms: 20 });
      await stage.client().listTools();
      return asked(stage, 'tools/list');
    },
    expected: 2,
  },
  {
    title: 'a list that has changed is asked for again',
    own: { server: { list: 'empty', cache: { ttlMs: MINUTE, cacheScope: 'public' } } },
    servers: byHand,
    run: async (stage) => {
      await stage.client().watch({ lists: ['tools'] });
      await stage.client().listTools();
      await stage.client().listTools();
      await stage.call('announce', { method: 'notifications/tools/list_changed' });
      await stage.noted(1);
      await stage.client().listTools();
      return asked(stage, 'tools/list');
    },
    expected: 2,
  },
  {
    title: 'a resource that has changed is asked for again, and no other',
    own: { server: { cache: { ttlMs: MINUTE, cacheScope: 'public' } } },
    servers: byHand,
    run: async (stage) => {
      const client = stage.client();
      const both = async (): Promise<void> => {
        for (const uri of ['note:///a', 'note:///b']) await client.read(uri);
      };
      await client.watch({ resources: ['note:///a', 'note:///b'] });
      await both();
      await both();
      const before = await asked(stage, 'resources/read');
      await stage.call('announce', { method: 'notifications/resources/updated', params: { uri: 'note:///a' } });
      await stage.noted(1);
      await both();
      return [before, await asked(stage, 'resources/read')];
    },
    expected: [2, 3],
  },
  {
    title: 'what was answered after a question is asked for again',
    own: {
      server: { cache: { ttlMs: MINUTE, cacheScope: 'public' } },
      client: { capabilities: { roots: {} }, handlers: { 'roots/list': () => ({ roots: [] }) } },
    },
    servers: byHand,
    run: async (stage) => {
      await stage.client().read('note:///asking');
      const before = await asked(stage, 'resources/read');
      await stage.client().read('note:///asking');
      return [before, await asked(stage, 'resources/read')];
    },
    expected: [2, 4],
  },
]);

/** Lists tools three times and expects this many requests. */
function listed(title: string, cache: FixtureOptions['cache'] & object, times: number): Behaviour {
  return {
    title,
    own: { server: { list: 'empty', cache } },
    servers: byHand,
    run: async (stage) => {
      for (let time = 0; time < 3; time++) await stage.client().listTools();
      return asked(stage, 'tools/list');
    },
    expected: times,
  };
}

async function asked(stage: Stage, method: string): Promise<number> {
  return Number(textOf(await stage.call('count', { method })));
}
