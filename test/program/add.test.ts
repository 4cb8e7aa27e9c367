import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localFileOf, makeSandbox, PROJECT_FILE, serversIn, USER_FILE } from './sandbox.js';

interface Expected {
  readonly code?: number;
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
  /** The entry that `add` wrote under the name `s`. */
  readonly entry?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `add` in an empty home. `stdout` and `stderr` are whole lines; a refused `add` must change no file. */
async function check(args: readonly string[], { code = 0, stdout, stderr = [], entry, env }: Expected): Promise<void> {
  const sandbox = makeSandbox();
  const before = sandbox.files();
  const run = await sandbox.run(['add', ...args], env ? { env } : {});
  expect(linesOf(run.stderr)).toEqual(stderr);
  expect(run.code).toBe(code);
  expect(linesOf(run.stdout)).toEqual(stdout ?? linesOf(run.stdout));
  expect(serversIn(localFileOf(sandbox))['s']).toEqual(entry);
  const isRefused = code !== 0;
  expect(run.stdout === '' && JSON.stringify(sandbox.files()) === JSON.stringify(before)).toBe(isRefused);
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.trimEnd().split('\n'));
const modified = 'File modified: LOCAL [project: PROJECT]';
const stdio = (command: string, args: readonly string[] = [], env = {}): object => ({
  type: 'stdio',
  command,
  args,
  env,
});

test.each<[string, readonly string[], Expected]>([
  [
    'a command',
    ['s', '--', 'node', 'server.js', '--flag', 'x'],
    {
      stdout: ['Added stdio MCP server s with command: node server.js --flag x to local config', modified],
      entry: stdio('node', ['server.js', '--flag', 'x']),
    },
  ],
  [
    'a URL',
    ['-t', 'http', 's', 'https://h.example/mcp'],
    {
      stdout: ['Added HTTP MCP server s with URL: https://h.example/mcp to local config', modified],
      entry: { type: 'http', url: 'https://h.example/mcp' },
    },
  ],
  [
    'a header, which is not repeated aloud',
    ['s', 'https://h.example', '-H', 'Authorization: Bearer a:b', '-H', 'X-Org: ${ORG}'],
    {
      env: { ORG: 'me' },
      stdout: [
        'Added HTTP MCP server s with URL: https://h.example to local config',
        modified,
        'Headers: {',
        '  "Authorization": "[REDACTED]",',
        '  "X-Org": "${ORG}"',
        '}',
      ],
      entry: {
        type: 'http',
        url: 'https://h.example',
        headers: { Authorization: 'Bearer a:b', 'X-Org': '${ORG}' },
      },
    },
  ],
  [
    'a secret argument, which is not repeated aloud',
    ['s', '--', 'x', '--api-key', 'hunter2', '--token=hunter2', 'https://u.example/?key=hunter2'],
    {
      stdout: [
        'Added stdio MCP server s with command: x --api-key •••• --token=•••• https://u.example/?key=•••• to local config',
        modified,
      ],
      entry: stdio('x', ['--api-key', 'hunter2', '--token=hunter2', 'https://u.example/?key=hunter2']),
    },
  ],
  [
    'a secret in a URL, which is not repeated aloud',
    ['s', 'https://h.example/?api_key=hunter2'],
    {
      stdout: ['Added HTTP MCP server s with URL: https://h.example/?api_key=•••• to local config', modified],
      entry: { type: 'http', url: 'https://h.example/?api_key=hunter2' },
    },
  ],
  [
    'a shell variable, with a word about it',
    ['s', '--', 'sh', '-c', 'echo $HOME'],
    {
      stderr: ['Note: $NAME is not expanded; write ${NAME} for a variable'],
      entry: stdio('sh', ['-c', 'echo $HOME']),
    },
  ],
  [
    'a variable that is not set, with a word about it',
    ['s', '-e', 'A=${NOT_SET}', '--', 'x'],
    {
      stderr: [
        'warning: LOCAL:9:9: server "s": env.A: Missing environment variables: NOT_SET',
        '  → Set NOT_SET, or give it a default: ${NOT_SET:-value}',
      ],
      entry: stdio('x', [], { A: '${NOT_SET}' }),
    },
  ],
])('someone who adds %s is told what was written and where', (_, args, expected) => check(args, expected));

test.each<[string, readonly string[], object]>([
  ['a URL without -t is http', ['s', 'https://h.example'], { type: 'http', url: 'https://h.example' }],
  [
    'streamable-http is http',
    ['s', '-t', 'streamable-http', 'https://h.example'],
    { type: 'http', url: 'https://h.example' },
  ],
  ['-t sse', ['s', '-t', 'sse', 'https://h.example'], { type: 'sse', url: 'https://h.example' }],
  ['wss:// is ws', ['s', 'wss://h.example'], { type: 'ws', url: 'wss://h.example' }],
  [
    'a URL made of a variable is http',
    ['s', '${BASE:-https://h.example}/mcp'],
    { type: 'http', url: '${BASE:-https://h.example}/mcp' },
  ],
  ['a command without --', ['s', 'cmd', 'arg'], stdio('cmd', ['arg'])],
  [
    'flags of the command stay with it',
    ['s', '--', 'cmd', '-e', 'X=1', '--json', '-s', 'user'],
    stdio('cmd', ['-e', 'X=1', '--json', '-s', 'user']),
  ],
  ['a second -- is the command’s', ['s', '--', 'cmd', '--', 'x'], stdio('cmd', ['--', 'x'])],
  ['one variable', ['s', '-e', 'A=1', '--', 'cmd'], stdio('cmd', [], { A: '1' })],
  ['-e twice', ['-e', 'A=1', '-e', 'B=2', 's', '--', 'cmd'], stdio('cmd', [], { A: '1', B: '2' })],
  ['-e never swallows the name', ['-e', 'A=1', 's', '--', 'cmd'], stdio('cmd', [], { A: '1' })],
  ['-e never swallows the name, without --', ['-e', 'A=1', 's', 'cmd'], stdio('cmd', [], { A: '1' })],
  [
    'several variables after one -e, then the name',
    ['-e', 'A=1', 'B=2', 's', '--', 'cmd'],
    stdio('cmd', [], { A: '1', B: '2' }),
  ],
  ['several variables after the name', ['s', '-e', 'A=1', 'B=2', '--', 'cmd'], stdio('cmd', [], { A: '1', B: '2' })],
  ['several variables and no --', ['-e', 'A=1', 'B=2', 's', 'cmd', 'C=3'], stdio('cmd', ['C=3'], { A: '1', B: '2' })],
  ['without -e an assignment is an argument', ['s', 'cmd', 'C=3'], stdio('cmd', ['C=3'])],
  ['a value with =', ['s', '-e', 'A=b=c', '--', 'cmd'], stdio('cmd', [], { A: 'b=c' })],
  ['a value that begins with a dash', ['s', '-e', 'A=-1', '--', 'cmd'], stdio('cmd', [], { A: '-1' })],
  [
    'a header with several colons',
    ['s', 'https://h.example', '-H', 'A: b: c'],
    { type: 'http', url: 'https://h.example', headers: { A: 'b: c' } },
  ],
  [
    'OAuth',
    ['s', 'https://h.example', '--client-id', 'me', '--callback-port', '8080', '--xaa'],
    { type: 'http', url: 'https://h.example', oauth: { clientId: 'me', callbackPort: 8080, xaa: true } },
  ],
])('%s', (_, args, entry) => check(args, { entry }));

test.each<[readonly string[], readonly string[]]>([
  [
    ['bad name', '--', 'x'],
    ['error: Invalid name bad name. Names can only contain letters, numbers, hyphens, and underscores.'],
  ],
  [['workspace', '--', 'x'], ['error: Cannot add MCP server "workspace": this name is reserved.']],
  [['computer-use', '--', 'x'], ['error: Cannot add MCP server "computer-use": this name is reserved.']],
  [
    ['s', '-e', 'NOEQ', '--', 'x'],
    [
      'error: Invalid environment variable format: NOEQ, environment variables should be added as: -e KEY1=value1 -e KEY2=value2',
    ],
  ],
  [
    ['s', '-H', 'nocolon', 'https://h.example'],
    ['error: Invalid header format: "nocolon". Expected format: "Header-Name: value"'],
  ],
  [['s', '--callback-port', '0', 'https://h.example'], ['error: --callback-port must be an integer in [1, 65535]']],
  [['s', '--callback-port', '65536', 'https://h.example'], ['error: --callback-port must be an integer in [1, 65535]']],
  [
    ['s', '-t', 'foo', 'x'],
    ['error: Invalid transport type: foo. Must be one of: stdio, sse, http (or streamable-http), ws'],
  ],
  [
    ['s', '-t', 'constructor', 'x'],
    ['error: Invalid transport type: constructor. Must be one of: stdio, sse, http (or streamable-http), ws'],
  ],
  [
    ['s', '-s', 'dynamic', '--', 'x'],
    ['error: Cannot add MCP server to scope: dynamic', '  → -s takes one of: local, project, user'],
  ],
  [
    ['s', '-s', 'usr', '--', 'x'],
    ['error: -s must be one of: local, project, user; got usr', '  → Did you mean -s user?'],
  ],
  [
    ['s', '-t', 'http', 'npx'],
    ['error: http needs a URL, got "npx"', '  → plugboard add s -- npx'],
  ],
  [
    ['s', 'https://h.example', '-e', 'A=1'],
    ['error: -e is for a command; "s" is a URL', "  → Use -H 'Name: value' for a URL"],
  ],
  [
    ['s', '-H', 'A: b', '--', 'x'],
    ['error: --header is for a URL; "s" is a command', '  → Use -e KEY=VALUE for a command'],
  ],
  [
    ['s', '--client-id', 'me', '--', 'x'],
    ['error: --client-id is for a URL; "s" is a command', '  → Use -e KEY=VALUE for a command'],
  ],
  [
    ['s', 'https://h.example', 'more'],
    ['error: "more" follows the URL', '  → A URL takes no arguments'],
  ],
  [
    ['s', '-e', '--', 'x'],
    ['error: -e needs a value', '  → Write -e K=V'],
  ],
  [
    ['s', '-e', '--scope', 'user', '--', 'x'],
    ['error: -e needs a value', '  → Write -e K=V'],
  ],
  [
    ['s', 'npx', '-y', 'server'],
    [
      "error: unknown option '-y'",
      "  → If -y belongs to the server's command, put -- before the command: plugboard add s -- npx -y",
    ],
  ],
  [
    ['s'],
    [
      'error: add needs a name and a URL or a command',
      "  → plugboard add NAME [-s SCOPE] [-t TRANSPORT] [-e K=V] [-H 'K: v'] URL | -- COMMAND ARGS",
    ],
  ],
])('add %j is refused as a mistake of the command line', (args, stderr) => check(args, { code: 2, stderr }));

test.each<[readonly string[], readonly string[]]>([
  [
    ['s', 'https://me:secret@h.example'],
    [
      'error: Cannot add MCP server "s": url: The URL contains a user name or password, which can pass for its host.',
      '  → Put the credentials into "headers" instead',
    ],
  ],
  [['s', '-H', 'a b: c', 'https://h.example'], ['error: Cannot add MCP server "s": headers.a b: is not a header name']],
])('add %j is refused for what it would write', (args, stderr) => check(args, { code: 1, stderr }));

test.each([
  ['local', 'LOCAL', 0o600],
  ['project', 'PROJECT/.mcp.json', 0o644],
  ['user', 'HOME/.config/plugboard/config.json', 0o600],
])('-s %s writes %s and says so in JSON', async (scope, file, mode) => {
  const sandbox = makeSandbox();
  const { code, json, stderr } = await sandbox.run(['add', 's', '-s', scope, '--json', '--', 'x']);
  expect(json).toEqual({ ok: true, data: { file, server: 's', scope, changed: true } });
  expect(code).toBe(0);
  expect(stderr).toBe(scope === 'project' ? 'The server runs once you approve it: plugboard approve s\n' : '');
  const written = { local: localFileOf(sandbox), project: PROJECT_FILE, user: USER_FILE }[scope]!;
  const path = written.startsWith('/') ? written : join(sandbox.root, written);
  expect(serversIn(path)).toEqual({ s: stdio('x') });
  expect(statSync(path).mode & 0o777).toBe(mode);
});

test('a name is taken once per scope, and whoever adds it elsewhere hears which one comes first', async () => {
  const { run } = makeSandbox();
  await run(['add', 's', '--', 'x']);
  const twice = await run(['add', 's', '--', 'y']);
  expect([twice.code, twice.stderr]).toEqual([
    1,
    'error: MCP server s already exists in local config\n  → plugboard remove s -s local\n',
  ]);
  const elsewhere = await run(['add', 's', '-s', 'user', '--', 'y']);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    0,
    'The server does not run here: local config has "s", which comes first\n',
  ]);
  const json = await run(['add', 's', '--json', '--', 'y']);
  expect([json.stderr, json.json]).toEqual([
    '',
    {
      ok: false,
      error: {
        code: 'server-exists',
        message: 'MCP server s already exists in local config',
        hint: 'plugboard remove s -s local',
        docs: 'docs/troubleshooting.md#server-exists',
      },
    },
  ]);
});

