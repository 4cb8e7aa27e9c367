import { chownSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHouse } from '../../test/house.js';
import { choose } from './approval/approve.js';
import { addServer, removeServer } from './edit/manage.js';
import { maskText } from './edit/mask-text.js';
import { userFile } from './scopes/user.js';
import { disableServer } from './edit/toggle.js';

/** Files just under the limit of 1 MB that once took from ten seconds to two minutes each. */
const large: readonly (readonly [what: string, text: () => string])[] = [
  [
    '80,000 entries that are none',
    () => `{"mcpServers":{${Array.from({ length: 80_000 }, (_, n) => `"s${n}":0`).join(',\n')}}}`,
  ],
  [
    '60,000 fields that nobody knows',
    () => `{"mcpServers":{"a":{"command":"x",${Array.from({ length: 60_000 }, (_, n) => `"f${n}":0`).join(',\n')}}}}`,
  ],
  [
    '30,000 variables that are not set',
    () =>
      `{"mcpServers":{"a":{"command":"x","env":{${Array.from({ length: 30_000 }, (_, n) => `"K${n}":"\${NO${n}}"`).join(',\n')}}}}}`,
  ],
  [
    '40,000 defaults that never end',
    () => JSON.stringify({ mcpServers: { a: { command: 'x', args: ['--token', '${A:-'.repeat(40_000)] } } }),
  ],
];

test.each(large)('%s load as fast as any other file, and what is told about them is bounded', async (_, text) => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), text());
  house.write(userFile(house.context())!, { mcpServers: { u: { command: 'u' } } });
  const { servers, problems } = await house.load({ approveProject: true });
  expect(servers.at(-1)).toMatchObject({ name: 'u', standing: { kind: 'ready' } });
  expect(problems.length).toBeLessThan(250);
  expect(maskText(text())).toContain('mcpServers');
});

test('a URL that cannot be read in one way breaks no load', async () => {
  using house = openHouse();
  const settings = { deniedMcpServers: [{ serverUrl: 'https://evil.test/*' }] };
  const mcpServers = {
    a: { url: 'https://a.test/?mcp_url=http://./' },
    b: { url: 'http://./' },
    c: { url: 'http://.../evil.test' },
    d: { command: 'd' },
  };
  house.write(userFile(house.context())!, { mcpServers, settings });
  expect(await house.view()).toEqual(['a user ready', 'b user invalid', 'c user invalid', 'd user ready']);
});

test.each(['file:///etc/passwd', 'http://user:pass@10.0.0.1/', 'javascript:alert(1)'])(
  'a variable that is missing elsewhere does not open the gate for %s',
  async (url) => {
    using house = openHouse();
    house.write(userFile(house.context())!, { mcpServers: { a: { type: 'http', url, headers: { X: '${NOT_SET}' } } } });
    expect(await house.view()).toEqual(['a user invalid']);
    const add = { name: 'b', entry: { type: 'http', url, headers: { X: '${NOT_SET}' } }, scope: 'user' } as const;
    await expect(addServer(house.context(), add)).rejects.toMatchObject({ code: 'config-invalid' });
  },
);

test.each(['managed-mcp.json', 'managed-settings.json'])(
  'a %s that is a link to nothing lets nothing run',
  async (name) => {
    using house = openHouse();
    symlinkSync('/nonexistent/share.json', join(house.managed, name));
    house.write(userFile(house.context())!, { mcpServers: { u: { command: 'u' } } });
    const { servers } = await house.load();
    expect(servers.filter(({ standing }) => standing.kind === 'ready')).toEqual([]);
  },
);

test.each([
  '{ "settings": { "deniedMcpServers": [] } }',
  '{ "permissions": { "deniedMcpServers": [] } }',
  '{ "deniedServers": [] }',
  '{ "denylist": [] }',
  '{ "deniedMcpServers": [{ "serverName": "u" }], "deniedMcpServers": [] }',
  '{ "deniedMcpServers": [{ "serverName": "u", "serverName": "other" }] }',
])('an administrator’s list that nobody would read lets nothing run: %s', async (text) => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-settings.json'), text);
  house.write(userFile(house.context())!, { mcpServers: { u: { command: 'u' } } });
  expect(await house.view()).toEqual(['u user denied']);
});

test('a list at the top of the user’s file counts, too', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, {
    mcpServers: { u: { command: 'u' }, v: { command: 'v' } },
    deniedMcpServers: [{ serverName: 'u' }],
  });
  expect(await house.view()).toEqual(['u user denied', 'v user ready']);
});

test('a link in a repository does not lead an edit into the user’s own files', async () => {
  using house = openHouse();
  const plugin = house.write(join(house.home, '.config/plugboard/plugins/p/.mcp.json'), '{}');
  symlinkSync(plugin, join(house.project, '.mcp.json'));
  const add = { name: 'q', entry: { command: './tool' }, scope: 'project' } as const;
  await expect(addServer(house.context(), add)).rejects.toMatchObject({ code: 'write-failed' });
  expect(readFileSync(plugin, 'utf8')).toBe('{}');
});

