import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAR_MS } from './late-clock.js';
import { scripted, untilThere } from './live-servers.js';
import { makeSandbox, type Run, USER_FILE } from './sandbox.js';

const user = (mcpServers: object): Record<string, unknown> => ({ [USER_FILE]: { mcpServers } });
const many = (word: string): string => `Array.from({ length: 1000 }, (_, at) => '${word} ' + at).join('\\n') + '\\n'`;

/** Prints the cause first, then many lines that explain nothing. */
const crashing = scripted(`
  process.stderr.write('starting\\nError: no database at 5432\\n' + ${many('cleaning up')});
  process.exitCode = 3;
`);
/** Creates a file once all of its stderr is written. */
const waiting = (file: string): ReturnType<typeof scripted> =>
  scripted(`
  const said = () => require('node:fs').writeFileSync(${JSON.stringify(file)}, '');
  process.stderr.write('starting\\nError: no database at 5432, trying again\\n' + ${many('still waiting')}, said);
  process.stdin.resume();
`);

interface Listed {
  readonly error: { readonly code: string; readonly hint: string; readonly stderr: string };
}

function firstOf(json: Run['json']): Listed {
  return (json!.data as { readonly servers: readonly Listed[] }).servers[0]!;
}

test('of what a server said that failed the first 10 lines and the last 30 are kept, and the hint is the line that tells why', async () => {
  const sandbox = makeSandbox(user({ a: crashing }));
  const { json } = await sandbox.run(['list', '--json']);
  const { error } = firstOf(json);
  const said = error.stderr.split('\n');
  expect(said).toHaveLength(41);
  expect(said.slice(0, 3)).toEqual(['starting', 'Error: no database at 5432', 'cleaning up 0']);
  expect(said.slice(9, 12)).toEqual(['cleaning up 7', '… [truncated]', 'cleaning up 970']);
  expect(said.at(-1)).toBe('cleaning up 999');
  expect(error.hint).toBe('It said: Error: no database at 5432');
  const { stdout } = await sandbox.run(['list']);
  expect(stdout).toContain(
    'on stderr:\n    Error: no database at 5432\n    cleaning up 998\n    cleaning up 999\n  → Run the server by hand',
  );
});

test.each([
  ['--timeout', ['--timeout', FAR_MS], {}],
  ['MCP_TIMEOUT', [], { MCP_TIMEOUT: FAR_MS }],
])(
  'a server that does not answer within %s is shown with what it said, whichever verb asks',
  async (_what, flags, env) => {
    const runWith = (...words: readonly string[]): Promise<Run> => {
      const sandbox = makeSandbox();
      const said = join(sandbox.root, 'said');
      sandbox.write(USER_FILE, { mcpServers: { a: waiting(said) } });
      return sandbox.run([...words, ...flags], { env, late: { at: () => untilThere(said) } });
    };
    const [listed, told, called, tools] = await Promise.all([
      runWith('list', '--json'),
      runWith('list'),
      runWith('call', 'a.x', '--json'),
      runWith('tools'),
    ]);
    const { error } = firstOf(listed.json);
    expect(error).toMatchObject({
      code: 'connect-timeout',
      stderr: expect.stringMatching(/^starting\nError: no database/u),
    });
    expect(told.stdout).toContain('on stderr:\n    Error: no database at 5432, trying again\n    still waiting 998\n');
    expect([called.code, called.json?.error]).toMatchObject([124, { code: 'connect-timeout', stderr: error.stderr }]);
    expect(tools.stderr).toContain('Server "a" did not finish the handshake within 20000 ms');
  },
);

/** Frames messages by Content-Length, as language servers do: it finds no message in what an MCP host sends. */
const framed = (file: string): ReturnType<typeof scripted> =>
  scripted(`
  const send = (message) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    process.stdout.write('Content-Length: ' + text.length + '\\r\\n\\r\\n' + text);
  };
  send({ method: 'window/logMessage', params: { type: 3, message: 'hello' } });
  process.stdin.on('data', () => send({ id: null, error: { code: -32700, message: 'no Content-Length header' } }));
  process.stdin.on('data', () => process.stdout.write('', () => require('node:fs').writeFileSync(${JSON.stringify(file)}, '')));
`);

function runFramed(...words: readonly string[]): Promise<Run> {
  const sandbox = makeSandbox();
  const said = join(sandbox.root, 'said');
  sandbox.write(USER_FILE, { mcpServers: { a: framed(said) } });
  return sandbox.run(words, { env: { MCP_TIMEOUT: FAR_MS }, late: { at: () => untilThere(said) } });
}

test('a server that frames its messages like a language server is told so', async () => {
  const [listed, doctor] = await Promise.all([runFramed('list', '--json'), runFramed('doctor', 'a', '--json')]);
  const { error } = firstOf(listed.json);
  expect(error).toMatchObject({
    message: expect.stringMatching(/: it frames its messages with Content-Length headers, as language servers do$/u),
    hint: expect.stringMatching(/^On stdio every MCP message is one line/u),
  });
  expect(doctor.json?.data?.['findings']).toMatchObject([
    {
      server: 'a',
      code: 'wrong-framing',
      message: expect.stringContaining('Content-Length'),
      hint: error.hint,
    },
  ]);
});
