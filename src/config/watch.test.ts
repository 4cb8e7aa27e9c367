import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HANG_GUARD_MS } from '../../test/hang-guard.js';
import { type House, openHouse } from '../../test/house.js';
import { choose } from './approval/approve.js';
import { addServer } from './edit/manage.js';
import { localFile } from './scopes/local.js';
import { userFile } from './scopes/user.js';
import { type HostConfigChange, watchHostConfig } from './watch.js';

/** Watches a house; `next` waits for the change after `act`. */
async function watch(
  house: House,
  cwd?: string,
): Promise<{ next(act: () => unknown): Promise<HostConfigChange> } & Disposable> {
  const controller = new AbortController();
  let waiting: ((change: HostConfigChange) => void) | undefined;
  const { options } = house.context(cwd === undefined ? {} : { cwd });
  await watchHostConfig(options, (change) => waiting?.(change), { signal: controller.signal, debounceMs: 10 });
  return {
    async next(act) {
      const change = new Promise<HostConfigChange>((seen, gaveUp) => {
        waiting = seen;
        AbortSignal.timeout(HANG_GUARD_MS).addEventListener('abort', () => gaveUp(new Error('no change was seen')));
      });
      await act();
      return change;
    },
    [Symbol.dispose]: () => controller.abort(),
  };
}

const names = ({ started, stopped, changed }: HostConfigChange): object => ({ started, stopped, changed });

test('an edit names the servers it touches and no other', async () => {
  using house = openHouse();
  const file = userFile(house.context())!;
  house.write(file, { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } });
  using watched = await watch(house);
  const edited = await watched.next(() =>
    house.write(file, { mcpServers: { a: { command: 'a' }, b: { command: 'other' }, c: { command: 'c' } } }),
  );
  expect(names(edited)).toEqual({ started: ['c'], stopped: [], changed: ['b'] });
  const removed = await watched.next(() => house.write(file, { mcpServers: { a: { command: 'a' } } }));
  expect(names(removed)).toEqual({ started: [], stopped: ['b', 'c'], changed: [] });
});

const places: readonly (readonly [what: string, file: (house: House) => string, started: string])[] = [
  ['the user file, its folder included', (house) => userFile(house.context())!, 'new'],
  ['the local file', (house) => localFile(house.context())!, 'new'],
  ['a plugin', (house) => join(house.home, '.config/plugboard/plugins/p/.mcp.json'), 'plugin:p:new'],
  ['the managed file', (house) => join(house.managed, 'managed-mcp.json'), 'new'],
];

test.each(places)('%s takes effect when it first appears', async (_, file, started) => {
  using house = openHouse();
  using watched = await watch(house);
  const change = await watched.next(() => house.write(file(house), { mcpServers: { new: { command: 'x' } } }));
  expect(change.started).toEqual([started]);
});

test('an approval takes effect at once, and an edit takes it away again', async () => {
  using house = openHouse();
  const file = house.write(join(house.project, '.mcp.json'), { mcpServers: { p: { command: 'p' } } });
  using watched = await watch(house);
  const { servers } = await house.load();
  const approved = await watched.next(() =>
    choose(house.context(), servers[0]!, { decision: 'approved', now: new Date(0) }),
  );
  expect(names(approved)).toEqual({ started: ['p'], stopped: [], changed: [] });
  const edited = await watched.next(() => house.write(file, { mcpServers: { p: { command: 'evil' } } }));
  expect(names(edited)).toEqual({ started: [], stopped: ['p'], changed: [] });
});

test('a file that appears under an approved word in another folder takes the approval away there', async () => {
  using house = openHouse();
  const sub = join(house.project, 'sub');
  house.write(join(house.project, 'server.mjs'), '');
  mkdirSync(sub);
  house.write(join(house.project, '.mcp.json'), { mcpServers: { p: { command: 'node', args: ['server.mjs'] } } });
  const { servers } = await house.load();
  await choose(house.context(), servers[0]!, { decision: 'approved', now: new Date(0) });
  using watched = await watch(house, sub);
  const appeared = await watched.next(() => house.write(join(sub, 'server.mjs'), ''));
  expect(names(appeared)).toEqual({ started: [], stopped: ['p'], changed: [] });
});

test.each([
  ['waits for approval', {}],
  ['is disabled', { disabled: true }],
])('another entry of a server that %s is told, so that nobody judges the one before', async (_, more) => {
  using house = openHouse();
  const file = house.write(join(house.project, '.mcp.json'), { mcpServers: { p: { command: 'p', ...more } } });
  using watched = await watch(house);
  const edited = await watched.next(() => house.write(file, { mcpServers: { p: { command: 'evil', ...more } } }));
  expect(names(edited)).toEqual({ started: [], stopped: [], changed: [] });
  expect(edited.loaded.servers[0]?.written).toMatchObject({ command: 'evil' });
});

test('a policy that changes is applied to what already runs', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } });
  using watched = await watch(house);
  const denied = { deniedMcpServers: [{ serverName: 'a' }] };
  const change = await watched.next(() => house.write(join(house.managed, 'managed-settings.json'), denied));
  expect(names(change)).toEqual({ started: [], stopped: ['a'], changed: [] });
});

const presets = (servers: readonly string[]): object => ({ settings: { gateway: { presets: { few: { servers } } } } });

test('a preset of the gateway that is edited is a change', async () => {
  using house = openHouse();
  const file = userFile(house.context())!;
  house.write(file, presets(['a']));
  using watched = await watch(house);
  const { loaded } = await watched.next(() => house.write(file, presets(['b'])));
  expect(loaded.settings.gateway).toEqual({ presets: { few: { servers: ['b'] } } });
});

test('a half-written file is told as a problem, and mending it brings its servers back', async () => {
  using house = openHouse();
  const file = userFile(house.context())!;
  house.write(file, { mcpServers: { a: { command: 'a' } } });
  using watched = await watch(house);
  const broken = await watched.next(() => house.write(file, '{ "mcpServers": { "a"'));
  expect(broken.loaded.problems).toMatchObject([{ severity: 'error', file }]);
  const mended = await watched.next(() => house.write(file, { mcpServers: { a: { command: 'a' } } }));
  expect(mended.started).toEqual(['a']);
});

test("the program's own edits, and folders that go and come back, are seen", async () => {
  using house = openHouse();
  using watched = await watch(house);
  const add = { name: 'added', entry: { command: 'x' }, scope: 'user' } as const;
  expect((await watched.next(() => addServer(house.context(), add))).started).toEqual(['added']);
  const folder = join(house.home, '.config/plugboard');
  expect((await watched.next(() => renameSync(folder, `${folder}.away`))).stopped).toEqual(['added']);
  expect((await watched.next(() => renameSync(`${folder}.away`, folder))).started).toEqual(['added']);
  expect((await watched.next(() => rmSync(folder, { recursive: true }))).stopped).toEqual(['added']);
  mkdirSync(folder);
});

test('a file that says the same as before is no change', async () => {
  using house = openHouse();
  const file = userFile(house.context())!;
  house.write(file, { mcpServers: { a: { command: 'a' } } });
  using watched = await watch(house);
  const change = await watched.next(() => {
    house.write(file, '{ "mcpServers": { /* the same */ "a": { "command": "a" } } }');
    house.write(join(house.project, '.mcp.json'), { mcpServers: { p: { command: 'p' } } });
  });
  expect(names(change)).toEqual({ started: [], stopped: [], changed: [] });
  expect(change.loaded.servers.map(({ name }) => name)).toEqual(['p', 'a']);
});
