import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GUARD_MS, type Sandbox } from './sandbox.js';
import { BIN, makeExecutable, MARK, NODE, PROJECT, PYTHON_MARK, ran, scene } from './trust-scene.js';

interface Attack {
  readonly entry: object;
  readonly files: Readonly<Record<string, string>>;
  readonly env?: (sandbox: Sandbox) => Readonly<Record<string, string>>;
}

const PERL_MARK = `open(F, '>', "$ENV{HOME}/ran"); close F; 1;\n`;
const npx = { command: 'npx', args: ['-y', 'some-tool'] };
const offline = { npm_config_offline: 'true', npm_config_update_notifier: 'false' };
const bin = { 'node_modules/some-tool/package.json': '{"name":"some-tool","version":"1.0.0","bin":"x.js"}' };

const attacks: readonly [string, Attack][] = [
  [
    'a package in its node_modules',
    { entry: npx, files: { ...bin, 'node_modules/.bin/some-tool': BIN, 'node_modules/some-tool/x.js': BIN } },
  ],
  [
    'a bin of its package.json',
    {
      entry: npx,
      files: { 'package.json': '{"name":"some-tool","version":"1.0.0","bin":{"some-tool":"./x.js"}}', 'x.js': BIN },
    },
  ],
  [
    'a Python module',
    { entry: { command: 'python3', args: ['-m', 'some_mod'] }, files: { 'some_mod.py': PYTHON_MARK } },
  ],
  [
    "a module that shadows one of the user's own tool",
    {
      entry: { command: 'python3', args: ['-m', 'json.tool', '--help'] },
      files: { 'argparse.py': PYTHON_MARK },
    },
  ],
  [
    'node-options of its .npmrc',
    {
      entry: { command: 'npm', args: ['exec', '-c', `${NODE} -e 0`] },
      files: { '.npmrc': 'node-options=--require ./evil.cjs\n', 'evil.cjs': MARK },
    },
  ],
  [
    'the script-shell of its .npmrc',
    {
      entry: { command: 'npm', args: ['exec', '-c', 'true'] },
      files: {
        '.npmrc': 'script-shell=./evil.sh\n',
        'evil.sh': `#!/bin/sh\necho > "$HOME/ran"\n`,
        'package.json': '{}',
      },
    },
  ],
  [
    'a program on a PATH that leads into it',
    {
      entry: { command: 'some-tool' },
      files: { 'node_modules/.bin/some-tool': BIN },
      env: ({ project }) => ({ PATH: `${project}/node_modules/.bin:${process.env['PATH']}` }),
    },
  ],
  [
    'a sandbox of its own on that PATH',
    {
      entry: { command: NODE, args: ['-e', '0'], sandbox: true },
      files: { 'node_modules/.bin/bwrap': '#!/bin/sh\necho > "${0%/code/*}/ran"\n' },
      env: ({ project }) => ({ PATH: `${project}/node_modules/.bin:${process.env['PATH']}` }),
    },
  ],
  [
    'a PATH that an entry takes over',
    {
      entry: { command: 'sh', args: ['-c', 'some-tool'], env: { PATH: '${PATH}:/opt/none' } },
      files: { 'node_modules/.bin/some-tool': BIN },
      env: ({ project }) => ({ PATH: `${project}/node_modules/.bin:${process.env['PATH']}` }),
    },
  ],
  [
    'settings of npm that lead into it',
    {
      entry: { command: 'npm', args: ['exec', '-c', `${NODE} -e 0`] },
      files: { 'evil.cjs': MARK },
      env: ({ project }) => ({ npm_config_node_options: `--require ${project}/evil.cjs` }),
    },
  ],
  [
    'variables that an entry inherits',
    {
      entry: { command: NODE, args: ['-e', '0'], inheritEnv: true },
      files: { 'evil.cjs': MARK },
      env: ({ project }) => ({ NODE_OPTIONS: `--require ${project}/evil.cjs` }),
    },
  ],
  [
    'a path behind an option in a variable',
    {
      entry: { command: 'perl', args: ['-e', '1'], inheritEnv: true },
      files: { 'lib/Foo.pm': PERL_MARK },
      env: ({ project }) => ({ PERL5OPT: `-I${project}/lib -MFoo` }),
    },
  ],
  [
    'a path in another spelling',
    {
      entry: { command: NODE, args: ['-e', '0'], inheritEnv: true },
      files: { 'evil.cjs': MARK },
      env: ({ project }) => ({ NODE_OPTIONS: `--require ${dirname(project)}/./${basename(project)}//evil.cjs` }),
    },
  ],
  [
    'a PATH entry that npm adds for the folders above',
    {
      entry: { command: 'some-tool' },
      files: { '../node_modules/.bin/some-tool': BIN },
      env: ({ home }) => ({ PATH: `${home}/code/node_modules/.bin:${process.env['PATH']}` }),
    },
  ],
  [
    'a .env that a server reads',
    {
      entry: {
        command: NODE,
        args: ['-e', `if (require('node:fs').existsSync('.env')) { ${MARK} }`],
      },
      files: { '.env': 'API_URL=https://evil.example\n' },
    },
  ],
];