const DIFFERENCE = `--- HOME/.config/plugboard/config.json
+++ HOME/.config/plugboard/config.json
@@ line 1 @@
 {
   // mine
   "mcpServers": {
-    "a": { "command": "a" }
+    "a": { "command": "a" },
+    "s": {
+      "type": "stdio",
+      "command": "x",
+      "args": [],
+      "env": {
+        "KEY": "••••"
+      }
+    }
   }
 }
`;

test('a dry run shows the difference, masked, and writes nothing', async () => {
  const sandbox = makeSandbox({
    [USER_FILE]: '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "a" }\n  }\n}\n',
  });
  const before = sandbox.files();
  const args = ['add', 's', '-s', 'user', '-e', 'KEY=hunter2', '--dry-run', '--', 'x'];
  const { code, stdout } = await sandbox.run(args);
  expect(code).toBe(0);
  expect(stdout).toBe(DIFFERENCE);
  expect((await sandbox.run(['--reveal', ...args])).stdout).toContain('"KEY": "hunter2"');
  const json = await sandbox.run(['--json', ...args]);
  expect(json.json?.data).toMatchObject({
    server: 's',
    scope: 'user',
    changed: true,
    dryRun: true,
    diff: stdout.trimEnd(),
  });
  expect(sandbox.files()).toEqual(before);
});

