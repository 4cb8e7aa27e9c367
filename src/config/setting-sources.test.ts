import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../../test/house.js';
import type { ConfigOptions } from './context.js';
import { localFile } from './scopes/local.js';
import { userFile } from './scopes/user.js';

const entry = { mcpServers: { x: { command: 'run' } } };
const denying = (rule: string): object => ({ permissions: { deny: [rule] } });

const named = (name: string): object => ({ mcpServers: { [name]: { command: name } } });

function furnish(): House {
  const house = openHouse();
  house.write(join(house.managed, 'managed-settings.json'), denying('mcp__managed'));
  house.write(localFile(house.context())!, { ...named('local'), settings: denying('mcp__local') });
  house.write(userFile(house.context())!, {
    ...named('user'),
    settings: { ...denying('mcp__user'), model: 'mine' },
    disabledMcpServers: ['local'],
  });
  house.write(join(house.project, '.mcp.json'), named('project'));
  house.write(join(house.project, '.plugboard/settings.json'), denying('mcp__project'));
  house.write(join(house.home, '.config/plugboard/plugins/tool/.mcp.json'), entry);
  house.write(join(house.root, 'brought/.mcp.json'), entry);
  return house;
}

async function check(options: ConfigOptions, servers: readonly string[], rules: readonly string[]): Promise<void> {
  using house = furnish();
  const loaded = await house.load(options);
  expect(loaded.servers.map(({ name, standing }) => `${name} ${standing.kind}`)).toEqual(servers);
  expect(loaded.permissions.rules.map(({ text }) => text)).toEqual(['managed', ...rules].map((name) => `mcp__${name}`));
  expect(loaded.settings.model?.name).toBe(options.settingSources?.includes('user') === false ? undefined : 'mine');
}

test('all files are read where nothing else is said', async () => {
  const all = ['local disabled', 'project unapproved', 'user ready', 'plugin:tool:x ready'];
  await check({}, all, ['local', 'user', 'project']);
});

test('the user with plugins, the project and the user in the project can be left out, the administrator cannot', async () => {
  await check({ settingSources: ['user'] }, ['user ready', 'plugin:tool:x ready'], ['user']);
  await check({ settingSources: ['project'] }, ['project unapproved'], ['project']);
  await check({ settingSources: ['local'] }, ['local ready'], ['local']);
  await check({ settingSources: [] }, [], []);
});

test('what the run itself brings is read in any case', async () => {
  using house = furnish();
  const options: ConfigOptions = {
    settingSources: [],
    mcpServers: ['mine={"command":"mine"}', 'other={"command":"other"}'],
    pluginDirs: ['../../brought'],
    settings: { ...denying('mcp__mine__t'), deniedMcpServers: [{ serverName: 'other' }] },
  };
  expect(await house.view(options)).toEqual([
    'other dynamic denied',
    'mine dynamic ready',
    'plugin:brought:x plugin ready',
  ]);
  const { permissions } = await house.load(options);
  expect(permissions.rules.map(({ text, file }) => [text, file])).toEqual([
    ['mcp__managed', join(house.managed, 'managed-settings.json')],
    ['mcp__mine__t', 'settings'],
  ]);
});

test('settings of the run that cannot be read are a mistake, and let nothing pass', async () => {
  using house = furnish();
  const rules = await house.load({ settings: { permissions: { deny: 'mcp__x' } }, isCommandLine: true });
  expect(rules.problems).toContainEqual(expect.objectContaining({ code: 'bad-argument', file: '--settings' }));
  const policy = await house.load({ settings: { deniedMcpServers: 'x' }, isCommandLine: true });
  expect(policy.problems).toContainEqual(expect.objectContaining({ code: 'bad-argument', file: '--settings' }));
  expect(policy.servers.every(({ standing }) => standing.kind !== 'ready')).toBe(true);
});
