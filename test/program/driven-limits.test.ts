import { expect, test } from 'vitest';
import { embedSdk } from '../contract/servers/sdk-in-process.js';
import { call, promptScene, resultOf, say, toolServer, withTools } from './prompt-scene.js';
import { PROJECT_FILE, USER_FILE } from './sandbox.js';
import { talk } from './stream-talk.js';

const own = { mcpServers: { calc: toolServer } };

test.each([
  ['a repository', [], { [PROJECT_FILE]: own }],
  ['an approved repository', ['--approve-project-servers'], { [PROJECT_FILE]: own }],
  ['the user', [], { [USER_FILE]: own }],
  ['--mcp-server', ['--mcp-server', `calc=${JSON.stringify(toolServer)}`], {}],
  ['--mcp-config', ['--mcp-config', JSON.stringify(own)], {}],
])("no server of %s takes the name of the program's own", async (_, args, files) => {
  const { user, request, result, end, api } = await talk(
    [[call('mcp__calc__add', { a: 2, b: 3 })], say('Five.')],
    [...args, '--allow', 'mcp__calc'],
    { servers: { calc: (line) => embedSdk({}).connect(line) } },
    files,
  );
  expect(await request('initialize', { sdkMcpServers: ['calc'] })).toMatchObject({ subtype: 'success' });
  user('2 + 3?');
  expect(await result(1)).toMatchObject({ result: 'Five.' });
  expect(resultOf(api)).toMatchObject({ content: [{ text: '5' }] });
  expect(await end()).toMatchObject({ code: 0 });
});

const user = (mode: string): object => ({ [USER_FILE]: { settings: { permissions: { mode } } } });
const bypassed = user('bypass');
const never = ['--settings', '{"permissions":{"disableBypassPermissionsMode":"disable"}}'];
const PERMITTED = '--allow-dangerously-skip-permissions';

test.each([
  [['--permission-mode=bypass'], {}, 'default', '--permission-mode bypass has no effect without'],
  [['--permission-mode=bypass', ...never], {}, 'default', '--permission-mode bypass has no effect without'],
  [['--permission-mode=bypass'], user('plan'), 'plan', '--permission-mode bypass has no effect without'],
  [[], bypassed, 'default', 'the mode bypass is not used'],
  [['--permission-mode=bypassPermissions'], bypassed, 'default', 'the mode bypass is not used'],
  [[], { [USER_FILE]: { settings: { permissions: { servers: { t: { mode: 'bypass' } } } } } }, 'default', 'not used'],
  [['--permission-mode=auto'], user('plan'), 'plan', 'the mode auto is not there'],
  [['--permission-mode=acceptEdits'], user('dont-ask'), 'dontAsk', 'the mode acceptEdits is not there'],
  [['--permission-mode=acceptEdits'], user('auto-read'), 'default', 'the mode acceptEdits is not there'],
  [['--settings', '{"permissions":{"defaultMode":"acceptEdits"}}'], user('plan'), 'plan', 'acceptEdits is not there'],
])('a program gets no wider mode than it is permitted: %j with %j', async (args, files, mode, told) => {
  const {
    user: ask,
    result,
    lines,
    end,
    api,
  } = await talk([[call('mcp__t__echo', { text: 'x' })], say('ok')], [...withTools(), ...args], {}, files);
  ask('go');
  await result(1);
  expect(lines('system')).toContainEqual(expect.objectContaining({ subtype: 'init', permissionMode: mode }));
  expect(resultOf(api)).toMatchObject({ is_error: true });
  expect((await end()).stderr).toContain(told);
});

test.each([
  [[PERMITTED, '--permission-mode=bypass'], {}],
  [[PERMITTED], bypassed],
])('a program that is permitted to has the mode that asks nobody: %j', async (args, files) => {
  const {
    user: ask,
    result,
    end,
    api,
  } = await talk([[call('mcp__t__echo', { text: 'x' })], say('ok')], [...withTools(), ...args], {}, files);
  ask('go');
  await result(1);
  expect(resultOf(api)).not.toMatchObject({ is_error: true });
  expect(await end()).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  [['--permission-mode=bypass'], {}, false],
  [[], bypassed, false],
  [['--permission-mode=bypass', ...never], {}, true],
  [never, bypassed, true],
])('-p keeps the mode of the user, unless it is disabled: %j with %j', async (args, files, isDenied) => {
  const { run, api } = await promptScene([[call('mcp__t__echo', { text: 'x' })], say('ok')], files);
  await run(['-p', 'go', ...withTools(), ...args]);
  expect(resultOf(api)?.['is_error'] === true).toBe(isDenied);
});

const agent = { description: 'd', prompt: 'p' };

test.each([
  [{ hooks: [{ PreToolUse: [{ hookCallbackIds: ['a'] }] }] }, 'hooks is no object'],
  [{ hooks: 'PreToolUse' }, 'hooks is no object'],
  [{ agents: [{ name: 'a', ...agent }] }, 'agents is no object'],
  [{ agents: { a: { ...agent, disallowedTools: 'mcp__t' } } }, 'agents.a: disallowedTools is no list'],
  [{ agents: { a: { ...agent, permissionMode: 'Plan' } } }, 'agents.a: permissionMode is no mode'],
  [{ agents: { a: { ...agent, hooks: { PreToolUse: [] } } } }, 'agents.a: hooks is a limit'],
])('limits that cannot be read are refused by name: %j', async (beginning, told) => {
  const { request, ended, api } = await talk([say('no')], withTools());
  expect(await request('initialize', beginning)).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining(told),
  });
  expect(await ended).toMatchObject({ stderr: expect.stringContaining(told) });
  expect(api.requests).toEqual([]);
});

test('hooks that come too late end the run: nothing must run that they were to stop', async () => {
  const { request, user: ask, api, ended, lines } = await talk(() => undefined, withTools());
  expect(await request('initialize')).toMatchObject({ subtype: 'success' });
  ask('go');
  await api.asked(1);
  expect(await request('initialize', { hooks: { PreToolUse: [{ hookCallbackIds: ['a'] }] } })).toMatchObject({
    error: expect.stringContaining('first line'),
  });
  expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('its hooks cannot run any more') });
  expect(lines('result')[0]).toMatchObject({ is_error: true, errors: [expect.stringContaining('first line')] });
});

test('a server that a policy denies is not added to a running session, and the program learns why', async () => {
  const denied = ['--settings', '{"deniedMcpServers":[{"serverName":"late"}]}'];
  const { request, end } = await talk([say('no')], denied);
  await request('initialize');
  expect(await request('mcp_set_servers', { servers: { late: toolServer } })).toMatchObject({
    response: { added: [], errors: { late: expect.stringContaining('denied by') } },
  });
  expect(await request('mcp_set_servers', { servers: {} })).toMatchObject({ response: { added: [], removed: [] } });
  await end();
});
