import { chmodSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/host/diagnose.js';
import { holdClosedPort } from '../closed-port.js';
import { makeIdentity } from '../faults/certificates.js';
import { authority, listen } from '../faults/network-fixtures.js';
import { FAR_MS } from './late-clock.js';
import { untilThere } from './live-servers.js';
import { makeSandbox, type Run, USER_FILE } from './sandbox.js';

const toolServer = resolve(import.meta.dirname, 'tool-server.mjs');
const node = (script: string, more: object = {}): object => ({ command: 'node', args: ['-e', script], ...more });

/** Starts a server that handles every request with `answer`, and returns its URL. */
async function answering(answer: RequestListener): Promise<string> {
  const { port } = await listen(createHttpServer(answer));
  return `http://127.0.0.1:${port}/mcp`;
}

const status = (code: number, headers: Record<string, string> = {}): Promise<string> =>
  answering((request, response) => {
    request.resume();
    response.writeHead(code, headers).end();
  });

async function encrypted(options: Parameters<typeof makeIdentity>[0]): Promise<string> {
  const { cert, key } = makeIdentity(options);
  const { port } = await listen(createHttpsServer({ cert, key }, (_request, response) => void response.end()));
  return `https://127.0.0.1:${port}/mcp`;
}

const findingsOf = ({ json }: Run): readonly Finding[] => json?.data?.['findings'] as readonly Finding[];

const NO_LIST = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
    const error = { code: method === 'tools/list' ? -32000 : -32601, message: 'the database is away' };
    if (id !== undefined)
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'initialize' ? { result } : { error }) }));
  });`;

test('every kind of failure has a code of its own, its cause, its line and a thing to do', async () => {
  using closed = await holdClosedPort();
  const dead = closed.port;
  const yesterday = new Date(Date.now() - 1000);
  const entries: Record<string, object> = {
    absent: { command: 'no-such-program' },
    folderless: { command: 'node', cwd: '/no/such/folder' },
    scriptless: { command: './no-interpreter' },
    exits: node('console.error("starting");console.error("Error: no key hunter2hunter2");process.exit(3)', {
      env: { KEY: 'hunter2hunter2' },
    }),
    prints: node('console.log("Usage: server --port N")'),
    odd: { command: 'node', args: [toolServer], env: { NOISE: 'hello' } },
    listless: node(NO_LIST),
    crashes: node(NO_LIST.replace('const error', 'if (method === "tools/list") process.exit(9); const error')),
    era: { command: 'node', args: [toolServer], era: 'modern' },
    refused: { url: `http://127.0.0.1:${dead}/mcp` },
    nowhere: { type: 'ws', url: 'ws://nothere.invalid/mcp' },
    proxied: { url: 'https://nothere.invalid/mcp' },
    signedOut: { url: await status(401, { 'www-authenticate': 'Bearer error="invalid_token"' }) },
    forbidden: { url: await status(403), headers: { Authorization: 'Bearer ${DOCTOR_TOKEN}' } },
    page: { url: await status(404) },
    broken: { url: await status(500) },
    busy: { url: await status(503) },
    selfSigned: { url: await encrypted({ name: 'x', hosts: ['127.0.0.1'] }) },
    expired: {
      url: await encrypted({ name: 'x', hosts: ['127.0.0.1'], issuer: authority, until: yesterday }),
      tls: { ca: 'ca.pem' },
    },
    otherHost: { url: await encrypted({ name: 'x', hosts: ['other.test'], issuer: authority }), tls: { ca: 'ca.pem' } },
    plain: { url: (await status(200)).replace('http:', 'https:') },
    lazy: { command: 'node', args: ['-e', 'process.exit(1)'], start: 'lazy' },
  };
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: entries },
    'home/code/app/ca.pem': authority.cert,
    'home/code/app/no-interpreter': '#!/no/such/interpreter\n',
  });
  chmodSync(join(sandbox.root, USER_FILE), 0o600);
  chmodSync(join(sandbox.project, 'no-interpreter'), 0o755);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${dead}`, DOCTOR_TOKEN: 'hunter2hunter2', NO_PROXY: '127.0.0.1' };
  const run = await sandbox.run(['doctor', '--json'], { env });
  const findings = findingsOf(run);
  expect(findings.map(({ server, severity, code }) => `${severity} ${server} ${code}`)).toEqual([
    'error absent command-not-found',
    'error folderless no-folder',
    'error scriptless start-failed',
    'error exits exited',
    'error prints stdout-noise',
    'error listless list-failed',
    'error crashes exited',
    'error era wrong-era',
    'error refused connection-refused',
    'error nowhere dns',
    'error proxied proxy',
    'error signedOut needs-auth',
    'error forbidden forbidden',
    'error page no-endpoint',
    'error broken http-error',
    'error busy overloaded',
    'error selfSigned tls-untrusted',
    'error expired tls-expired',
    'error otherHost tls-wrong-host',
    'error plain tls-failed',
    'warning nowhere odd-value',
    'warning odd bad-schema',
    'warning odd stdout-noise',
  ]);
  expect([run.code, run.stderr]).toEqual([3, '']);
  expect(findings.filter(({ hint }) => hint === '')).toEqual([]);
  expect(run.stdout).not.toContain('hunter2');
  const of = (server: string): Finding => findings.find((finding) => finding.server === server)!;
  expect(of('exits').stderr).toBe('starting\nError: no key ••••');
  expect(of('prints').message).toContain('Usage: server --port N');
  expect(of('listless').message).toContain('the database is away');
  expect(of('odd').message).toContain('broken (its inputSchema is no object)');
  expect(of('signedOut').cause).toBe('WWW-Authenticate: Bearer error="invalid_token"');
  expect(of('forbidden').hint).toContain('DOCTOR_TOKEN');
  expect(of('refused').cause).toContain('ECONNREFUSED');
  expect(of('proxied').message).toContain('HTTPS_PROXY');
  // Each finding names the line that has to be fixed.
  const lines = sandbox.read(USER_FILE).split('\n');
  const lineOf = (server: string): string => lines[of(server).line! - 1]!.trim().split(':')[0]!;
  expect(['absent', 'folderless', 'era', 'refused', 'forbidden', 'otherHost'].map(lineOf)).toEqual([
    '"command"',
    '"cwd"',
    '"era"',
    '"url"',
    '"headers"',
    '"url"',
  ]);
});

test('a server that says nothing, and one that says the wrong thing, are told when the time is over', async () => {
  const sandbox = makeSandbox();
  const [silent, chatty, mute] = ['silent', 'chatty', 'mute'].map((name) => join(sandbox.root, name));
  const mcpServers = {
    silent: { command: 'sh', args: ['-c', `echo waiting for a lock >&2; : > '${silent}'; exec sleep 600`] },
    chatty: { command: 'sh', args: ['-c', `echo Listening on 8080; : > '${chatty}'; exec sleep 600`] },
    mute: { url: await answering(() => writeFileSync(mute!, '')) },
  };
  sandbox.write(USER_FILE, { mcpServers });
  const late = { at: () => Promise.all([silent!, chatty!, mute!].map(untilThere)) };
  const run = await sandbox.run(['doctor', '--json', '--timeout', FAR_MS], { late });
  const findings = findingsOf(run);
  expect(findings.map(({ server, severity, code }) => `${severity} ${server} ${code}`)).toEqual([
    'error silent handshake-timeout',
    'error chatty stdout-noise',
    'error mute handshake-timeout',
  ]);
  expect([run.code, findings[0]!.stderr]).toEqual([3, 'waiting for a lock']);
  expect(findings[1]!.message).toContain('Listening on 8080');
});

test('an entry says how long it may take to connect, whatever holds for the others', async () => {
  const late = NO_LIST.replace(
    'const { id',
    'setTimeout(() => answer(line), 500); }); function answer(line) { const { id',
  ).replace(/\}\);\s*$/u, '}');
  const mcpServers = {
    short: { command: 'sleep', args: ['600'], startTimeout: 1000 },
    long: node(late, { startTimeout: 600_000 }),
    usual: node(late),
  };
  const { run } = makeSandbox({ [USER_FILE]: { mcpServers } });
  const [impatient, diagnosed] = await Promise.all([
    run(['list', '--json'], { env: { MCP_TIMEOUT: '100' } }),
    run(['doctor', 'short', '--json'], { env: { MCP_TIMEOUT: '60000' } }),
  ]);
  const servers = impatient.json?.data?.['servers'] as readonly { name: string; status: string }[];
  expect(servers.map((server) => `${server.name} ${server.status}`)).toEqual([
    'short failed',
    'long connected',
    'usual failed',
  ]);
  expect(findingsOf(diagnosed)).toMatchObject([{ code: 'handshake-timeout', message: /within 1000 ms/u }]);
});

test('in text a failure says what, where, why and what to do', async () => {
  const shell = { command: 'sh', args: ['-c', 'echo one >&2; exec no-such-program-either'] };
  const lazy = node('process.exit(1)', { start: 'lazy' });
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: { good: { command: 'node', args: [toolServer] }, shell, lazy } },
  });
  const { stdout, stderr, code } = await sandbox.run(['doctor']);
  expect([code, stderr, stdout.replace(/^.*not found$/mu, '    NOT FOUND')]).toEqual([
    3,
    '',
    `error: Server "shell" exited with code 127 before it answered initialize
  at HOME/.config/plugboard/config.json:10:7
  the server said on stderr:
    one
    NOT FOUND
  → The server calls a program that is not on PATH: install it. To see which: sh -c 'echo one >&2; exec no-such-program-either'
