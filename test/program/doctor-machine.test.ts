import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/host/diagnose.js';
import { holdClosedPort } from '../closed-port.js';
import { listen } from '../faults/network-fixtures.js';
import { makeSandbox, type RunOptions, type Sandbox, USER_FILE } from './sandbox.js';

const toolServer = resolve(import.meta.dirname, 'tool-server.mjs');
const tools = { command: 'node', args: [toolServer] };

const withServers = (mcpServers: object): Sandbox => makeSandbox({ [USER_FILE]: { mcpServers } });

/** The findings with one of these codes, without those that the machine of the test may have. */
async function found(
  sandbox: Sandbox,
  codes: readonly string[],
  { args = [], ...options }: RunOptions & { readonly args?: readonly string[] } = {},
): Promise<readonly Finding[]> {
  const { json } = await sandbox.run(['doctor', '--json', ...args], options);
  return (json!.data!['findings'] as readonly Finding[]).filter(({ code }) => codes.includes(code));
}

const offline = ['--no-connect'];

test('a server that runs twice under two names is found, with the command that removes one', async () => {
  const sandbox = withServers({
    a: tools,
    b: tools,
    other: { ...tools, env: { ACCOUNT: 'work' } },
    off: { ...tools, disabled: true },
    one: { url: 'https://mcp.example.com/', tls: { ca: '/one.pem' } },
    two: { url: 'https://mcp.example.com/', tls: { ca: '/two.pem' } },
  });
  expect(await found(sandbox, ['runs-twice'], { args: offline })).toEqual([
    {
      server: 'b',
      severity: 'info',
      code: 'runs-twice',
      message: '"b" is the same server as "a", and both run: each tool is there twice',
      hint: 'plugboard remove b --scope user, or keep it for later: plugboard disable b',
      file: expect.any(String),
      line: expect.any(Number),
      column: expect.any(Number),
    },
  ]);
});

function npxFolderOf({ home }: Sandbox, word: string): string {
  return join(home, '.npm/_npx', createHash('sha512').update(word).digest('hex').slice(0, 16));
}