test('a dry run in an empty home shows the new file and makes neither it nor its folder', async () => {
  const sandbox = makeSandbox();
  const { stdout } = await sandbox.run(['add', 's', '--dry-run', '--', 'x']);
  expect(linesOf(stdout).slice(0, 4)).toEqual(['--- (new file)', '+++ LOCAL', '@@ line 1 @@', '+{']);
  expect(sandbox.files()).toEqual({});
});

test.each<[string, { env?: Record<string, string>; answers?: string[] }, number, unknown]>([
  ['from the environment', { env: { MCP_CLIENT_SECRET: 'hunter2' } }, 0, { clientId: 'me', clientSecret: 'hunter2' }],
  ['from whoever is there', { answers: ['hunter2 '] }, 0, { clientId: 'me', clientSecret: 'hunter2' }],
  ['and refused when nobody is', {}, 5, undefined],
])('a client secret is taken %s, never from the command line', async (_, options, code, oauth) => {
  const sandbox = makeSandbox();
  const run = await sandbox.run(['add', 's', 'https://h.example', '--client-id', 'me', '--client-secret'], options);
  expect([run.code, run.stdout.includes('hunter2')]).toEqual([code, false]);
  const entry = serversIn(localFileOf(sandbox))['s'] as { oauth?: unknown } | undefined;
  expect(entry?.oauth).toEqual(oauth);
});

