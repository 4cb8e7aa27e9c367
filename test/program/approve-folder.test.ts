import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { APPROVALS_FILE, GUARD_MS, makeSandbox, PROJECT_FILE, type Sandbox } from './sandbox.js';

/** A script that creates the file `mark`, in whatever folder it runs. */
const marking = (mark: string): string => `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '');`;

type Entry = Readonly<Record<string, unknown>>;

/** A project with one server and a subfolder `sub`. */
function fill(entry: Entry, files: readonly string[] = []): Sandbox {
  const sandbox = makeSandbox({ [PROJECT_FILE]: { mcpServers: { db: entry } } });
  mkdirSync(join(sandbox.project, 'sub'));
  for (const file of files) put(sandbox, file);
  return sandbox;
}

function put(sandbox: Sandbox, file: string): void {
  chmodSync(sandbox.write(`home/code/app/${file}`, ''), 0o755);
}

async function status(sandbox: Sandbox, folder = '.', env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { json } = await sandbox.run(['get', 'db', '--no-connect', '--json'], { ...at(sandbox, folder), env });
  return String(json!.data!['status']);
}

const at = ({ project }: Sandbox, folder: string): { readonly cwd: string } => ({ cwd: join(project, folder) });

test('an approved program of the root does not lend its approval to a file of the same name in another folder', async () => {
  const sandbox = fill({ command: 'node', args: ['server.cjs'] });
  const marks = ['root', 'sub'].map((name) => join(sandbox.root, `${name}-ran`));
  sandbox.write('home/code/app/server.cjs', marking(marks[0]!));
  sandbox.write('home/code/app/sub/server.cjs', marking(marks[1]!));
  const approved = await sandbox.run(['approve', 'db']);
  expect(approved.stdout).toContain('=> its argument "server.cjs" is PROJECT/server.cjs\n');

  await sandbox.run(['list', '--timeout', GUARD_MS]);
  expect(marks.map(existsSync)).toEqual([true, false]);
  const elsewhere = await sandbox.run(['list', '--timeout', GUARD_MS], at(sandbox, 'sub'));
  expect(marks.map(existsSync)).toEqual([true, false]);
  expect(elsewhere.stdout).toContain('waits for approval; its entry changed since it was approved\n');
  const called = await sandbox.run(['call', 'mcp__db__x', '--json'], at(sandbox, 'sub'));
  expect([called.code, called.json?.ok]).toEqual([5, false]);

  const asked = await sandbox.run(['approve', 'db', '--dry-run'], at(sandbox, 'sub'));
  expect(asked.stdout).toContain('=> its argument "server.cjs" is PROJECT/sub/server.cjs\n');
  expect(asked.stdout).toContain(
    '=>   server.cjs is PROJECT/sub/server.cjs here, and was another file, or none, in PROJECT\n',
  );
  await sandbox.run(['approve', 'db'], at(sandbox, 'sub'));
  expect([await status(sandbox), await status(sandbox, 'sub')]).toEqual(['configured', 'configured']);
  await sandbox.run(['list', '--timeout', GUARD_MS], at(sandbox, 'sub'));
  expect(marks.map(existsSync)).toEqual([true, true]);
});

