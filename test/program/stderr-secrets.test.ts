import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FAR_MS } from './late-clock.js';
import { untilThere } from './live-servers.js';
import { makeSandbox, type Run, type Sandbox, USER_FILE } from './sandbox.js';

/** The forms in which servers and their libraries print secrets. `#` is the secret. */
const LINES = [
  'api_key = "#"',
  '<password>#</password>',
  'PASSWORD : #',
  'https://hooks.slack.com/services/T000/B000/#',
  'https://discord.com/api/webhooks/1234/#',
  'https://api.telegram.org/bot123:#/getMe',
  'curl -u jane:# https://h.example',
  'Error: invalid option -p #',
  "{ headers: { Authorization: 'Bearer #' } }",
  '{"msg":"connecting with password=\\"#\\""}',
  'GET /?next=%2Fcb%3Ftoken%3D#%26a%3D1',
  'mysql -p# -u root',
  '<Password value="#"/>',
  '<key>password</key><string>#</string>',
  '[password] #',
  'token -> #',
  'password is #',
  'Password for bob: #',
  'the entry gave me value-\nof-env-1, or value-of\r-env-1',
  'the entry gave me value-of-env-1 and argument-1, the host inherited-1',
];
const SECRET = /hunter2|value-|of-env|env-1|argument-1|inherited-1/u;

/** A server that writes these lines to stderr, each in two chunks, and exits. */
function fill(): Sandbox {
  const lines = JSON.stringify(LINES.map((line) => line.replaceAll('#', 'hunter2xyz')));
  const script = `const { writeSync } = require('node:fs');
    for (const line of ${lines}) for (const piece of [line.slice(0, line.length - 5), line.slice(-5) + '\\n']) writeSync(2, piece);
    writeSync(2, 'Error: no database\\n'); process.exit(3)`;
  const sandbox = makeSandbox();
  const args = [sandbox.write('server.cjs', script), '-p', 'argument-1'];
  const db = { command: 'node', args, env: { DATABASE: 'value-of-env-1' }, inheritEnv: ['SOME_TOKEN'] };
  sandbox.write(USER_FILE, { mcpServers: { db } });
  return sandbox;
}

const LOG = 'home/.local/state/plugboard/logs/db.log';
const env = { SOME_TOKEN: 'inherited-1' };

test('no secret that a server says on stderr is shown or kept', async () => {
  const sandbox = fill();
  for (const args of [
    ['list'],
    ['list', '--json'],
    ['get', 'db'],
    ['doctor', 'db', '--json'],
    ['call', 'db.x', '--json'],
    ['tools', 'db', '--verbose'],
  ]) {
    const { stdout, stderr } = await sandbox.run(args, { env });
    expect([args, SECRET.exec(stdout + stderr)]).toEqual([args, null]);
  }
  const { json } = await sandbox.run(['list', '--json'], { env });
  const [server] = json!.data!['servers'] as { error: { stderr: string; hint: string } }[];
  expect(server?.error.stderr).toContain('api_key = ••••');
  expect(server?.error.stderr).toContain('Error: no database');
  const log = sandbox.read(LOG);
  expect(log).not.toMatch(SECRET);
  expect(log).toContain('PASSWORD : ••••\n');
  expect(log).toContain('curl -u jane:•••• https://h.example\n');
});

test('logs cannot reveal what was never kept', async () => {
  const sandbox = fill();
  await sandbox.run(['list'], { env });
  const { stdout } = await sandbox.run(['logs', 'db', '--reveal']);
  expect(stdout).toContain('<password>••••</password>');
  expect(stdout).not.toMatch(SECRET);
});

test('nor one that a server prints on stdout, or answers with instead of a message', async () => {
  const http = createServer((request, response) => {
    request.resume();
    response
      .writeHead(500, { 'content-type': 'text/plain' })
      .end('no database: DB_PASSWORD : hunter2xyz, api_key = "hunter2xyz"');
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  onTestFinished(() => void http.close());
  const sandbox = makeSandbox();
  const said = join(sandbox.root, 'said');
  const nonMessage = `console.log('DB_PASSWORD : hunter2xyz, api_key = "hunter2xyz"'); require('node:fs').writeFileSync(${JSON.stringify(said)}, ''); process.stdin.resume().on('end', () => process.exit(1))`;
  sandbox.write(USER_FILE, {
    mcpServers: {
      web: { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` },
      db: { command: 'node', args: [sandbox.write('server.cjs', nonMessage)] },
    },
  });
  // Timeouts run out when the stdio server has written its line and the HTTP server has got its request.
  const run = (args: readonly string[]): Promise<Run> => {
    rmSync(said, { force: true });
    const asked = once(http, 'request');
    return sandbox.run([...args, '--timeout', FAR_MS], { late: { at: () => Promise.all([untilThere(said), asked]) } });
  };
  for (const args of [
    ['list', '--json'],
    ['list'],
    ['doctor', '--json'],
    ['logs', 'web', '--reveal'],
    ['logs', 'db', '--reveal'],
  ]) {
    const { stdout, stderr } = await run(args);
    expect([args, SECRET.exec(stdout + stderr)]).toEqual([args, null]);
  }
  const { stdout } = await run(['list', '--json']);
  expect(stdout).toContain('no database: DB_PASSWORD : ••••');
});

test('nor one of the arguments or of the URL, in what a failure is told to come from', async () => {
  const http = createServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'www-authenticate': `Bearer error_description="bad ${request.url}"` }).end();
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  onTestFinished(() => void http.close());
  const sandbox = makeSandbox();
  const program = `console.log('began with ' + process.argv.at(-1)); console.error('no file'); process.exit(4)`;
  sandbox.write(USER_FILE, {
    mcpServers: {
      web: { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp?key=hunter2xyz` },
      db: { command: 'node', args: [sandbox.write('server.cjs', program), '--password', 'hunter2xyz'] },
    },
  });
  for (const [verb, name] of ['tools', 'doctor'].flatMap((one) => [
    [one, 'web'],
    [one, 'db'],
  ]) as [string, string][]) {
    const { stdout } = await sandbox.run([verb, name, '--json', '--trust-folder']);
    expect([verb, name, SECRET.exec(stdout)]).toEqual([verb, name, null]);
    expect(stdout).toContain(name === 'web' ? 'bad /mcp?key=••••' : 'on stdout: began with ••••');
  }
});
