import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSandbox, POLICY_FILE, PROJECT_FILE, type Sandbox, USER_FILE } from './sandbox.js';

const server = { command: process.execPath, args: [join(import.meta.dirname, 'tool-server.mjs')] };
const PROJECT_SETTINGS = 'home/code/app/.plugboard/settings.json';

function openSandbox(permissions: object, more: Readonly<Record<string, unknown>> = {}): Sandbox {
  return makeSandbox({ [USER_FILE]: { mcpServers: { work: server }, settings: { permissions } }, ...more });
}

interface Told {
  readonly permissions?: object;
  readonly more?: Readonly<Record<string, unknown>>;
}

test.each<[what: string, word: string, told: Told, expected: object]>([
  [
    'a rule, with its file and line',
    'mcp__work__add',
    { permissions: { deny: ['mcp__x', 'mcp__work'] } },
    {
      tool: 'mcp__work__add',
      behavior: 'deny',
      by: { kind: 'rule', rule: 'mcp__work', list: 'deny' },
      file: 'HOME/.config/plugboard/config.json',
      line: 14,
    },
  ],
  [
    'the mode that holds when nobody says any',
    'work.add',
    {},
    { tool: 'mcp__work__add', behavior: 'ask', by: { kind: 'mode', mode: 'default' } },
  ],
  [
    'a mode, with its file',
    'mcp__work__echo',
    { permissions: { servers: { work: { mode: 'plan' } } } },
    { behavior: 'deny', by: { kind: 'mode', mode: 'plan' }, file: 'HOME/.config/plugboard/config.json', line: 14 },
  ],
  [
    'a hint',
    'add',
    { permissions: { mode: 'auto-read' } },
    { behavior: 'allow', by: { kind: 'hint', hint: 'read-only' } },
  ],
  ['a built-in tool', 'Read', {}, { tool: 'Read', behavior: 'allow', by: { kind: 'built-in' } }],
  [
    'what the repository denies',
    'mcp__work__add',
    {
      permissions: { allow: ['mcp__work'] },
      more: { [PROJECT_SETTINGS]: { permissions: { deny: ['mcp__work__a*'] } } },
    },
    {
      behavior: 'deny',
      by: { kind: 'rule', rule: 'mcp__work__a*' },
      file: 'PROJECT/.plugboard/settings.json',
      line: 4,
    },
  ],
  [
    'a policy that keeps the server from running',
    'mcp__work__add',
    { more: { [POLICY_FILE]: { deniedMcpServers: [{ serverName: 'work' }] } } },
    { behavior: 'deny', by: { kind: 'policy', standing: 'denied' } },
  ],
  [
    'a server of the project that nobody has approved',
    'mcp__shared__add',
    { more: { [PROJECT_FILE]: { mcpServers: { shared: server } } } },
    { behavior: 'deny', by: { kind: 'server', standing: 'unapproved' } },
  ],
  [
    'an administrator’s list that cannot be understood',
    'mcp__work__add',
    { more: { [POLICY_FILE]: { permissions: { deny: 'mcp__x' } } } },
    { behavior: 'deny', by: { kind: 'doubt' }, file: 'ETC/managed-settings.json', line: 3 },
  ],
])('the user learns that %s decides', async (_, word, { permissions = {}, more = {} }, expected) => {
  const { code, json } = await openSandbox(permissions, more).run(['permissions', word, '--json']);
  expect({ code, ok: json?.ok }).toEqual({ code: 0, ok: true });
  expect(json?.data).toMatchObject({ reason: expect.stringMatching(/./u), ...expected });
});

test('a person reads it in a few lines', async () => {
  const { code, stdout } = await openSandbox({ deny: ['mcp__work__e*'] }).run(['permissions', 'mcp__work__echo']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^mcp__work__echo: denied\n {2}Why: rule "mcp__work__e\*" in deny of HOME\/\.config\/plugboard\/config\.json:\d+\n {2}Server: work, from HOME/u,
  );
});

test('a tool that nobody knows is explained by its name, and that is said', async () => {
  const sandbox = openSandbox({ deny: ['mcp__gone', 'mcp__work__no*'] });
  for (const word of ['mcp__gone__x', 'mcp__work__nothing']) {
    const { code, json, stderr } = await sandbox.run(['permissions', word, '--json']);
    expect({ code, data: json?.data }).toMatchObject({
      code: 0,
      data: { tool: word, behavior: 'deny', by: { kind: 'rule' } },
    });
    expect(stderr).toContain(`only the name of "${word}" is known`);
  }
});

