import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { makeSandbox, PROJECT_FILE, type Sandbox, USER_FILE } from './sandbox.js';
import { openSignInScene, signIn } from './sign-in-scene.js';

/** A server that records the headers it gets and answers 404. */
async function openTrap(): Promise<{ readonly url: string; readonly seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen };
}

/** Sources of entries that the user has not written, and their files. */
const others: readonly (readonly [string, (entry: object) => Record<string, unknown>])[] = [
  ['a repository', (entry) => ({ [PROJECT_FILE]: { mcpServers: { x: entry } } })],
  ["a repository's settings", (entry) => ({ 'home/code/app/.plugboard/settings.json': { mcpServers: { x: entry } } })],
  ['a plugin', (entry) => ({ 'home/.config/plugboard/plugins/p/.mcp.json': { mcpServers: { x: entry } } })],
  [
    'a linked file',
    (entry) => ({
      'home/.cursor/mcp.json': { mcpServers: { x: entry } },
      [USER_FILE]: { settings: { links: [{ host: 'cursor' }] } },
    }),
  ],
];

async function listed(sandbox: Sandbox): Promise<{ readonly status: string; readonly error?: { message: string } }> {
  const { json } = await sandbox.run(['list', '--json', '--approve-project-servers']);
  const [server] = json!.data!['servers'] as { status: string; error?: { message: string } }[];
  return server!;
}

const HEADERS = ['Host', 'hOST', 'Connection', 'Content-Length', 'Transfer-Encoding', 'TE', 'Trailer', 'Upgrade'];
const MORE = ['Proxy-Authorization', 'Proxy-Connection', 'Keep-Alive', ':authority', 'X-Forwarded-Host'];

test.each(others)('%s may not say where requests go: such a header is refused by its name', async (_who, files) => {
  const trap = await openTrap();
  for (const header of [...HEADERS, ...MORE]) {
    const sandbox = makeSandbox(files({ type: 'http', url: trap.url, headers: { [header]: 'internal.example' } }));
    const { status, error } = await listed(sandbox);
    expect([header, status]).toEqual([header, 'invalid']);
    expect(error?.message).toContain(`headers.${header}: `);
  }
  expect(trap.seen).toEqual([]);
  const sandbox = makeSandbox(files({ type: 'http', url: trap.url, headers: { 'X-Team': 'a' } }));
  expect((await listed(sandbox)).status).toBe('failed');
  expect(trap.seen.map((headers) => headers['x-team'])).toContain('a');
});

test.each(others)('%s may not say so by its headersHelper either', async (_who, files) => {
  const trap = await openTrap();
  for (const header of ['Host', 'X-Forwarded-Host', 'Proxy-Authorization']) {
    const headersHelper = `echo '{"${header}":"internal.example"}'`;
    const sandbox = makeSandbox(files({ type: 'http', url: trap.url, headersHelper }));
    const { status, error } = await listed(sandbox);
    expect([header, status]).toEqual([header, 'failed']);
    expect(error?.message).toContain(`printed the header "${header}"`);
  }
  expect(trap.seen).toEqual([]);
});

test('a catalogue of connectors may say nothing of the kind: of what it lists only address and name are taken', async () => {
  const trap = await openTrap();
  const list = createServer((_request, response) => {
    const headers = { Host: 'internal.example' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify([{ name: 'x', url: trap.url, headers }]));
  });
  await new Promise<void>((resolve) => list.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => list.close().closeAllConnections());
  const url = `http://127.0.0.1:${(list.address() as AddressInfo).port}/`;
  await makeSandbox({ [USER_FILE]: { settings: { connectors: { url } } } }).run(['list', '--json']);
  expect(trap.seen.length).toBeGreaterThan(0);
  expect(new Set(trap.seen.map(({ host }) => host))).toEqual(new Set([new URL(trap.url).host]));
});

test("a user's own Host header is shown and sent, and no sign-in goes with it", async () => {
  const scene = await openSignInScene();
  const { run, sandbox, mcp } = scene;
  expect((await signIn(scene, ['srv'])).code).toBe(0);
  expect((await run(['call', 'srv.read', 'key=a'])).code).toBe(0);
  const before = [...mcp.admitted];
  const headers = { hOsT: 'internal.example', 'X-Key': 'sk-1234567890abcdef' };
  sandbox.write(USER_FILE, { mcpServers: { srv: { type: 'http', url: mcp.url, headers } } });
  const got = await run(['get', 'srv']);
  expect(got.stdout).toContain('"hOsT":"internal.example"');
  expect(got.stdout).not.toContain('sk-1234567890abcdef');
  const called = await run(['call', 'srv.read', 'key=b', '--json']);
  expect([called.code, called.json?.error?.code]).toEqual([4, 'unauthorized']);
  expect([...mcp.admitted]).toEqual(before);
  const login = await run(['login', 'srv']);
  expect([login.code, login.stderr]).toEqual([1, expect.stringContaining('has a Host header in its entry')]);
  // The stored sign-in is kept: without the header it is used again.
  sandbox.write(USER_FILE, { mcpServers: { srv: { type: 'http', url: mcp.url } } });
  expect((await run(['call', 'srv.read', 'key=c'])).code).toBe(0);
});

test("a repository's header values are shown as written when it is approved", async () => {
  const headers = { Authorization: 'Bearer ${TOKEN:-abc}', 'X-Where': 'sk-1234567890abcdef' };
  const files = { [PROJECT_FILE]: { mcpServers: { x: { type: 'http', url: 'https://x.example/mcp', headers } } } };
  const sandbox = makeSandbox(files);
  const { stdout } = await sandbox.run(['approve', 'x', '--dry-run']);
  expect(stdout).toContain('"Authorization": "Bearer ${TOKEN:-abc}"');
  expect(stdout).toContain('"X-Where": "sk-1234567890abcdef"');
  const { stderr } = await sandbox.run(['approve'], { answers: ['y'] });
  expect(stderr).toContain('"X-Where": "sk-1234567890abcdef"');
  // Other verbs and the stored approval treat the value as a possible secret.
  expect((await sandbox.run(['get', 'x'])).stdout).not.toContain('sk-1234567890abcdef');
  expect(sandbox.read('home/.local/state/plugboard/approvals.json')).not.toContain('sk-1234567890abcdef');
});
