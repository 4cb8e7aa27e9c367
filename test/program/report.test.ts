import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from '../faults/network-fixtures.js';
import { makeSandbox, PROJECT_FILE, type Sandbox, USER_FILE } from './sandbox.js';

/** Each is planted in another place, and none may appear. */
const planted = {
  env: 'plain-env-value-4711',
  header: 'header-value-0815-xyz',
  argument: 'argument-token-99',
  glued: 'glued-Password1',
  url: 'k3y1n7h3url00',
  user: 'bob:sesame42',
  stderr: 'sk-ant-api03-abcdefghijklmnopqrstuvwx',
  variable: 'value-of-a-variable-12',
  expanded: 'an-expanded-secret-34',
  token: 'stored-refresh-token-5678',
  setting: 'hook-secret-value-77',
  comment: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
  person: 'jdoe-the-person',
};

const LOG = 'home/.local/state/plugboard/logs/one.log';

function plant(): Sandbox {
  return makeSandbox({
    [USER_FILE]: {
      mcpServers: {
        one: {
          command: 'node',
          args: ['x.mjs', '--api-key', planted.argument, `-p${planted.glued}`],
          env: { MODE: planted.env, TOKEN: '${MY_TOKEN}', UNSET_KEY: '${UNSET_KEY}' },
        },
        two: {
          url: `https://${planted.user}@w.example/mcp?api_key=${planted.url}`,
          headers: { 'X-Any': planted.header },
        },
        three: { command: 5, env: { A: planted.env } },
      },
      settings: {
        hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: `TOKEN=${planted.setting} x` }] }] },
      },
    },
    [PROJECT_FILE]: `{ "mcpServers": { "theirs": { "command": "x", "env": { "K": "${planted.env}" } } }, // ${planted.comment}\n "broken": }`,
    [LOG]: `start ${planted.env}\nkey ${planted.stderr}\n${planted.expanded} of ${planted.person} in /home/x\n\u001B[31mred ${planted.token}\n`,
    'home/.local/state/plugboard/credentials/a.json': { tokens: { refresh_token: planted.token } },
  });
}

const env = {
  MY_TOKEN: planted.expanded,
  SOME_API_KEY: planted.variable,
  USER: planted.person,
  HTTPS_PROXY: `http://${planted.user}@p:1`,
};

function reportsIn({ project }: Sandbox): string[] {
  return readdirSync(project).filter((file) => file.startsWith('plugboard-report-'));
}

test('a report has versions, servers, findings and logs, and none of the secrets', async () => {
  const sandbox = plant();
  const { code, stdout, stderr } = await sandbox.run(['report'], { env });
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^Wrote PROJECT\/plugboard-report-\d{8}-\d{6}\.md \(\d+ kB\)\nNothing was sent\. Read the file before you share it\n$/u,
    ),
  ]);
  const [file = ''] = reportsIn(sandbox);
  const path = join(sandbox.project, file);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^# Plugboard report\n/u);
  for (const part of [
    '## Versions',
    process.version,
    '"name": "one"',
    'is not JSON',
    'said on stderr',
    'start ',
    '"code": "invalid-entry"',
    '~/.config/plugboard/config.json',
    '${MY_TOKEN}',
    '"UNSET_KEY": "${UNSET_KEY}"',
    'logs/one.log',
  ])
    expect(text).toContain(part);
  const leaks = Object.entries(planted).filter(([, secret]) =>
    [text, stdout, stderr].some((one) => one.includes(secret)),
  );
  expect(leaks).toEqual([]);
  for (const part of ['sesame42', sandbox.home, '\u001B']) expect(text).not.toContain(part);
});

test('no server is started unless that is asked for', async () => {
  const notes = { command: process.execPath, args: [resolve('demo/servers/notes.mjs')] };
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { notes } } });
  const { json } = await sandbox.run(['report', '--out', 'a.md', '--json']);
  expect(json?.data).toEqual({
    file: 'PROJECT/a.md',
    bytes: expect.any(Number) as number,
    findings: expect.any(Number) as number,
  });
  expect(sandbox.read('home/code/app/a.md')).not.toContain('States after connecting');
  await sandbox.run(['report', '--out', 'a.md', '--connect']);
  expect(sandbox.read('home/code/app/a.md')).toMatch(/States after connecting[\s\S]*"status": "connected"/u);
});

test('no proxy is connected to unless servers are to be started', async () => {
  const proxy = await listen(createServer());
  const HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
  const { code } = await makeSandbox().run(['report'], { env: { HTTPS_PROXY } });
  expect(code).toBe(0);
  expect(proxy.connections()).toBe(0);
});

test('only an older report is replaced, never another file, nor what a link leads to', async () => {
  const sandbox = makeSandbox();
  const mine = sandbox.write('home/code/app/mine.md', 'mine');
  writeFileSync(join(sandbox.project, 'old.md'), '# Plugboard report\n');
  chmodSync(join(sandbox.project, 'old.md'), 0o644);
  symlinkSync(mine, join(sandbox.project, 'link.md'));
  mkdirSync(join(sandbox.project, 'folder.md'));
  for (const out of ['mine.md', 'link.md', 'folder.md']) {
    const { code, stderr } = await sandbox.run(['report', '--out', out]);
    expect([out, code, stderr]).toEqual([out, 1, expect.stringContaining('is not a report')]);
  }
  expect(readFileSync(mine, 'utf8')).toBe('mine');
  expect((await sandbox.run(['report', '--out', 'old.md'])).code).toBe(0);
  expect(statSync(join(sandbox.project, 'old.md')).mode & 0o777).toBe(0o600);
});

test('a report stays small, however much there is', async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`s${at}`, { command: 'x', args: ['y'.repeat(5000)] }]),
  );
  const logs = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [
      `home/.local/state/plugboard/logs/s${at}.log`,
      `${'z'.repeat(900)}\n`.repeat(200),
    ]),
  );
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: servers }, ...logs });
  const { json } = await sandbox.run(['report', '--json', '--out', 'big.md']);
  expect(json?.data?.['bytes']).toBeLessThanOrEqual(1_000_000);
  expect(sandbox.read('home/code/app/big.md')).toContain('[cut here]');
});
