import { byHand, only, overHttp, said, streaming } from '../behaviour.js';
import type { Note } from '../note-list.js';
import type { Stage } from '../stage.js';

const changed = 'notifications/tools/list_changed';
const updated = 'notifications/resources/updated';
const levels = ['debug', 'info', 'notice', 'warning', 'error'];

/** In the modern era a notification belongs to a call or to a subscription: see subscriptions.ts. */
export const notes = only('legacy', [
  {
    title: 'a change of tools is heard of before the answer behind it',
    transports: streaming,
    run: async (stage) => {
      const before = stage.notes.length;
      return [await stage.call('note', { method: changed }), stage.notes.slice(before)];
    },
    expected: [said('noted'), [{ method: changed, params: {} }]],
  },
  {
    title: 'a note that belongs to no call arrives, too',
    run: (stage) => announced(stage, [{ method: changed, params: undefined }]),
    expected: [{ method: changed, params: {} }],
  },
  {
    title: 'notes arrive in the order in which they were sent',
    run: (stage) => announced(stage, levels.map(toLog)),
    expected: levels.map(toLog),
  },
  {
    title: 'a note that nobody knows harms nothing',
    run: async (stage) => [
      await stage.call('note', { method: 'notifications/acme/brewed', params: { cups: 2 } }),
      await stage.call('echo', { text: 'next' }),
    ],
    expected: [said('noted'), said('next')],
  },
  {
    title: 'a server logs what it was asked to',
    transports: streaming,
    run: async (stage) => {
      const before = stage.notes.length;
      await stage.call('log');
      const level = await stage.client().request('logging/setLevel', { level: 'error' });
      await stage.call('log');
      return [level, stage.notes.slice(before).map(({ params }) => (params as { data: string }).data)];
    },
    expected: [{ ok: {} }, ['something of info', 'something of error', 'something of error']],
  },
  {
    title: 'a change of a resource is told to whoever asked for it, and no other change',
    run: async (stage) => {
      await stage.http?.listened();
      await stage.client().watch({ resources: ['note:///a'] });
      const before = stage.notes.length;
      const uris = ['note:///b', 'note:///a'];
      for (const uri of uris) await stage.call('announce', { method: updated, params: { uri } });
      const all = await stage.noted(before + 1);
      return all.slice(before);
    },
    expected: [{ method: updated, params: { uri: 'note:///a' } }],
  },
  {
    title: 'a stream that ends is opened again',
    own: {},
    servers: byHand,
    transports: overHttp,
    run: async (stage) => {
      await stage.http!.listened();
      stage.http!.endStreams();
      await stage.http!.listened(2);
      return announced(stage, [{ method: changed, params: undefined }]);
    },
    expected: [{ method: changed, params: {} }],
  },
  {
    title: 'a server need not have a stream of its own',
    own: { server: { stream: 'none' } },
    servers: byHand,
    transports: overHttp,
    run: async (stage) => {
      await stage.http!.listened();
      return stage.call('echo', { text: 'hello' });
    },
    expected: said('hello'),
  },
]);

function toLog(level: string): Note {
  return { method: 'notifications/message', params: { level, data: `something of ${level}` } };
}

/** Has the server send these notifications outside a call, and waits for them. */
async function announced(stage: Stage, sent: readonly Note[]): Promise<readonly Note[]> {
  await stage.http?.listened(); // until then an SDK server drops the notifications
  const before = stage.notes.length;
  for (const { method, params } of sent) await stage.call('announce', { method, params });
  const all = await stage.noted(before + sent.length);
  return all.slice(before);
}