/** Writes files into the folder that npx has for a package. */
function npxFolder(sandbox: Sandbox, word: string, files: Readonly<Record<string, unknown>>): void {
  const folder = npxFolderOf(sandbox, word);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const lock = 'node_modules/.package-lock.json';
const manifest = 'node_modules/@me/notes/package.json';

test.each<[string, Readonly<Record<string, unknown>>, string | undefined]>([
  ['nothing', {}, undefined],
  ['a whole package', { [manifest]: { bin: 'cli.js' }, 'node_modules/@me/notes/cli.js': '' }, undefined],
  [
    'a package without its program',
    { [manifest]: { bin: { notes: 'cli.js' } } },
    'its program node_modules/@me/notes/cli.js is not there',
  ],
  ['half a manifest', { [manifest]: '{ "name": ' }, 'node_modules/@me/notes/package.json is not there, or is not JSON'],
  [
    'a package without what it needs',
    { [manifest]: {}, [lock]: { packages: { 'node_modules/zod': {}, 'node_modules/fsevents': { optional: true } } } },
    'node_modules/zod is not there',
  ],
  ['a download that is under way', { [manifest]: { bin: 'cli.js' }, 'concurrency.lock/x': '' }, undefined],
])('the cache of npx with %s', async (_, files, cause) => {
  const sandbox = withServers({ notes: { command: 'npx', args: ['-y', '@me/notes@1.2'] } });
  npxFolder(sandbox, '@me/notes@1.2', files);
  const findings = await found(sandbox, ['npx-cache'], { args: offline });
  expect(findings.map((finding) => [finding.server, finding.cause])).toEqual(
    cause === undefined ? [] : [['notes', cause]],
  );
  for (const { hint } of findings) expect(hint).toMatch(/: rm -rf HOME\/\.npm\/_npx\/[\da-f]{16}$/u);
});

test.runIf(process.platform !== 'win32')('a FIFO in the cache of npx is not waited for', async () => {
  const sandbox = withServers({ notes: { command: 'npx', args: ['-y', '@me/notes@1.2'] } });
  npxFolder(sandbox, '@me/notes@1.2', { [manifest]: {} });
  execFileSync('mkfifo', [join(npxFolderOf(sandbox, '@me/notes@1.2'), lock)]);
  expect(await found(sandbox, ['npx-cache'], { args: offline })).toEqual([]);
});

test('a path that a package in the cache of npx names is shown without control characters, and shortened', async () => {
  const sandbox = withServers({ notes: { command: 'npx', args: ['-y', '@me/notes@1.2'] } });
  npxFolder(sandbox, '@me/notes@1.2', { [manifest]: { bin: `\u001B[2Jcli\u202E${'x'.repeat(10_000)}` } });
  const [finding] = await found(sandbox, ['npx-cache'], { args: offline });
  expect(finding?.cause).toMatch(/^its program node_modules\/@me\/notes\/clixxx/u);
  expect(finding?.cause?.length).toBeLessThan(600);
});

test('a fixed callback port that another program uses is found, with the command that shows the program', async () => {
  const { port } = await listen(createServer());
  const url = 'https://mcp.example.com/';
  const sandbox = withServers({
    taken: { url, oauth: { callbackPort: port } },
    anyPort: { url: `${url}2`, oauth: { clientId: 'x' } },
  });
  const findings = await found(sandbox, ['callback-port'], { args: offline });
  expect(findings).toMatchObject([
    {
      server: 'taken',
      severity: 'warning',
      message: `"taken" cannot be signed in to: another program uses port ${port} (oauth.callbackPort)`,
      hint: expect.stringContaining(String(port)),
      line: expect.any(Number),
    },
  ]);
});

test('a callback port that two servers share, and no other program uses, is fine', async () => {
  const free = await listen(createServer());
  await free.kill();
  const oauth = { callbackPort: free.port };
  const sandbox = withServers({ a: { url: 'https://a.example/', oauth }, b: { url: 'https://b.example/', oauth } });
  expect(await found(sandbox, ['callback-port'], { args: offline })).toEqual([]);
});

test('a proxy that nobody listens at is found without a server that needs it', async () => {
  using closed = await holdClosedPort();
  const env = { HTTPS_PROXY: `http://user:hunter2@127.0.0.1:${closed.port}` };
  const findings = await found(withServers({ a: tools }), ['proxy'], { env });
  expect(findings).toEqual([
    {
      severity: 'warning',
      code: 'proxy',
      message: `Remote servers cannot be reached: the proxy at 127.0.0.1:${closed.port} (from HTTPS_PROXY) refused the connection`,
      cause: expect.stringContaining('ECONNREFUSED'),
      hint: 'Start the proxy, or do without it: unset HTTPS_PROXY; for single hosts: export NO_PROXY=example.com,.internal',
    },
  ]);
  expect(await found(withServers({ a: tools }), ['proxy'], { env, args: offline })).toEqual([]);
});

/** A server that asks for a sign-in, and whose clock differs by so many hours, or is what it states. */
async function signedOutServer(clock: number | string): Promise<string> {
  const server = createHttpServer((request, response) => {
    request.resume();
    response.sendDate = false;
    const date = typeof clock === 'string' ? clock : new Date(Date.now() + clock * 3_600_000).toUTCString();
    response.setHeader('date', date);
    response.writeHead(request.method === 'POST' ? 401 : 404).end();
  });
  const { port } = await listen(server);
  return `http://127.0.0.1:${port}/mcp`;
}

test.each(['+275760-09-13T00:00:00.000Z', '1', 'soon'])('a server with the date %s has no clock', async (date) => {
  const { json, code } = await withServers({ a: { url: await signedOutServer(date) } }).run(['doctor', '--json']);
  expect({ code, codes: (json!.data!['findings'] as readonly Finding[]).map((one) => one.code) }).toEqual({
    code: 3,
    codes: ['needs-auth'],
  });
});

test.each<[hours: readonly number[], messages: readonly RegExp[]]>([
  [[0], []],
  [[5], [/^The clock of this machine is 5 hours behind that of http:\/\/127\.0\.0\.1:\d+$/u]],
  [[-72], [/^The clock of this machine is 3 days ahead of that of http:\/\/127\.0\.0\.1:\d+$/u]],
  [[0, 5], [/^The clock of http:\S+ is 5 hours ahead of that of this machine, and other servers agree/u]],
])('servers whose clocks differ by %j hours', async (hours, messages) => {
  const urls = await Promise.all(hours.map(signedOutServer));
  const sandbox = withServers(Object.fromEntries(urls.map((url, at) => [`s${at}`, { url }])));
  const findings = await found(sandbox, ['clock']);
  expect(findings.map(({ message }) => message)).toEqual(messages.map((message) => expect.stringMatching(message)));
  expect(findings.every(({ hint }) => hint !== '')).toBe(true);
});

test.runIf(process.platform === 'linux')(
  'without a keychain doctor says where sign-ins are kept, and nothing where no server has a sign-in',
  async () => {
    const remote = { url: 'https://mcp.example.com/' };
    const env = { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '/no/such/folder' };
    const withSignIn = withServers({ a: { ...remote, oauth: { clientId: 'x' } } });
    const run = { env: { ...env, PLUGBOARD_KEYCHAIN: 'auto' }, args: offline };
    expect(await found(withSignIn, ['keychain'], run)).toEqual([
      {
        severity: 'info',
        code: 'keychain',
        message:
          "The system's keychain cannot be used; sign-ins are kept in HOME/.local/state/plugboard/credentials, which only you can read",
        cause: 'this session has no D-Bus message bus to reach a Secret Service',
        hint: expect.stringContaining('export PLUGBOARD_KEYCHAIN=off'),
      },
    ]);
    expect(await found(withSignIn, ['keychain'], { ...run, env: { ...env, PLUGBOARD_KEYCHAIN: 'off' } })).toEqual([]);
    expect(await found(withServers({ a: remote }), ['keychain'], run)).toEqual([]);
  },
);

test('doctor says what it checked, with the version of Node.js', async () => {
  const { json } = await makeSandbox().run(['doctor', '--json']);
  const local = ['PATH', 'files', 'duplicates', 'npx cache', 'keychain', 'ports'];
  expect(json?.data?.['checked']).toEqual([`Node.js ${process.versions.node}`, ...local, 'proxy', 'clock']);
});