test.each<[string, Entry, readonly string[]]>([
  ['an argument', { command: 'node', args: ['server.mjs'] }, ['sub/server.mjs']],
  ['an argument with ./', { command: 'node', args: ['./server.mjs'] }, ['server.mjs', 'sub/server.mjs']],
  ['an argument of a wrapper', { command: 'env', args: ['A=1', 'node', 'server.mjs'] }, ['sub/server.mjs']],
  ['the value of an option', { command: 'node', args: ['--import=./x.mjs', '/srv/a.mjs'] }, ['sub/x.mjs']],
  ['an option with its value behind it', { command: 'node', args: ['-r./x.js', '/srv/a.mjs'] }, ['sub/x.js']],
  ['a word of a command line', { command: 'sh', args: ['-c', 'exec node server.mjs'] }, ['sub/server.mjs']],
  ['$PWD of a shell', { command: 'sh', args: ['-c', '"$PWD"/run.sh'] }, ['sub/run.sh']],
  ['less than the name of a script', { command: 'node', args: ['server'] }, ['server.js', 'sub/server.js']],
  ['a folder that is a program', { command: 'node', args: ['.'] }, ['index.js', 'sub/index.js']],
  ['a module', { command: 'python3', args: ['-m', 'app.server'] }, ['sub/app/server.py']],
  ['a script of package.json', { command: 'npm', args: ['start'] }, ['package.json', 'sub/package.json']],
  ['a makefile', { command: 'make', args: ['serve'] }, ['Makefile', 'sub/Makefile']],
  ['an installed package', { command: 'npx', args: ['-y', 'tool'] }, ['sub/node_modules/.bin/tool']],
  ['a variable', { command: 'node', args: ['/a.mjs'], env: { NODE_OPTIONS: '--import ./x.mjs' } }, ['sub/x.mjs']],
  ['a relative cwd', { command: 'node', args: ['a.mjs'], cwd: 'tools' }, ['tools/a.mjs', 'sub/tools/a.mjs']],
  ['a file behind thousands of words', { command: 'node', args: [...Array(3000).keys(), 'x'].map((n) => `a${n}`) }, []],
  ['the helper', { url: 'https://h.example', headersHelper: 'node helper.mjs' }, ['helper.mjs', 'sub/helper.mjs']],
  ['a folder that npx runs', { command: 'npx', args: ['-y', './server'] }, ['server/package.json', 'sub/server/a.js']],
  ['a folder in a line', { command: 'sh', args: ['-c', 'exec npx -y ./server'] }, ['server/a.js', 'sub/server/a.js']],
  ['a folder of go', { command: 'go', args: ['run', '-mod=mod', './cmd/x'] }, ['cmd/x/a.go', 'sub/cmd/x/a.go']],
  ['a folder of uvx', { command: 'uvx', args: ['--from', './x[cli]', 'y'] }, ['x/setup.py', 'sub/x/setup.py']],
  ['a folder behind =', { command: 'npx', args: ['--package=file:./x', 'y'] }, ['x/package.json', 'sub/x/a.js']],
  ['a folder behind an option', { command: 'npx', args: ['--odd', '-q', './x'] }, ['x/a.js', 'sub/x/a.js']],
  ['a scoped package', { command: 'npx', args: ['-y', '@a/tool@1'] }, ['sub/node_modules/.bin/tool']],
  ['a scoped folder', { command: 'npx', args: ['-y', '@a/tool'] }, ['sub/node_modules/@a/tool/package.json']],
  ['a package with another bin', { command: 'npx', args: ['plain'] }, ['sub/node_modules/plain/package.json']],
  ['a package of pnpm', { command: 'pnpm', args: ['exec', 'plain'] }, ['sub/node_modules/plain/package.json']],
  ['a package that node loads', { command: 'node', args: ['-r', 'x/y', '/a.js'] }, ['sub/node_modules/x/y.js']],
  ['a package that a line loads', { command: 'node', args: ['--import=x', '/a.js'] }, ['sub/node_modules/x/y.js']],
  ['settings of npm', { command: 'npx', args: ['-y', 'tool'] }, ['.npmrc', 'sub/.npmrc']],
  ['settings of bun', { command: 'bunx', args: ['tool'] }, ['sub/bunfig.toml']],
  ['settings of uv', { command: 'uvx', args: ['tool'] }, ['pyproject.toml', 'sub/uv.toml']],
  ['settings of cargo', { command: 'cargo', args: ['run'] }, ['Cargo.toml', 'sub/.cargo/config.toml']],
  ['a folder of modules', { command: 'python3', args: ['-m', 'x'], env: { PYTHONPATH: 'lib' } }, ['sub/lib/x.py']],
  ['a key', { url: 'https://h.example', tls: { cert: 'c.pem', key: 'k.pem' } }, ['c.pem', 'k.pem', 'sub/k.pem']],
])('%s that means another file in another folder asks there, and only there', async (_, entry, files) => {
  const sandbox = fill(entry, files);
  await sandbox.run(['approve', 'db']);
  expect([await status(sandbox), await status(sandbox, 'sub')]).toEqual(['configured', 'unapproved']);
  await sandbox.run(['approve', 'db'], at(sandbox, 'sub'));
  expect([await status(sandbox), await status(sandbox, 'sub')]).toEqual(['configured', 'configured']);
});