test('a switch is not written for a server that was removed meanwhile', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, { mcpServers: { x: { command: 'x' } } });
  const answers = await Promise.allSettled([
    removeServer(house.context(), { name: 'x', scope: 'user' }),
    disableServer(house.context(), { name: 'x' }),
  ]);
  expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
  const { servers } = await house.load();
  expect(servers.filter(({ standing }) => standing.kind === 'invalid')).toEqual([]);
});

test('one enormous entry cannot fill or break the file that all approvals are in', async () => {
  using house = openHouse();
  const deep = Array.from({ length: 55 }).reduce<object>((inner) => ({ x: inner }), {});
  house.write(join(house.project, '.mcp.json'), {
    mcpServers: {
      deep: { command: 'x', ...deep },
      long: { command: 'x', args: ['y'.repeat(500_000)] },
      good: { command: 'x' },
    },
  });
  for (const server of (await house.load()).servers)
    await choose(house.context(), server, { decision: 'approved', now: new Date(0) });
  expect(await house.view()).toEqual(['deep project ready', 'long project ready', 'good project ready']);
  expect(readFileSync(join(house.home, '.local/state/plugboard/approvals.json'), 'utf8').length).toBeLessThan(10_000);
});

test.runIf(process.getuid?.() === 0)(
  'a settings folder above us that someone else put there is not believed',
  async () => {
    using house = openHouse();
    const folder = join(house.root, 'work/.plugboard');
    mkdirSync(folder);
    symlinkSync(
      house.write(join(house.root, 'mine.json'), { mcpServers: { a: { command: 'x' } } }),
      join(folder, 'settings.json'),
    );
    chownSync(folder, 12_345, 12_345);
    expect(await house.view()).toEqual([]);
  },
);

test('nothing is written for a folder that is gone', async () => {
  using house = openHouse();
  const context = house.context({ cwd: join(house.root, 'gone') });
  for (const scope of ['project', 'local'] as const) {
    await expect(addServer(context, { name: 'a', entry: { command: 'x' }, scope })).rejects.toMatchObject({
      code: 'config-unreadable',
    });
  }
});

test.each([' padded', 'zero\u200bwidth', 'bidi\u202e'])(
  'a name that does not show as it is, is refused: %j',
  async (name) => {
    using house = openHouse();
    house.write(userFile(house.context())!, { mcpServers: { [name]: { command: 'x' }, good: { command: 'y' } } });
    expect((await house.load()).servers.map(({ standing }) => standing.kind)).toEqual(['invalid', 'ready']);
  },
);

test.each([
  '{ "permissions": { "allow": ["mcp__a"], "deny": ["mcp__b"], "ask": [] }, "hooks": {}, "model": "x", "requireSandbox": true }',
  '{ "env": { "IDENTITY_SERVER_URL": "https://id", "IP_ALLOWLIST": "x" }, "enabledPlugins": { "identity-server@corp": true } }',
  '{ "allowManagedMcpServersOnly": true, "credentialServer": "x" }',
])('settings of an administrator that are no lists of servers close nothing: %s', async (text) => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-settings.json'), text);
  house.write(userFile(house.context())!, { mcpServers: { u: { command: 'u' } } });
  expect(await house.view()).toEqual(['u user ready']);
});

test.each([
  '{ deniedMcpServers: [{serverName:"p"}] }',
  "{ 'deniedMcpServers': [] }",
  '{ "settings": {"denyMcpServers": [',
])('a list in a file that cannot be understood closes, however it is spelt: %s', async (text) => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { p: { command: 'p' } } });
  house.write(userFile(house.context())!, text);
  expect(await house.view({ approveProject: true })).toEqual(['p project denied']);
});

test('what could never be read again is not written', async () => {
  using house = openHouse();
  const deep = Array.from({ length: 63 }).reduce<unknown[]>((inner) => [inner], []);
  for (const entry of [
    { command: 'x', deep },
    { command: 'x', args: ['y'.repeat(2_000_000)] },
  ]) {
    await expect(addServer(house.context(), { name: 'a', entry, scope: 'user' })).rejects.toThrow('the limit is');
    await expect(addServer(house.context(), { name: 'a', entry, scope: 'user', dryRun: true })).rejects.toThrow(
      'the limit is',
    );
  }
  expect(await house.view()).toEqual([]);
});

test.each([
  ['https://${NOT_SET}/mcp', 'ready'],
  ['${NOT_SET}/mcp', 'ready'],
  ['https://h.example:${NOT_SET}/mcp', 'ready'],
  ['https://h.example/${NOT_SET}', 'ready'],
  ['https://user:pass@h.example/${NOT_SET}', 'invalid'],
  ['https://h.example:25/${NOT_SET}', 'invalid'],
  ['ws://h.example/${NOT_SET}', 'invalid'],
])('a URL with a variable that is not set is checked as far as it is known: %s is %s', async (url, expected) => {
  using house = openHouse();
  house.write(userFile(house.context())!, { mcpServers: { a: { type: 'http', url } } });
  expect(await house.view()).toEqual([`a user ${expected}`]);
});
