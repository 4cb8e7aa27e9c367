import { expect, test } from 'vitest';
import { makeSandbox, USER_FILE } from './sandbox.js';

const servers = {
  db: { command: 'mysql-mcp', args: ['--host', 'db', '-p', 'hunter2', '-u', 'jane:hunter2'] },
  npx: { command: 'npx', args: ['-y', '-p', 'some-package', 'tool', '-p', 'hunter2', '-p', '3000:3000'] },
  line: { command: 'sh', args: ['-c', 'exec tool -p hunter2 --password hunter2'] },
  path: { url: 'https://h.example/token/hunter2/mcp' },
  hook: { url: 'https://hooks.slack.com/services/T000hunter2/B000/x' },
  key: { url: 'https://h.example/s/a1b2c3d4e5hunter2f6/mcp' },
};

test.each([
  ['list', '--no-connect'],
  ['list', '--no-connect', '--json'],
  ...Object.keys(servers).flatMap((name) => [
    ['get', name, '--no-connect'],
    ['get', name, '--no-connect', '--json'],
  ]),
])('%s %s %s shows no password of an option and no secret of a path', async (...args) => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: servers } });
  const { stdout, stderr, code } = await sandbox.run(args);
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain('hunter2');
});

test('what is no secret is still shown', async () => {
  const { run } = makeSandbox({ [USER_FILE]: { mcpServers: servers } });
  const got = await Promise.all(Object.keys(servers).map((name) => run(['get', name, '--no-connect'])));
  const text = got.map(({ stdout }) => stdout).join('');
  for (const shown of [
    '"-p","some-package","tool","-p","••••","-p","3000:3000"',
    'jane:••••',
    'https://h.example/token/••••/mcp',
  ])
    expect(text).toContain(shown);
});