test.each<[string, Entry, readonly string[]]>([
  ['an absolute path', { command: 'node', args: ['${PLUGBOARD_PROJECT_DIR}/server.mjs'] }, ['server.mjs']],
  ['a package', { command: 'npx', args: ['-y', '@x/server', '.'] }, ['package.json', 'sub/package.json']],
  ['one that is installed for both', { command: 'npx', args: ['tool'] }, ['node_modules/.bin/tool', 'sub/a.js']],
  ['a folder', { command: 'npx', args: ['-y', '@x/server', './docs'] }, ['docs/a.txt', 'sub/docs/a.txt']],
  ['a folder of data', { command: 'uvx', args: ['x', '--dir', './docs'] }, ['docs/a.txt', 'sub/docs/a.txt']],
  ['one installed above', { command: 'npx', args: ['-y', '@a/b'] }, ['node_modules/@a/b/package.json', 'sub/a.js']],
  ['npx with one .npmrc', { command: 'npx', args: ['-y', '@a/b'] }, ['.npmrc', 'package.json', 'sub/package.json']],
  ['a folder by its path', { command: 'npx', args: ['${PLUGBOARD_PROJECT_DIR}/x'] }, ['x/a.js', 'sub/x/a.js']],
  ['an image', { command: 'docker', args: ['run', '-i', '--rm', 'image'] }, ['image.txt', 'sub/Dockerfile']],
  ['the script of a parent', { command: 'npm', args: ['start'] }, ['package.json', 'sub/a.js']],
  ['a cwd of the project', { command: 'node', args: ['a.mjs'], cwd: '${CLAUDE_PROJECT_DIR}' }, ['a.mjs', 'sub/a.mjs']],
  ['a URL', { url: 'https://h.example/mcp' }, ['mcp', 'sub/mcp']],
])('%s means the same everywhere, and asks nobody again', async (_, entry, files) => {
  const sandbox = fill(entry, files);
  await sandbox.run(['approve', 'db']);
  expect(await status(sandbox, 'sub')).toBe('configured');
});

test('a file that the server makes later in the approved folder asks nobody', async () => {
  const sandbox = fill({ command: 'node', args: ['server.mjs', '--db', 'data.sqlite', '--log=out.log'] }, [
    'server.mjs',
  ]);
  await sandbox.run(['approve', 'db']);
  for (const file of ['data.sqlite', 'out.log']) put(sandbox, file);
  expect(await status(sandbox)).toBe('configured');
});

test('a package.json that brings a program of its own asks, because npx runs that one first', async () => {
  const sandbox = fill({ command: 'npx', args: ['-y', 'tool'] }, ['package.json']);
  await sandbox.run(['approve', 'db']);
  for (const [manifest, expected] of [
    [{ name: 'a', scripts: { tool: 'x' } }, 'configured'],
    [{ name: 'a', bin: { tool: './evil.js' } }, 'unapproved'],
    [{ name: 'tool', directories: { bin: './bin' } }, 'unapproved'],
  ] as const) {
    sandbox.write('home/code/app/sub/package.json', manifest);
    expect(await status(sandbox, 'sub')).toBe(expected);
  }
});

test('what is installed or set later in the approved folder asks nobody, and a rotated secret neither', async () => {
  const sandbox = fill({ command: 'npx', args: ['-y', './server', '--token=${TOKEN}'] }, ['server/package.json']);
  await sandbox.run(['approve', 'db'], { env: { TOKEN: 'a' } });
  for (const file of ['.npmrc', 'node_modules/server/package.json', 'node_modules/.bin/server']) put(sandbox, file);
  expect(await status(sandbox, '.', { TOKEN: 'b' })).toBe('configured');
});

test('a variable that leads to another folder by now asks again', async () => {
  const sandbox = fill({ command: 'npx', args: ['-y', '${TOOL:-./a}'] }, ['a/package.json', 'b/package.json']);
  await sandbox.run(['approve', 'db']);
  expect([await status(sandbox), await status(sandbox, '.', { TOOL: './b' })]).toEqual(['configured', 'unapproved']);
});

test('a variable that leads to another file by now asks again, and a rotated secret does not', async () => {
  const args = ['${SCRIPT}', '--token=${TOKEN}', '${PWD}/conf.json'];
  const sandbox = fill({ command: 'node', args }, ['a.mjs', 'b.mjs', 'conf.json', 'sub/conf.json']);
  const env = { SCRIPT: 'a.mjs', TOKEN: 'hunter2', PWD: sandbox.project };
  await sandbox.run(['approve', 'db'], { env });
  expect(await status(sandbox, '.', env)).toBe('configured');
  expect(await status(sandbox, '.', { ...env, TOKEN: 'new' })).toBe('configured');
  expect(await status(sandbox, '.', { ...env, SCRIPT: 'b.mjs' })).toBe('unapproved');
  expect(await status(sandbox, '.', { ...env, PWD: `${sandbox.project}/sub` })).toBe('unapproved');
  expect(sandbox.read(APPROVALS_FILE)).not.toContain('hunter2');
});

