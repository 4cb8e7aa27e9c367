import type { JsonObject } from '../../src/base/json.js';
import { HostError } from '../../src/base/errors.js';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { Connection, ConnectOptions } from '../../src/connection/connect.js';
import { listTools } from '../../src/connection/catalog/tool-definition.js';
import { NoteList } from '../contract/note-list.js';

export type Open = (options: Omit<ConnectOptions, 'config' | 'context'>) => Promise<Connection>;

/** Lists, concurrent calls, progress, an error, notifications and a secret. Returns what the client received. */
export async function run(open: Open, secrets: readonly string[]): Promise<unknown> {
  const notes = new NoteList();
  await using connection = await open({
    onNotification: (method, params) => notes.add({ method, params }),
    capabilities: { roots: {} },
    handlers: { 'roots/list': () => Promise.resolve({ roots: [{ uri: 'file:///home' }] }) },
  });
  const { session } = connection;
  const { version, server, capabilities, instructions } = session;
  const received: unknown[] = [{ version, server, capabilities, instructions }];
  const call = async (tool: string, input: JsonObject = {}): Promise<void> => {
    received.push(await outcomeOf(callTool(connection, { tool, input }, { onProgress: (one) => received.push(one) })));
  };
  const { tools, setAside } = await listTools(connection);
  received.push(
    tools.map(({ name }) => name),
    setAside,
  );
  await call('echo', { text: 'hello' });
  await call('square', { number: 7 });
  const slow = outcomeOf(callTool(connection, { tool: 'wait', input: { key: 'gate' } }));
  await call('arrived', { key: 'gate' });
  await call('release', { key: 'gate' });
  received.push(await slow);
  await call('progress', { steps: [1, 2, 3], label: 'step' });
  await call('refuse', { code: -32050, message: 'no paper', data: { tray: 2 } });
  await call('nowhere');
  await session.watch({ lists: ['tools'], resources: ['note:///a'] });
  await call('announce', { method: 'notifications/tools/list_changed' });
  await call('announce', { method: 'notifications/resources/updated', params: { uri: 'note:///a' } });
  await notes.until(2, TIMEOUT);
  await session.watch({});
  for (const secret of secrets) await call('echo', { text: `the key is ${secret}` });
  received.push(await outcomeOf(session.request('resources/read', { uri: 'note:///b' }, {})));
  await call(...(session.era === 'modern' ? modernQuestion : legacyQuestion));
  return {
    heard: received,
    notes: notes.all.map(({ method, params }) => ({ method, params: { ...(params as object), _meta: 0 } })),
  };
}

/** In either era the tool needs the client's roots before it can answer. */
const legacyQuestion: [string, JsonObject] = ['ask', { method: 'roots/list' }];
const modernQuestion: [string, JsonObject] = [
  'rounds',
  { key: 'one', plan: [{ inputRequests: { where: { method: 'roots/list' } }, requestState: ' s\u00e9 ' }] },
];

const TIMEOUT = 10_000;

async function outcomeOf(answer: Promise<object>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const { code, message, detail } = error;
    return { code, message, detail };
  }
}
