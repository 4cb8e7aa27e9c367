import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.js';
import { userFile } from '../../config/scopes/user.js';
import { localFile } from '../../config/scopes/local.js';
import { keepLastGood } from './keep-last-good.js';

const BROKEN = '{"settings": {';

/** The configuration in effect after a user's file with these settings has become unreadable. */
async function afterBreaking(settings: object): Promise<Awaited<ReturnType<typeof keepLastGood>>> {
  using house = openHouse();
  const file = userFile(house.context())!;
  house.write(file, { mcpServers: { a: { command: 'run' } }, settings });
  const before = await house.load();
  house.write(file, BROKEN);
  return keepLastGood(before, await house.load());
}

test.each([
  ['bypass', []],
  ['auto-read', []],
  ['default', ['default']],
  ['plan', ['plan']],
  ['dont-ask', ['dont-ask']],
])('a settings file that breaks while it says mode %s', async (mode, kept) => {
  const { permissions } = await afterBreaking({ permissions: { mode } });
  expect(permissions.modes.map((one) => one.mode)).toEqual(kept);
  const ofServer = await afterBreaking({ permissions: { servers: { a: { mode } } } });
  expect(ofServer.permissions.modes.map((one) => one.mode)).toEqual(kept);
});

test('of the rules in a file that breaks those stay that stop something', async () => {
  const permissions = { allow: ['mcp__a__read'], ask: ['mcp__a__write'], deny: ['mcp__a__drop'] };
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'exit 2' }] }] };
  const after = await afterBreaking({ permissions, hooks });
  expect(after.permissions.rules.map(({ text }) => text).toSorted()).toEqual(['mcp__a__drop', 'mcp__a__write']);
  expect(after.permissions.lists.allow).toEqual((await afterBreaking({})).permissions.lists.allow);
  expect(after.hooks).toHaveLength(1);
});

test('a file that breaks keeps its servers; one that is gone, or that says something else, does not', async () => {
  using house = openHouse();
  const [user, local] = [userFile(house.context())!, localFile(house.context())!];
  house.write(user, {
    mcpServers: { a: { command: 'run' }, b: { command: 'run' }, off: { command: 'x', disabled: true } },
  });
  const before = await house.load();
  const namesAfter = async (): Promise<string[]> => {
    const { servers } = keepLastGood(before, await house.load());
    return servers.map(({ name, origin }) => `${name} ${origin === user ? 'user' : 'local'}`);
  };
  house.write(user, BROKEN);
  expect(await namesAfter()).toEqual(['a user', 'b user']);
  // Another file's current entry of that name counts.
  house.write(local, { mcpServers: { a: { command: 'other' } } });
  expect(await namesAfter()).toEqual(['a local', 'b user']);
  // Current policies apply to kept servers.
  house.write(join(house.managed, 'managed-settings.json'), { deniedMcpServers: [{ serverName: 'b' }] });
  expect(await namesAfter()).toEqual(['a local']);
  house.write(user, { mcpServers: {} });
  expect(await namesAfter()).toEqual(['a local']);
});

test.each(['ask', 'strict', 'deny'])(
  'the flow guard stays at "%s" while the file that says so breaks',
  async (mode) => {
    const { flow } = await afterBreaking({ flow: { mode, allow: ['web -> notes'] } });
    expect(flow.mode).toBe(mode);
    expect([flow.allow ?? [], flow.ownAllow ?? []]).toEqual([[], []]);
  },
);

test('a flow guard that was off is not kept off by a file that breaks', async () => {
  expect((await afterBreaking({ flow: { mode: 'off' } })).flow.mode).toBeUndefined();
});

test('clients of a gateway keep its presets while the file that has them breaks', async () => {
  const gateway = { presets: { small: { servers: ['a'] } }, ask: 'deny' };
  expect((await afterBreaking({ gateway })).settings.gateway).toEqual(gateway);
});

test('a preset or a field that cannot be read any more goes on as it was, and one that is gone does not', async () => {
  using house = openHouse();
  const file = userFile(house.context())!;
  const after = async (gateway: unknown): Promise<unknown> => {
    const [two, gone] = [{ servers: ['a'] }, {}];
    house.write(file, { settings: { gateway: { presets: { two, gone }, ask: 'deny', park: false } } });
    const before = await house.load();
    house.write(file, { settings: { gateway } });
    return keepLastGood(before, await house.load()).settings.gateway;
  };
  const one = { list: 'all' };
  expect(await after({ presets: { one, two: { server: ['b'] } }, ask: 'dney' })).toEqual({
    presets: { one, two: { servers: ['a'] } },
    ask: 'deny',
    unread: ['@two', 'ask'],
  });
  expect(await after({ presets: [] })).toMatchObject({ presets: { two: { servers: ['a'] }, gone: {} } });
  expect(await after({ presets: { one } })).toEqual({ presets: { one } });
});

test('an unapproved entry of a repository does not take the place of a server whose file breaks', async () => {
  using house = openHouse();
  const file = userFile(house.context())!;
  house.write(file, { mcpServers: { a: { command: 'run' } } });
  house.write(join(house.context().cwd, '.mcp.json'), { mcpServers: { a: { command: 'theirs' } } });
  const before = await house.load();
  house.write(file, BROKEN);
  const { servers } = keepLastGood(before, await house.load());
  expect(servers.map(({ origin, standing }) => [origin === file, standing.kind])).toEqual([
    [false, 'unapproved'],
    [true, 'ready'],
  ]);
});