test('a no holds in every folder until somebody says yes there, whatever a flag says', async () => {
  const sandbox = fill({ command: 'node', args: ['server.mjs'] }, ['server.mjs', 'sub/server.mjs']);
  await sandbox.run(['approve', 'db', '--reject']);
  const { json } = await sandbox.run(
    ['get', 'db', '--no-connect', '--json', '--approve-project-servers'],
    at(sandbox, 'sub'),
  );
  expect(json?.data).toMatchObject({ status: 'unapproved', rejected: true });
  await sandbox.run(['approve', 'db'], at(sandbox, 'sub'));
  expect([await status(sandbox), await status(sandbox, 'sub')]).toEqual(['unapproved', 'configured']);
});

test('an approval is taken back in every folder in which its words mean the same', async () => {
  const sandbox = fill({ command: 'npx', args: ['-y', 'x'] });
  await sandbox.run(['approve', 'db']);
  await sandbox.run(['approve', 'db', '--reject'], at(sandbox, 'sub'));
  expect([await status(sandbox), await status(sandbox, 'sub')]).toEqual(['unapproved', 'unapproved']);
  await sandbox.run(['approve', 'db']);
  expect([await status(sandbox), await status(sandbox, 'sub')]).toEqual(['configured', 'configured']);
});

test('the flag for one run starts what nobody has answered in this folder', async () => {
  const sandbox = fill({ command: 'node', args: ['server.mjs'] }, ['server.mjs', 'sub/server.mjs']);
  await sandbox.run(['approve', 'db']);
  const { json } = await sandbox.run(
    ['get', 'db', '--no-connect', '--json', '--approve-project-servers'],
    at(sandbox, 'sub'),
  );
  expect(json?.data?.['status']).toBe('configured');
});

/** Rewrites the approvals as version 0.1.0 wrote them: without `place`. */
function makeOld(sandbox: Sandbox): void {
  const text = sandbox.read(APPROVALS_FILE);
  const old = JSON.parse(text, (key, value: unknown) => (key === 'place' ? undefined : value)) as unknown;
  expect(JSON.stringify(old)).not.toContain('folder');
  sandbox.write(APPROVALS_FILE, old);
}

test.each<[string, Entry, readonly string[]]>([
  ['a package', { command: 'npx', args: ['-y', '@x/server', '.'] }, ['package.json', 'sub/package.json']],
  ['a URL', { url: 'https://h.example/mcp', headersHelper: 'node helper.mjs' }, ['helper.mjs']],
  ['a file by its full path', { command: 'node', args: ['${CLAUDE_PROJECT_DIR}/a.mjs', '/bin/sh'] }, ['a.mjs']],
  ['a file that is not there yet', { command: 'npx', args: ['x', '--db=data.sqlite'] }, []],
  ['no argument', { command: 'npx' }, []],
])('an approval of version 0.1.0 holds for %s', async (_, entry, files) => {
  const sandbox = fill(entry, files);
  await sandbox.run(['approve', 'db']);
  makeOld(sandbox);
  expect([await status(sandbox), await status(sandbox, 'sub')]).toEqual(['configured', 'configured']);
});

test('an approval of version 0.1.0 is asked about once where an argument is a file', async () => {
  const sandbox = fill({ command: 'node', args: ['server.mjs'] }, ['server.mjs', 'sub/a.js']);
  await sandbox.run(['approve', 'db']);
  makeOld(sandbox);
  expect([await status(sandbox), await status(sandbox, 'sub')]).toEqual(['unapproved', 'configured']);
  const { stdout } = await sandbox.run(['approve', 'db', '--dry-run']);
  expect(stdout).toContain('=>   server.mjs is PROJECT/server.mjs: version 0.1.0 did not record which file it was\n');
  await sandbox.run(['approve', 'db']);
  expect(await status(sandbox)).toBe('configured');
});

test('a no that version 0.1.0 remembered stays a no', async () => {
  const sandbox = fill({ command: 'node', args: ['server.mjs'] }, ['server.mjs', 'sub/server.mjs']);
  await sandbox.run(['approve', 'db', '--reject']);
  makeOld(sandbox);
  for (const folder of ['.', 'sub']) {
    const { json } = await sandbox.run(['get', 'db', '--no-connect', '--json'], at(sandbox, folder));
    expect(json?.data).toMatchObject({ status: 'unapproved', rejected: true });
  }
});
