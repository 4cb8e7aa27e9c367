import { expect, test } from 'vitest';
import { embedSdk } from '../contract/servers/sdk-in-process.js';
import { call, resultOf, say, toolServer } from './prompt-scene.js';
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
