import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VERB_PREFIX } from '../../src/cli/input/arguments.js';
import { verbs } from '../../src/cli/verbs/all.js';
import { LOCK_FILE, makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';

test('enable of a server that is on changes nothing and makes no file', async () => {
  const sandbox = makeSandbox();
  await sandbox.run(['add', 'a', '--', 'x']);
  const before = sandbox.files();
  expect((await sandbox.run(['enable', 'a'])).stdout).toBe('MCP server a is enabled already\n');
  expect(sandbox.files()).toEqual(before);
});

test('enable --dry-run shows no empty new file', async () => {
  const sandbox = makeSandbox();
  await sandbox.run(['add', 'a', '--', 'x']);
  await sandbox.run(['disable', 'a']);
  expect((await sandbox.run(['enable', 'a', '--dry-run'])).stdout).not.toContain('(new file)');
});

test('remove takes the nearest of two project files', async () => {
  const sandbox = makeSandbox({
    [PROJECT_FILE]: { mcpServers: { a: { command: 'near' } } },
    'home/code/.mcp.json': { mcpServers: { a: { command: 'far' } } },
  });
  expect((await sandbox.run(['remove', 'a'])).stdout).toContain('File modified: PROJECT/.mcp.json');
});

test('hints to paste quote what a repository wrote', async () => {
  const { run } = makeSandbox({
    [PROJECT_FILE]: {
      mcpServers: {
        '$(touch a)': { command: 5 },
        'x; touch b': { command: 'node' },
        c: { command: 'node', cwd: '/n; touch c' },
      },
    },
  });
  const a = (await run(['doctor', '--no-connect'])).stdout;
  const b = (await run(['doctor', '--no-connect', '--approve-project-servers'])).stdout;
  expect(a).not.toContain('plugboard get "$(touch a)"');
  expect(a).not.toContain('plugboard approve x; touch b');
  expect(b).not.toContain('mkdir -p /n; touch c');
});

test.each([
  [
    ['--mcp-config', '{"mcpServers":{}}'],
    'You cannot dynamically configure MCP servers when an enterprise MCP config is present',
  ],
  [['--strict-mcp-config'], 'You cannot use --strict-mcp-config when an enterprise MCP config is present'],
])('under an enterprise lock, %j is refused in words that scripts know', async (flags, text) => {
  const { run } = makeSandbox({ [LOCK_FILE]: { mcpServers: {} } });
  expect((await run(['list', '--no-connect', ...flags])).stderr).toContain(text);
});

test('removing a server of the command line is not sent to disable, which refuses it', async () => {
  const { run } = makeSandbox();
  expect((await run(['remove', 'd', '--mcp-server', 'd={"command":"x"}'])).stderr).not.toContain('plugboard disable d');
});

test('a broken --mcp-server does not claim that the others are loaded', async () => {
  const { run } = makeSandbox();
  expect((await run(['list', '--no-connect', '--mcp-server', 'r={'])).stderr).not.toContain(
    'the other files are loaded',
  );
  expect((await run(['list', '--no-connect', '--mcp-config', '{ oops'])).stderr).not.toContain(
    'the other files are loaded',
  );
});

test('a name with a leading dash can be pasted', async () => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { '-x': { command: 'x' } } } });
  await sandbox.run(['list', '--no-connect']);
  const { stderr } = await sandbox.run(['remove', '-s', 'local', '--', '-x']);
  expect(stderr).toContain('-- -x');
});

test('policy of the user is not called enterprise policy', async () => {
  const { run } = makeSandbox({ [USER_FILE]: { settings: { deniedMcpServers: [{ serverName: 'a' }] } } });
  expect((await run(['add', 'a', '--', 'x'])).stderr).not.toContain('enterprise');
});

test('every command that a text of the program names is one that it has', () => {
  const src = fileURLToPath(new URL('../../src', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/u.test(file),
  );
  const known = [VERB_PREFIX, ...verbs.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])])];
  const named = files.flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/\bplugboard ([a-z][a-z-]+)\b(?!\.)/gu)].map(
      ([, verb]) => `${verb} in ${file}`,
    ),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((use) => !known.includes(use.split(' ')[0]!) && !use.startsWith('completion '))).toEqual([]);
});
