import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../../../test/house.js';
import { userFile } from './user.js';

const plugins = (house: House, ...names: string[]): string => join(house.home, '.config/plugboard/plugins', ...names);

test('a plugin may bring its servers in .mcp.json, in plugin.json, wrapped or not, or in a file it names', async () => {
  using house = openHouse();
  house.write(plugins(house, 'one', '.mcp.json'), { mcpServers: { a: { command: 'a' } } });
  house.write(plugins(house, 'two', '.mcp.json'), { b: { command: 'b' } });
  house.write(plugins(house, 'three', 'plugin.json'), { name: 'drei', mcpServers: { c: { command: 'c' } } });
  house.write(plugins(house, 'four', '.claude-plugin/plugin.json'), {
    name: 'vier',
    mcpServers: './config/servers.json',
  });
  house.write(plugins(house, 'four', 'config/servers.json'), { mcpServers: { d: { command: 'd' } } });
  expect(await house.view()).toEqual([
    'plugin:vier:d plugin ready',
    'plugin:one:a plugin ready',
    'plugin:drei:c plugin ready',
    'plugin:two:b plugin ready',
  ]);
});

test("a plugin's own folder is expanded under both names, and for nobody else", async () => {
  using house = openHouse();
  const entry = {
    command: '${CLAUDE_PLUGIN_ROOT}/run',
    args: ['${PLUGBOARD_PLUGIN_ROOT}/x', '${PLUGBOARD_PROJECT_DIR}'],
  };
  house.write(plugins(house, 'one', '.mcp.json'), { mcpServers: { a: entry } });
  house.write(userFile(house.context())!, { mcpServers: { u: entry } });
  const { servers } = await house.load();
  const root = plugins(house, 'one');
  expect(servers.map(({ config }) => config)).toMatchObject([
    { command: '${CLAUDE_PLUGIN_ROOT}/run' },
    { command: `${root}/run`, args: [`${root}/x`, house.project] },
  ]);
});

test('pluginDirs may name one plugin or a folder of many, and are read from the user alone', async () => {
  using house = openHouse();
  house.write(join(house.root, 'single/.mcp.json'), { mcpServers: { s: { command: 's' } } });
  house.write(join(house.home, 'many/x/.mcp.json'), { mcpServers: { m: { command: 'm' } } });
  house.write(join(house.project, 'evil/.mcp.json'), { mcpServers: { e: { command: 'e' } } });
  house.write(join(house.project, '.plugboard/settings.json'), {
    settings: { pluginDirs: [join(house.project, 'evil')] },
  });
  house.write(userFile(house.context())!, { settings: { pluginDirs: [join(house.root, 'single'), '~/many'] } });
  expect(await house.view()).toEqual(['plugin:single:s plugin ready', 'plugin:x:m plugin ready']);
});

test('a manual server beats the same one of a plugin, the first plugin the second, and who won is told', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, { mcpServers: { mine: { url: 'https://A.example:443/mcp' } } });
  house.write(plugins(house, 'p1', '.mcp.json'), {
    mcpServers: { x: { url: 'https://a.example/mcp' }, y: { command: 'y' } },
  });
  house.write(plugins(house, 'p2', '.mcp.json'), { mcpServers: { y: { command: 'y' } } });
  const { servers } = await house.load();
  expect(servers.map(({ name, standing }) => [name, standing])).toEqual([
    ['mine', { kind: 'ready' }],
    ['plugin:p1:x', { kind: 'suppressed', how: 'duplicate', by: { name: 'mine', scope: 'user' } }],
    ['plugin:p1:y', { kind: 'ready' }],
    ['plugin:p2:y', { kind: 'suppressed', how: 'duplicate', by: { name: 'plugin:p1:y', scope: 'plugin' } }],
  ]);
});

test('an unapproved project server does not switch off the plugin that brings the same', async () => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { x: { command: 'y' } } });
  house.write(plugins(house, 'p', '.mcp.json'), { mcpServers: { y: { command: 'y' } } });
  expect(await house.view()).toEqual(['x project unapproved', 'plugin:p:y plugin ready']);
});

test.each([
  ['a manifest that points outside', 'plugin.json', '{ "mcpServers": "../../../../etc/passwd" }', 'outside'],
  ['servers that are a number', 'plugin.json', '{ "mcpServers": 7 }', 'expected an object'],
  ['a half-written manifest', 'plugin.json', '{ "mcp', 'is not JSON'],
  ['an entry that is no object', '.mcp.json', '{ "mcpServers": { "a": 1 } }', 'expected an object'],
])('%s is a problem of that plugin alone', async (_, file, text, message) => {
  using house = openHouse();
  house.write(plugins(house, 'bad', file), text);
  house.write(plugins(house, 'good', '.mcp.json'), { mcpServers: { g: { command: 'g' } } });
  const { servers, problems } = await house.load();
  expect(servers.filter(({ standing }) => standing.kind === 'ready').map(({ name }) => name)).toEqual([
    'plugin:good:g',
  ]);
  expect(problems).toMatchObject([
    { severity: 'error', file: plugins(house, 'bad', file), message: expect.stringContaining(message) },
  ]);
});

test('nobody else may take a name that belongs to plugins', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, { mcpServers: { 'plugin:one:a': { command: 'fake' } } });
  house.write(plugins(house, 'one', '.mcp.json'), { mcpServers: { a: { command: 'real' } } });
  expect(await house.view()).toEqual(['plugin:one:a user invalid', 'plugin:one:a plugin ready']);
});
