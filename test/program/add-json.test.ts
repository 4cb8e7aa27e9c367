import { expect, test } from 'vitest';
import { USER_FILE, localFileOf, makeSandbox, serversIn, type RunOptions } from './sandbox.js';

interface Expected {
  readonly code?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly entry?: unknown;
}

async function check(
  args: readonly string[],
  { code = 0, stdout, stderr = '', entry }: Expected,
  options?: RunOptions,
): Promise<void> {
  const sandbox = makeSandbox();
  const run = await sandbox.run(['add-json', ...args], options);
  expect(run.stderr).toBe(stderr);
  expect(run.code).toBe(code);
  expect(run.stdout).toBe(stdout ?? run.stdout);
  expect(serversIn(localFileOf(sandbox))['s']).toEqual(entry);
  expect(run.stdout === '' && Object.keys(sandbox.files()).length === 0).toBe(code !== 0);
}

const added = (label: string): string =>
  `Added ${label} MCP server s to local config\nFile modified: LOCAL [project: PROJECT]\n`;

test.each<[string, object, Expected]>([
  ['a command', { command: 'x' }, { stdout: added('stdio'), entry: { type: 'stdio', command: 'x' } }],
  [
    'a URL without a type',
    { url: 'https://h.example' },
    { stdout: added('HTTP'), entry: { type: 'http', url: 'https://h.example' } },
  ],
  [
    'streamable-http',
    { type: 'streamable-http', url: 'https://h.example' },
    { stdout: added('HTTP'), entry: { type: 'http', url: 'https://h.example' } },
  ],
  [
    'streamableHttp',
    { type: 'streamableHttp', url: 'https://h.example' },
    { stdout: added('HTTP'), entry: { type: 'http', url: 'https://h.example' } },
  ],
  [
    'sse',
    { type: 'sse', url: 'https://h.example' },
    { stdout: added('SSE'), entry: { type: 'sse', url: 'https://h.example' } },
  ],
  [
    'ws',
    { type: 'ws', url: 'wss://h.example' },
    { stdout: added('WS'), entry: { type: 'ws', url: 'wss://h.example' } },
  ],
  [
    'a field that nobody knows, which stays and is told',
    { command: 'x', colour: 'red' },
    {
      stdout: added('stdio'),
      stderr:
        'warning: LOCAL:7:7: server "s": colour: unknown field; Plugboard ignores it and leaves it in the file\n  → plugboard get s\n',
      entry: { type: 'stdio', command: 'x', colour: 'red' },
    },
  ],
  [
    'every field of a command',
    { command: 'x', args: ['a'], env: { A: '1' }, cwd: '/', timeout: 1000, alwaysLoad: true, start: 'lazy' },
    {
      entry: {
        type: 'stdio',
        command: 'x',
        args: ['a'],
        env: { A: '1' },
        cwd: '/',
        timeout: 1000,
        alwaysLoad: true,
        start: 'lazy',
      },
    },
  ],
])('add-json takes %s', (_, entry, expected) => check(['s', JSON.stringify(entry)], expected));

