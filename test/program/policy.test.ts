import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { POLICY_STEP } from '../../src/model/text/policy-step.js';
import { LOCK_FILE, makeSandbox, POLICY_FILE, PROJECT_FILE, type Sandbox, USER_FILE } from './sandbox.js';

const own = {
  [PROJECT_FILE]: { mcpServers: { shared: { command: 'x' } } },
  [USER_FILE]: { mcpServers: { mine: { command: 'x' } } },
};
const LOCKED = 'enterprise MCP configuration is active and has exclusive control over MCP servers';

interface Expected {
  readonly code: number;
  readonly stdout?: string;
  readonly stderr: string;
}

/** Checks the output, and that no file changed. */
async function check(
  sandbox: Sandbox,
  args: readonly string[],
  { code, stdout = '', stderr }: Expected,
): Promise<void> {
  const before = sandbox.files();
  const run = await sandbox.run(args);
  expect({ code: run.code, stdout: run.stdout, stderr: run.stderr }).toEqual({ code, stdout, stderr });
  expect(sandbox.files()).toEqual(before);
}

const locked = (): Sandbox =>
  makeSandbox({ ...own, [LOCK_FILE]: { mcpServers: { corp: { url: 'https://c.example' } } } });

test.each<[string, readonly string[]]>([
  ['add', ['add', 's', '--', 'x']],
  ['add', ['add', 's', '-s', 'user', 'https://h.example']],
  ['add', ['add-json', 's', '{"command":"x"}']],
  ['add', ['add', 's', '--dry-run', '--', 'x']],
  ['remove', ['remove', 'mine']],
  ['remove', ['remove', 'mine', '-s', 'user']],
  ['remove', ['remove', 'corp']],
  ['change', ['disable', 'corp']],
  ['change', ['enable', 'corp']],
  ['add', ['import', 'cursor']],
  ['add', ['import', 'cursor', '--link']],
])('under an enterprise lock nobody can %s: %j', (verb, args) =>
  check(locked(), args, {
    code: 5,
    stderr: `error: Cannot ${verb} MCP server: ${LOCKED}\n  → Ask your administrator, who controls ETC/managed-mcp.json\n`,
  }),
);

test('under an enterprise lock only its servers are there', () =>
  check(locked(), ['list', '--no-connect'], {
    code: 0,
    stdout:
      '  NAME  STATE       TRANSPORT  SCOPE       PROTOCOL  TOOLS  PROMPTS  RESOURCES  MS\n• corp  configured  http       enterprise  –             –        –          –   –\n',
    stderr: '',
  }));

test.each([
  [['--mcp-config', '{"mcpServers":{}}']],
  [['--mcp-server', 'a={"command":"x"}']],
  [['--strict-mcp-config']],
])('under an enterprise lock %j ends the run', async (flags) => {
  const { json, code } = await locked().run(['list', '--no-connect', '--json', ...flags]);
  expect([code, json?.ok, json?.error?.code]).toEqual([5, false, 'enterprise-locked']);
});

test.each<[string, string]>([
  ['is not JSON', '{ oops'],
  ['is empty', ''],
  ['is a list', '[]'],
])('an enterprise file that %s still locks, and lets nothing run', async (_, text) => {
  const sandbox = makeSandbox({ ...own, [LOCK_FILE]: text });
  const { json } = await sandbox.run(['list', '--no-connect', '--json']);
  expect(json?.data?.['servers']).toEqual([]);
  const { code } = await sandbox.run(['add', 's', '--', 'x']);
  expect(code).toBe(5);
  const { code: doctor, stdout } = await sandbox.run(['doctor']);
  expect(doctor).toBe(3);
  expect(stdout).toContain('no server may run until the file is fixed');
});

test('an enterprise file that cannot be read still locks', async () => {
  const sandbox = makeSandbox(own);
  mkdirSync(`${sandbox.managed}/managed-mcp.json`, { recursive: true });
  expect((await sandbox.run(['list', '--no-connect', '--json'])).json?.data?.['servers']).toEqual([]);
  expect((await sandbox.run(['add', 's', '--', 'x'])).code).toBe(5);
});

const policies: Readonly<Record<string, object>> = {
  'denied by name': { deniedMcpServers: [{ serverName: 'evil' }] },
  'denied by command': { deniedMcpServers: [{ serverCommand: ['npx', '*evil*'] }] },
  'denied by URL': { deniedMcpServers: [{ serverUrl: 'https://*.evil.example/*' }] },
  'not on the list of names': { allowedMcpServers: [{ serverName: 'good' }] },
  'on no list': { allowedMcpServers: [] },
};
const BLOCKED = 'server is explicitly blocked by enterprise policy';
const UNLISTED = 'not allowed by enterprise policy';

