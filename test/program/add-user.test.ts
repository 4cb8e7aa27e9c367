import { chmodSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makeSandbox, type Sandbox, serversIn, USER_FILE } from './sandbox.js';

const toolServer = resolve(import.meta.dirname, 'tool-server.mjs');
const MEANS =
  'A relative path starts in the folder where Plugboard runs; in a folder that is not trusted the server waits for: plugboard trust';
const LEFT = ' could not be made an absolute path: there is no such file here. ';

/** A trusted project with a few files, and another folder that is not trusted. */
function open(): Sandbox {
  const sandbox = makeSandbox({
    'home/code/app/server.mjs': `await import(${JSON.stringify(toolServer)});\n`,
    'home/code/app/config.json': '{}',
    'home/code/app/some-tool': '#!/bin/sh\n',
    'home/code/app/bin/run': `#!/bin/sh\nexec node ${toolServer}\n`,
    'home/code/app/data/x': '',
    'home/code/other/.git/HEAD': 'ref: x',
  });
  chmodSync(join(sandbox.project, 'bin/run'), 0o755);
  mkdirSync(join(sandbox.home, 'code/other'), { recursive: true });
  return sandbox;
}

const written = ({ root }: Sandbox): unknown => serversIn(join(root, USER_FILE))['s'];

test.each<[argv: readonly string[], written: readonly string[], notes: readonly string[]]>([
  [['node', './server.mjs'], ['node', 'PROJECT/server.mjs'], []],
  [['node', 'server.mjs', '--verbose'], ['node', 'PROJECT/server.mjs', '--verbose'], []],
  [['./bin/run'], ['PROJECT/bin/run'], []],
  [['bin/run', '-c', './config.json'], ['PROJECT/bin/run', '-c', 'PROJECT/config.json'], []],
  [['node', 'server.mjs', '--config=config.json'], ['node', 'PROJECT/server.mjs', '--config=PROJECT/config.json'], []],
  [['npx', '-y', '@scope/server', '.'], ['npx', '-y', '@scope/server', '.'], [`"." stays as typed. ${MEANS}`]],
  [['npx', 'x', './data'], ['npx', 'x', './data'], [`"./data" stays as typed. ${MEANS}`]],
  [['docker', 'run', '-v', '$PWD:./x'], ['docker', 'run', '-v', '$PWD:./x'], [`"$PWD:./x" stays as typed. ${MEANS}`]],
  [
    ['npx', 'some-tool'],
    ['npx', 'some-tool'],
    ['"some-tool" stays as typed: it may be a name. If you mean the file here, write ./some-tool'],
  ],
  [['npx', 'data'], ['npx', 'data'], []],
  [['node', './gone.mjs'], ['node', './gone.mjs'], [`"./gone.mjs"${LEFT}${MEANS}`]],
  [['./gone'], ['./gone'], [`"./gone"${LEFT}${MEANS}`]],
  [['node', '/etc/hosts', '${HOME}/x.mjs'], ['node', '/etc/hosts', '${HOME}/x.mjs'], []],
])('add -s user %j writes %j', async (argv, words, notes) => {
  const sandbox = open();
  const { code, stderr } = await sandbox.run(['add', 's', '-s', 'user', '--', ...argv]);
  const told = stderr.split('\n').flatMap((line) => (line.startsWith('Note: "') ? [line.slice('Note: '.length)] : []));
  const [command, ...args] = words.map((word) => word.replace('PROJECT', sandbox.project));
  expect([code, written(sandbox), told]).toEqual([0, { type: 'stdio', command, args, env: {} }, notes]);
  const json = await sandbox.run([
    'add-json',
    't',
    '-s',
    'user',
    JSON.stringify({ command: argv[0], args: argv.slice(1) }),
  ]);
  expect([json.code, serversIn(join(sandbox.root, USER_FILE))['t']]).toEqual([
    0,
    expect.objectContaining({ command, args }),
  ]);
});

test('a server that was added for every folder starts in any, trusted or not; one of a folder waits there', async () => {
  const sandbox = open();
  await sandbox.run(['add', 'full', '-s', 'user', '--', 'node', 'server.mjs']);
  await sandbox.run(['add', 'here', '-s', 'user', '--', 'node', toolServer, '.']);
  const listed = async (cwd: string): Promise<unknown> => {
    const { json } = await sandbox.run(['list', '--json'], { cwd });
    const servers = json?.data?.['servers'] as readonly { readonly name: string; readonly status: string }[];
    return servers.map(({ name, status }) => `${name} ${status}`);
  };
  expect(await listed(sandbox.project)).toEqual(['full connected', 'here connected']);
  expect(await listed(join(sandbox.home, 'code/other'))).toEqual(['full connected', 'here unapproved']);
});

test('in another scope words stay as typed: there they mean this folder', async () => {
  const sandbox = open();
  const { stderr } = await sandbox.run(['add', 's', '-s', 'project', '--', 'node', './server.mjs']);
  expect([serversIn(join(sandbox.project, '.mcp.json'))['s'], stderr]).toEqual([
    { type: 'stdio', command: 'node', args: ['./server.mjs'], env: {} },
    'The server runs once you approve it: plugboard approve s\n',
  ]);
});
