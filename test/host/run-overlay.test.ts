import { expect, test } from 'vitest';
import { join } from 'node:path';
import { runRules, setRunMode, setRunRules, setRunServers } from '../../src/actions/driven/run-changes.js';
import { applyUpdates } from '../../src/cli/one-prompt/control/permission-updates.js';
import { userFile } from '../../src/config/scopes/user.js';
import { Host } from '../../src/host/host.js';
import { type House, openHouse } from '../house.js';

const tools = { command: process.execPath, args: [join(import.meta.dirname, '../program/tool-server.mjs')] };

async function openIn(house: House, permissions: object = {}): Promise<Host> {
  const { env, project: cwd, managed } = house;
  house.write(userFile(house.context())!, { mcpServers: { t: tools }, settings: { permissions } });
  const host = await Host.open({ cwd, env, managedDirectories: [managed], watch: false, trustFolder: true });
  await host.settled();
  return host;
}

const decision = (host: Host, tool: string): string | undefined => host.permission(`mcp__t__${tool}`)?.behavior;

test('a mode and rules of a program hold until the host closes, and what is denied stays denied', async () => {
  using house = openHouse();
  await using host = await openIn(house, { deny: ['mcp__t__fail'] });
  expect(decision(host, 'echo')).toBe('ask');
  setRunRules(host, [
    { list: 'allow', text: 'mcp__t__echo' },
    { list: 'allow', text: 'mcp__t__fail' },
  ]);
  expect([decision(host, 'echo'), decision(host, 'fail'), decision(host, 'rows')]).toEqual(['allow', 'deny', 'ask']);
  setRunMode(host, 'plan');
  expect([decision(host, 'rows'), decision(host, 'echo')]).toEqual(['deny', 'deny']);
  setRunMode(host, 'bypass');
  expect([decision(host, 'rows'), decision(host, 'fail')]).toEqual(['allow', 'deny']);
  setRunMode(host, 'default');
  setRunRules(host, []);
  expect([decision(host, 'echo'), decision(host, 'rows')]).toEqual(['ask', 'ask']);
});

test("an administrator's mode is stronger than that of a program", async () => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-settings.json'), { permissions: { mode: 'dont-ask' } });
  await using host = await openIn(house);
  setRunMode(host, 'bypass');
  expect(decision(host, 'echo')).toBe('deny');
});

test('servers of a program are replaced by its next ones, and configured ones are not touched', async () => {
  using house = openHouse();
  await using host = await openIn(house);
  const names = (): readonly string[] => host.servers().map(({ name }) => name);
  expect(await setRunServers(host, { one: tools, two: tools, t: tools })).toEqual({
    added: ['one', 'two'],
    removed: [],
    errors: { t: 'a configured server has this name' },
  });
  await host.settled();
  expect(names()).toEqual(['t', 'one', 'two']);
  expect(host.tools().some(({ name }) => name === 'mcp__two__echo')).toBe(true);
  expect(await setRunServers(host, { two: tools, three: { command: 5 }, ['__proto__']: tools })).toMatchObject({
    removed: ['one'],
    errors: { three: expect.any(String) as unknown },
  });
  expect(await setRunServers(host, {})).toMatchObject({ added: [] });
  expect(names()).toEqual(['t']);
});

test('a policy holds for servers of a program', async () => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-settings.json'), { deniedMcpServers: [{ serverName: 'bad' }] });
  await using host = await openIn(house);
  await setRunServers(host, { bad: tools });
  expect(host.server('bad')).toMatchObject({ status: 'denied' });
});

const rules = (type: string, behavior: string, ...names: readonly string[]): object => ({
  type,
  behavior,
  destination: 'session',
  rules: names.map((toolName) => ({ toolName })),
});

test('updates of permissions: rules join, replace and leave those of the program alone; a mode never widens', async () => {
  using house = openHouse();
  await using host = await openIn(house, { deny: ['mcp__t__fail'] });
  const notes: string[] = [];
  const apply = (update: unknown, mayBypass = false): readonly string[] => {
    applyUpdates([update], { host, mayBypass, onNote: (note) => notes.push(note) });
    return runRules(host).map(({ list, text }) => `${list} ${text}`);
  };
  expect(apply(rules('addRules', 'allow', 'mcp__t__echo', 'mcp__t__echo'))).toEqual([
    'allow mcp__t__echo',
    'allow mcp__t__echo',
  ]);
  expect(apply(rules('addRules', 'deny', 'mcp__t__rows', 'Bash'))).toContain('deny mcp__t__rows');
  expect(apply(rules('replaceRules', 'allow', 'mcp__t__add'))).toEqual(['deny mcp__t__rows', 'allow mcp__t__add']);
  expect(apply(rules('removeRules', 'deny', 'mcp__t__fail', 'mcp__t__rows'))).toEqual(['allow mcp__t__add']);
  expect(decision(host, 'fail')).toBe('deny');
  expect(notes).toEqual([]);
  apply({ type: 'setMode', mode: 'bypassPermissions', destination: 'session' });
  expect([decision(host, 'echo'), notes.splice(0)]).toEqual([
    'ask',
    ['updatedPermissions: the mode bypassPermissions may not be chosen'],
  ]);
  apply({ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }, true);
  expect(decision(host, 'echo')).toBe('allow');
  apply({
    type: 'addRules',
    behavior: 'allow',
    destination: 'userSettings',
    rules: [{ toolName: 'Bash', ruleContent: 'ls' }],
  });
  apply({ type: 'fly' });
  apply(7);
  expect(notes).toEqual([
    'updatedPermissions allows nothing with Bash(ls)',
    'updatedPermissions: rules hold for this session, and are written to no file',
    'updatedPermissions: fly is not known, and changes nothing',
    'updatedPermissions: undefined is not known, and changes nothing',
  ]);
});