test.each<[string, readonly string[], string, string]>([
  ['denied by name', ['evil', '--', 'x'], BLOCKED, 'denied by { serverName: "evil" } in ETC/managed-settings.json'],
  [
    'denied by command',
    ['s', '--', 'npx', 'an-evil-server'],
    BLOCKED,
    'denied by { serverCommand: ["npx","*evil*"] } in ETC/managed-settings.json',
  ],
  [
    'denied by command',
    ['s', '--', '/usr/bin/env', 'A=1', 'npx', 'evil'],
    BLOCKED,
    'denied by { serverCommand: ["npx","*evil*"] } in ETC/managed-settings.json',
  ],
  [
    'denied by URL',
    ['s', 'https://MCP.evil.example./x/y'],
    BLOCKED,
    'denied by { serverUrl: "https://*.evil.example/*" } in ETC/managed-settings.json',
  ],
  ['not on the list of names', ['s', '--', 'x'], UNLISTED, 'not on the allow list in ETC/managed-settings.json'],
  ['on no list', ['s', 'https://h.example'], UNLISTED, 'not on the allow list in ETC/managed-settings.json'],
])('a server that is %s cannot be added: %j', (policy, args, why, reason) => {
  const name = args[0]!;
  return check(makeSandbox({ [POLICY_FILE]: policies[policy] }), ['add', ...args], {
    code: 5,
    stderr: `error: Cannot add MCP server "${name}": ${why}\n  → ${reason}. ${POLICY_STEP}\n`,
  });
});

test('what policy forbids is listed as denied, with the rule that did it', () =>
  check(
    makeSandbox({
      [POLICY_FILE]: { deniedMcpServers: [{ serverName: 'evil' }] },
      [USER_FILE]: { mcpServers: { evil: { command: 'x' }, twin: { command: 'x' }, good: { command: 'y' } } },
    }),
    ['list', '--no-connect'],
    {
      code: 0,
      stdout: `  NAME  STATE       TRANSPORT  SCOPE  PROTOCOL  TOOLS  PROMPTS  RESOURCES  MS
✘ evil  denied      stdio      user   –             –        –          –   –
✘ twin  denied      stdio      user   –             –        –          –   –
• good  configured  stdio      user   –             –        –          –   –

warning: "evil" may not run: denied by { serverName: "evil" } in ETC/managed-settings.json
  → Ask the owner of that file, or edit it if it is yours
warning: "twin" may not run: the same server as "evil", which is denied by { serverName: "evil" } in ETC/managed-settings.json
  → Ask the owner of that file, or edit it if it is yours
`,
      stderr: '',
    },
  ));

test.each<[string, readonly string[]]>([
  ['an approval', ['approve', 'evil']],
  ['an approval for one run', ['list', '--no-connect', '--approve-project-servers']],
  ['an enable', ['enable', 'evil']],
])('%s does not lift a denial', async (_, args) => {
  const sandbox = makeSandbox({
    [POLICY_FILE]: { deniedMcpServers: [{ serverName: 'evil' }] },
    [PROJECT_FILE]: { mcpServers: { evil: { command: 'x' } } },
  });
  await sandbox.run(args);
  const { json } = await sandbox.run(['get', '--no-connect', 'evil', '--json', '--approve-project-servers']);
  expect(json?.data?.['status']).toBe('denied');
});

test.each<[string, object]>([
  ['a list that is none', { deniedMcpServers: 'evil' }],
  ['a rule that nobody knows', { deniedMcpServers: [{ server: 'evil' }] }],
  ['a list with a mistyped name', { deniedMcpServer: [{ serverName: 'evil' }] }],
])('%s in the policy lets nothing run and nothing be added', async (_, policy) => {
  const sandbox = makeSandbox({ ...own, [POLICY_FILE]: policy });
  const { json } = await sandbox.run(['get', '--no-connect', 'mine', '--json']);
  expect(json?.data?.['status']).toBe('denied');
  const { code, stderr } = await sandbox.run(['add', 's', '--', 'x']);
  expect([code, stderr.split('\n')[0]]).toEqual([5, `error: Cannot add MCP server "s": ${UNLISTED}`]);
});

test('a denial in JSON has its code and its rule', async () => {
  const { run } = makeSandbox({ [POLICY_FILE]: policies['denied by name'] });
  const { json, code } = await run(['add', 'evil', '--json', '--', 'x']);
  expect([code, json]).toEqual([
    5,
    {
      ok: false,
      error: {
        code: 'policy-denied',
        message: `Cannot add MCP server "evil": ${BLOCKED}`,
        hint: `denied by { serverName: "evil" } in ETC/managed-settings.json. ${POLICY_STEP}`,
        docs: 'docs/troubleshooting.md#policy-denied',
      },
    },
  ]);
});
