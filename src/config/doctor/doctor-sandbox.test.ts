import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.js';
import { onDisk } from '../../../test/on-disk.js';
import { noLimits, noSandbox } from '../../edge/sandbox/sandbox-fixtures.js';
import { diagnoseSandboxes } from './doctor-sandbox.js';
import { userFile } from '../scopes/user.js';

const missing = (await noSandbox()) ?? (await noLimits());
const skipped = missing === undefined ? '' : ` (${missing})`;

onDisk();

interface Case {
  readonly entry: object;
  readonly settings?: object;
  /** The content of the user's .npmrc. */
  readonly npmrc?: string;
  readonly path?: string;
  readonly expected: readonly RegExp[];
}

/** Compares the findings as `server severity code message => hint`. */
async function check({ entry, settings = {}, npmrc, path, expected }: Case): Promise<void> {
  using house = openHouse();
  if (npmrc !== undefined) house.write(join(house.home, '.npmrc'), npmrc);
  house.write(userFile(house.context())!, { mcpServers: { a: entry }, settings });
  const env = { HOME: house.home, PATH: path ?? process.env['PATH'] };
  const findings = await diagnoseSandboxes(await house.load({ env, trustFolder: true }));
  const lines = findings.map(
    ({ server, severity, code, message, hint }) => `${server} ${severity} ${code} ${message} => ${hint}`,
  );
  expect(lines).toEqual(expected.map((line) => expect.stringMatching(line)));
}

test.each<[string, Case]>([
  ['no sandbox is asked for', { entry: { command: 'node' }, path: '/no/such', expected: [] }],
  [
    'nothing is started',
    { entry: { url: 'https://example.com' }, settings: { requireSandbox: true }, path: '/x', expected: [] },
  ],
  [
    'there is no bubblewrap',
    {
      entry: { command: 'node', sandbox: true },
      path: '/no/such',
      expected: [
        /^a error sandbox-unavailable "a" cannot start: the server must run in a sandbox, and bubblewrap is not installed: .* => Install it: .*bubblewrap/u,
      ],
    },
  ],
  [
    'a policy requires it, and there is no bubblewrap',
    {
      entry: { command: 'node' },
      settings: { requireSandbox: true },
      path: '/no/such',
      expected: [/^a error sandbox-unavailable .*bubblewrap is not installed/u],
    },
  ],
  ['it does not run anyway', { entry: { command: 'node', sandbox: true, disabled: true }, path: '/x', expected: [] }],
])('doctor tells what keeps servers out of their sandboxes: %s', (_, given) => check(given));

test.skipIf(missing !== undefined).each<[string, Case]>([
  ['nothing', { entry: { command: 'node', sandbox: { write: ['.'], memoryMb: 64, processes: 20 } }, expected: [] }],
  [
    'a path that is not there',
    {
      entry: { command: 'node', sandbox: { write: ['.', 'no/such'] } },
      expected: [
        /^a error sandbox-path .*sandbox\.write "no\/such" leads to .*, which does not exist => Make it: mkdir -p /u,
      ],
    },
  ],
  [
    'hardly a process',
    {
      entry: { command: 'node', sandbox: { processes: 4 } },
      expected: [/^a warning sandbox-processes "a" is limited to 4 processes, and every thread counts as one/u],
    },
  ],
  [
    'npx without network',
    {
      entry: { command: 'npx', args: ['-y', 'x'], sandbox: { network: false } },
      expected: [
        /^a warning sandbox-network "a" runs npx in a sandbox without network: npx cannot download anything => Write /u,
      ],
    },
  ],
  [
    'uvx that can keep nothing',
    {
      entry: { command: '/usr/bin/uvx', sandbox: { network: true } },
      expected: [/^a warning sandbox-network "a" runs uvx in a sandbox that may write nothing/u],
    },
  ],
  [
    'npx whose registry is in a file that it does not see',
    {
      entry: { command: 'npx', sandbox: { network: true, write: ['.'] } },
      npmrc: 'fund=false\n//registry.example/:_authToken=x\n',
      expected: [
        /^a warning sandbox-npmrc "a" runs npx in a sandbox that hides \S+\/\.npmrc, .* => Write "sandbox": \{ "read": \["\S+\/\.npmrc"\] \}/u,
      ],
    },
  ],
  [
    'npx that is to see it',
    {
      entry: { command: 'npx', sandbox: { network: true, write: ['.'], read: ['~/.npmrc'] } },
      npmrc: 'registry=https://registry.example\n',
      expected: [],
    },
  ],
  [
    'npx with settings that say nothing of it',
    { entry: { command: 'npx', sandbox: { network: true, write: ['.'] } }, npmrc: 'fund=false\n', expected: [] },
  ],
  [
    'everything for writing',
    {
      entry: { command: 'node', sandbox: { write: ['/', '~'] } },
      expected: [
        /^a error sandbox-path .*"\/" is the whole file system/u,
        /^a error sandbox-path .*"~" is your home folder/u,
      ],
    },
  ],
  [
    'sockets that the sandbox does not keep from it',
    {
      entry: { command: 'node', sandbox: { sockets: true, network: true } },
      expected: [/^a warning sandbox-sockets .* open after the server starts, and abstract ones => Take "sockets"/u],
    },
  ],
  ['npx with all it needs', { entry: { command: 'npx', sandbox: { network: true, write: ['.'] } }, expected: [] }],
  [
    'docker',
    {
      entry: { command: 'docker', sandbox: { network: true } },
      expected: [/^a warning sandbox-program "a" runs docker/u],
    },
  ],
  [
    'a folder that is not there',
    { entry: { command: 'node', cwd: '/no/such', sandbox: { write: ['x'] } }, expected: [] },
  ],
])(`doctor tells what will go wrong in a sandbox${skipped}: %s`, (_, given) => check(given));

test('doctor asks only about the server that it was asked about', async () => {
  using house = openHouse();
  const entry = { command: 'node', sandbox: true };
  house.write(userFile(house.context())!, { mcpServers: { a: entry, b: { ...entry, args: ['b'] } } });
  const loaded = await house.load({ env: { HOME: house.home, PATH: join(house.home, 'no') } });
  expect((await diagnoseSandboxes(loaded)).map(({ server }) => server)).toEqual(['a', 'b']);
  expect((await diagnoseSandboxes(loaded, 'b')).map(({ server }) => server)).toEqual(['b']);
});

test('doctor tells that a headersHelper of a repository cannot run where a sandbox is required and there is none', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, { settings: { requireSandbox: true } });
  const entry = { url: 'https://example.com', headersHelper: 'x' };
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: entry } });
  const env = { HOME: house.home, PATH: join(house.home, 'no') };
  const findings = await diagnoseSandboxes(await house.load({ env, approveProject: true }));
  expect(findings).toMatchObject([
    {
      server: 'a',
      code: 'sandbox-unavailable',
      message: expect.stringContaining('its headersHelper must run in a sandbox'),
    },
  ]);
});

test.skipIf(missing !== undefined)(
  `doctor tells of a home folder that is too full for a sandbox to hide all of its keys${skipped}`,
  async () => {
    using house = openHouse();
    house.write(userFile(house.context())!, { mcpServers: { a: { command: 'node', sandbox: true } } });
    for (let index = 0; index < 301; index++) house.write(join(house.home, `file-${index}`), '');
    const findings = await diagnoseSandboxes(
      await house.load({ env: { HOME: house.home, PATH: process.env['PATH'] } }),
    );
    expect(findings).toMatchObject([{ server: 'a', severity: 'warning', code: 'sandbox-home' }]);
  },
);