test('comments and unknown keys of a file survive, and one that cannot be parsed is left alone', async () => {
  const sandbox = makeSandbox({ [PROJECT_FILE]: '{\n  // ours\n  "mcpServers": {},\n  "colour": "red",\n}\n' });
  await sandbox.run(['add', 's', '-s', 'project', '--', 'x']);
  expect(sandbox.read(PROJECT_FILE)).toMatch(/\/\/ ours[^]*"s"[^]*"colour": "red",\n\}/u);
  sandbox.write(PROJECT_FILE, '{\n "mcpServers": oops\n');
  const { code, stderr } = await sandbox.run(['add', 's', '-s', 'project', '--', 'x']);
  expect([code, linesOf(stderr)[1]]).toEqual([1, '  → Nothing was changed. Fix the file and run the command again']);
  expect(stderr).toContain('PROJECT/.mcp.json:2:16: is not JSON');
  expect(sandbox.read(PROJECT_FILE)).toBe('{\n "mcpServers": oops\n');
});

test.each([
  [['s', '--', 'https://h.example/mcp'], '"https://h.example/mcp" is a URL, not a command'],
  [['s', 'htps://h.example/mcp'], '"htps://h.example/mcp" is a URL, not a command'],
  [['s', 'https://h.example/mcp', '-t', 'stdio'], '"https://h.example/mcp" is a URL, not a command'],
  [['s', 'mcp.example.com/mcp'], '"mcp.example.com/mcp" looks like a URL without its scheme'],
  [['s', 'npx -y some-server'], '"npx -y some-server" is one word, not a program and its arguments'],
  [['s', 'https://h.example/mcp', '--client-secret', 'hunter2'], '--client-secret takes no value'],
  [['s', 'https://h.example/mcp', '--scop', 'user'], "unknown option '--scop'"],
])('add %j is not taken for what it is not', async (args, message) => {
  const sandbox = makeSandbox();
  const { code, stderr } = await sandbox.run(['add', ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(stderr).not.toContain('hunter2');
  expect(sandbox.files()).toEqual({});
});

test('a secret that goes into a shared file is told at once', async () => {
  const { stderr } = await makeSandbox().run(['add', 's', '-s', 'project', '-e', 'API_TOKEN=hunter2', '--', 'node']);
  expect(stderr).toContain(
    'warning: "s" has a secret in PROJECT/.mcp.json, a file that is shared; write ${NAME} there instead',
  );
  expect(stderr).not.toContain('hunter2');
});

test.each([
  [['s', '-e', 'A=', '--', 'cmd'], 'A'],
  [['s', 'https://h.example', '-H', 'Authorization: Bearer '], 'Authorization'],
])('a value that is empty is taken and pointed out: %j', async (args, name) => {
  const { code, stderr } = await makeSandbox().run(['add', ...args]);
  expect([code, stderr]).toEqual([0, `Note: the value of ${name} is empty; is a variable not set?\n`]);
});