warning: "good" has tools that cannot be used: broken (its inputSchema is no object)
  → The other 11 work. Report these to the server's author; see them: plugboard tools good --json

✘ 1 of 3 servers connected, 1 not started yet; 1 error, 1 warning
  checked: Node.js ${process.versions.node}, PATH, files, duplicates, npx cache, keychain, ports, proxy, clock
`,
  ]);
});

test('a server that waits for its first use is started when it is named, and with --all', async () => {
  const lazy = node('process.exit(4)', { start: 'lazy' });
  const { run } = makeSandbox({ [USER_FILE]: { mcpServers: { lazy } } });
  const asked = await Promise.all([
    run(['doctor', '--json']),
    run(['doctor', 'lazy', '--json']),
    run(['doctor', '--all', '--json']),
  ]);
  const codes = asked.map((one) => findingsOf(one).map(({ code }) => code));
  expect([asked.map(({ code }) => code), codes]).toEqual([
    [0, 3, 3],
    [[], ['exited'], ['exited']],
  ]);
});

test('an entry whose program cannot be found here, and which brings a PATH of its own, is not complained about', async () => {
  const sandbox = makeSandbox();
  sandbox.write('bin/own-server', `#!/bin/sh\nexec ${process.execPath} ${toolServer}\n`);
  chmodSync(join(sandbox.root, 'bin/own-server'), 0o755);
  const own = { command: 'own-server', env: { PATH: join(sandbox.root, 'bin') } };
  sandbox.write(USER_FILE, { mcpServers: { own } });
  const offline = findingsOf(await sandbox.run(['doctor', '--no-connect', '--json']));
  const live = findingsOf(await sandbox.run(['doctor', '--json']));
  expect([offline.map(({ code }) => code), live.map(({ code }) => code)]).toEqual([
    ['command-not-found'],
    ['bad-schema'],
  ]);
});