test.each<[string, string, string]>([
  ['{"command":5}', 'Cannot add MCP server "s": command: expected a string, got 5', 'Put it into quotes: "5"'],
  [
    '{"command":"x","args":"y"}',
    'Cannot add MCP server "s": args: expected an array of strings, got a string',
    'Write ["..."], each word by itself',
  ],
  [
    '{"command":"x","args":["a",1]}',
    'Cannot add MCP server "s": args[1]: expected a string, got 1',
    'Put it into quotes: "1"',
  ],
  [
    '{"command":"x","env":{"A":1}}',
    'Cannot add MCP server "s": env.A: expected a string, got 1',
    'Put it into quotes: "1"',
  ],
  ['{"comand":"x"}', 'Cannot add MCP server "s": "command" is missing', 'Rename "comand" to "command"'],
  [
    '{}',
    'Cannot add MCP server "s": "command" is missing',
    'Add "command": "..." for a program of this machine, or "url": "https://..." for a server elsewhere',
  ],
  ['{"type":"http"}', 'Cannot add MCP server "s": "url" is missing', 'Add "url": "https://..."'],
  [
    '{"type":"http","url":"nope"}',
    'Cannot add MCP server "s": url: The URL is not complete: it has no scheme.',
    'Put https:// in front of it, or http://',
  ],
  ['{"type":"http","url":""}', 'Cannot add MCP server "s": url: is empty: this server is not configured yet', ''],
  [
    '{"command":"x","timeout":5}',
    'Cannot add MCP server "s": timeout: expected a whole number from 1000 to 2147483647, got 5',
    'The unit is milliseconds: write 5000',
  ],
  [
    '{"command":"x","url":"https://h.example"}',
    'Cannot add MCP server "s": has both "command" and "url", so its type is unclear',
    'Add "type": "stdio" or "type": "http", or remove one of the two',
  ],
  ['{"type":"sdk","name":"q"}', 'Cannot add MCP server "s": "sdk" servers are made by a program, not by hand', ''],
  [
    '{"type":"sse-ide","url":"https://h.example","ideName":"i"}',
    'Cannot add MCP server "s": "sse-ide" servers are made by a program, not by hand',
    '',
  ],
])('add-json %s names the field, what was expected and what was found', async (json, message, hint) => {
  const { run } = makeSandbox();
  const answer = await run(['add-json', 's', json, '--json']);
  expect(answer.json).toEqual({
    ok: false,
    error: { code: 'config-invalid', message, hint, docs: 'docs/troubleshooting.md#config-invalid' },
  });
  expect([answer.code, answer.stderr]).toEqual([1, '']);
});

test.each<[string, string]>([
  ['{"command":"x"', 'is not JSON: a closing } was expected'],
  ['oops', 'is not JSON: a word that is neither in quotes nor true, false or null'],
  ['[]', 'expected an object, got an array'],
  ['"x"', 'expected an object, got string'],
  ['', 'is empty'],
])('add-json with %j says why it is no entry', (json, message) =>
  check(['s', json], {
    code: 1,
    stderr: `error: Invalid configuration for "s": ${message}\n  → Expected an object such as {"command":"npx","args":["-y","server"]}\n`,
  }),
);

test('an entry can come from stdin, with comments', () =>
  check(['s', '-'], { entry: { type: 'stdio', command: 'x' } }, { stdin: '{ "command": "x" } // mine\n' }));

test.each([[['s']], [['s', '{}', 'more']], [[]]])('add-json %j asks for a name and one object', (args) =>
  check(args, {
    code: 2,
    stderr: `error: add-json takes a name and one JSON object\n  → plugboard add-json NAME '{"command":"..."}'\n`,
  }),
);

test('a dry run masks what it would write, and writes nothing', async () => {
  const sandbox = makeSandbox();
  const args = ['add-json', 's', '{"command":"x","env":{"API_KEY":"hunter2"}}', '--dry-run', '-s', 'project'];
  const plain = await sandbox.run(args);
  expect(plain.stdout).toContain('+        "API_KEY": "••••"');
  const { json } = await sandbox.run([...args, '--json']);
  expect(json).toEqual({
    ok: true,
    data: {
      file: 'PROJECT/.mcp.json',
      server: 's',
      scope: 'project',
      changed: true,
      dryRun: true,
      diff: plain.stdout.trimEnd(),
    },
  });
  expect((await sandbox.run([...args, '--reveal'])).stdout).toContain('"API_KEY": "hunter2"');
  expect(sandbox.files()).toEqual({});
});

test('a scope that has no file is refused in the words that scripts know', () =>
  check(['s', '{"command":"x"}', '-s', 'enterprise'], {
    code: 2,
    stderr: 'error: Cannot add MCP server to scope: enterprise\n  → -s takes one of: local, project, user\n',
  }));

test('a whole file that was pasted is understood when it holds one server, and refused when it holds more', async () => {
  const sandbox = makeSandbox();
  const one = '{ "mcpServers": { "inner": { "command": "node" } } }';
  expect((await sandbox.run(['add-json', 's', one, '-s', 'user'])).code).toBe(0);
  expect(JSON.parse(sandbox.read(USER_FILE))).toEqual({ mcpServers: { s: { type: 'stdio', command: 'node' } } });
  const two = '{ "mcpServers": { "a": { "command": "x" }, "b": { "command": "y" } } }';
  expect(await sandbox.run(['add-json', 't', two])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('2 servers'),
  });
});