test('without a tool all rules are shown with their places, and those that mean nothing', async () => {
  const sandbox = openSandbox({ mode: 'plan', deny: ['mcp__work__ehco'], allow: ['mcp__work', 'Read', 'mcp__nobody'] });
  // Before the server has listed its tools, a rule for an unknown tool cannot be called wrong.
  const before = await sandbox.run(['permissions', '--json']);
  expect(before.json?.data).toMatchObject({ mode: 'plan', unmatched: [{ rule: 'mcp__nobody', list: 'allow' }] });
  await sandbox.run(['tools', 'work']);
  const { json } = await sandbox.run(['permissions', '--json']);
  const file = 'HOME/.config/plugboard/config.json';
  expect(json?.data).toMatchObject({
    mode: 'plan',
    file,
    rules: [
      { rule: 'mcp__work__ehco', list: 'deny', source: 'user', file },
      { rule: 'mcp__work', list: 'allow' },
      { rule: 'Read', list: 'allow' },
      { rule: 'mcp__nobody', list: 'allow' },
    ],
    unmatched: [{ rule: 'mcp__work__ehco', list: 'deny', meant: 'mcp__work__echo', file }, { rule: 'mcp__nobody' }],
  });
  const { stdout } = await sandbox.run(['permissions']);
  expect(stdout).toContain('Mode: plan, from HOME/.config/plugboard/config.json:');
  expect(stdout).toMatch(/deny {3}mcp__work__ehco .*matches no known server or tool; did you mean mcp__work__echo\?/u);
});

test('what is wrong in the rules is told with them', async () => {
  const { code, stdout, stderr } = await openSandbox({ deny: ['mcp__a(x)'] }).run(['permissions']);
  expect(code).toBe(0);
  expect(stdout).toContain('Every call asks you first: HOME/.config/plugboard/config.json:');
  expect(stderr).toContain('settings.permissions.deny[0]: the rule has brackets');
});

test('two tools at once are one too many', async () => {
  const { code, stderr } = await openSandbox({}).run(['permissions', 'a', 'b']);
  expect(code).toBe(2);
  expect(stderr).toContain('permissions takes one tool');
});

test('the user learns which hooks see a call, in whatever spelling their matchers are', async () => {
  const hook = { hooks: [{ type: 'command', command: 'true' }] };
  const hooks = {
    PreToolUse: [
      { matcher: 'mcp__my.work__*', ...hook },
      { matcher: 'mcp__other', ...hook },
    ],
    PostToolUse: [hook],
  };
  const { run } = makeSandbox({ [USER_FILE]: { mcpServers: { 'my.work': server }, settings: { hooks } } });
  const { json } = await run(['permissions', 'my.work.add', '--json']);
  expect(json?.data?.['hooks']).toMatchObject([
    { event: 'PreToolUse', matcher: 'mcp__my.work__*', file: 'HOME/.config/plugboard/config.json' },
    { event: 'PostToolUse', matcher: '*' },
  ]);
  const { stdout } = await run(['permissions', 'mcp__my_work__add']);
  expect(stdout).toContain('  PreToolUse hook "mcp__my.work__*" of HOME/.config/plugboard/config.json:');
});

test('the user learns that a rule for their own server does not count for a repository’s of that name', async () => {
  const { run } = openSandbox(
    { allow: ['mcp__work'] },
    { [PROJECT_FILE]: { mcpServers: { work: { ...server, timeout: 9000 } } } },
  );
  const { json } = await run(['--approve-project-servers', 'permissions', 'work.add', '--json']);
  expect(json?.data).toMatchObject({
    behavior: 'ask',
    by: { kind: 'mode', mode: 'default' },
    withheld: { rule: 'mcp__work', list: 'allow', file: 'HOME/.config/plugboard/config.json' },
  });
  const { stdout } = await run(['--approve-project-servers', 'permissions', 'work.add']);
  expect(stdout).toMatch(/Rule "mcp__work" of HOME\S+ applies only to your own server of that name/u);
  // Without an approval the user's own server runs.
  const own = await run(['permissions', 'work.add', '--json']);
  expect(own.json?.data).toMatchObject({ behavior: 'allow', by: { kind: 'rule', rule: 'mcp__work' } });
  expect(own.json?.data).not.toHaveProperty('withheld');
});