/** npm and npx take seconds each; the other attacks already show that servers do not start in the folder. */
const IN_FULL = ['a bin of its package.json', 'node-options of its .npmrc', 'the script-shell of its .npmrc'];
const tried = attacks.filter(([what]) => process.env['PLUGBOARD_FULL'] !== undefined || !IN_FULL.includes(what));

test.each(tried)(
  'in a folder that is not trusted %s does not run through a server of the user',
  async (_, { entry, files, env }) => {
    const sandbox = scene(
      { tool: entry },
      Object.fromEntries(Object.entries(files).map(([path, text]) => [`${PROJECT}/${path}`, text])),
    );
    for (const [path, text] of Object.entries(files)) {
      if (text.startsWith('#!')) makeExecutable(join(sandbox.project, path));
    }
    const options = { env: { ...offline, ...env?.(sandbox) } };
    const first = await sandbox.run(['list', '--json', '--timeout', GUARD_MS], options);
    expect([first.code, ran(sandbox)]).toEqual([0, undefined]);
    // In a trusted folder the attack works; otherwise the first run would prove nothing.
    await sandbox.run(['list', '--json', '--timeout', GUARD_MS, '--trust-folder'], options);
    expect(ran(sandbox)).toBeDefined();
  },
);

test('settings of npm that the user has in the environment stay, whatever the repository has in its .npmrc', async () => {
  const said = `require('node:fs').writeFileSync(process.env.HOME + '/ran', String(process.env.npm_config_registry))`;
  for (const rc of [{ [`${PROJECT}/.npmrc`]: 'registry=x\n' }, { [`${PROJECT}/.npmrc/file`]: '' }]) {
    const sandbox = scene({ tool: { command: NODE, args: ['-e', said] } }, rc);
    await sandbox.run(['list', '--json'], { env: { npm_config_registry: 'http://corp.example/' } });
    expect(ran(sandbox)).toBe('http://corp.example/');
  }
});

test('a registry that a repository names hears nothing, and gets no token', async () => {
  const received: string[] = [];
  const registry = createServer((request, response) => {
    received.push(`${request.url} ${request.headers.authorization ?? ''}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((done) => void registry.listen(0, '127.0.0.1', done));
  onTestFinished(() => void registry.close());
  const { port } = registry.address() as AddressInfo;
  const rc = `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=\${HOME}\n`;
  const sandbox = scene({ tool: npx }, { [`${PROJECT}/.npmrc`]: rc, [`${PROJECT}/package.json`]: '{}' });
  const env = { npm_config_fetch_retries: '0', npm_config_update_notifier: 'false', npm_config_audit: 'false' };
  // npm passes its project's settings to the programs it runs; these equal the ones in the .npmrc.
  const registryOf = { npm_config_registry: `http://127.0.0.1:${port}/`, npm_command: 'run-script' };
  const handed = { ...registryOf, npm_config_local_prefix: sandbox.project };
  const home = sandbox.write('home/.npmrc', 'registry=http://127.0.0.1:9/\n');
  expect(home).toContain('home/.npmrc');
  await sandbox.run(['list', '--json', '--timeout', GUARD_MS], { env: { ...env, ...handed } });
  expect(received).toEqual([]);
  await sandbox.run(['list', '--json', '--timeout', GUARD_MS, '--trust-folder'], { env });
  expect(received[0]).toMatch(/^\/some-tool Bearer .*home$/u);
});
