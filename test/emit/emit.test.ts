import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makeSandbox, type Sandbox, USER_FILE } from '../program/sandbox.js';
import { packageFile } from '../real-servers/real-server.js';
import { compile, makeProject, shapeOf } from './compile.js';

const server = (name: string, ...args: readonly string[]): object => ({
  command: process.execPath,
  args: [packageFile(`@modelcontextprotocol/server-${name}`), ...args],
});

/** A sandbox with three real servers, and a project that has this package. */
function openScene(): { readonly sandbox: Sandbox; readonly project: string } {
  const sandbox = makeSandbox();
  const memory = { ...server('memory'), env: { MEMORY_FILE_PATH: join(sandbox.root, 'memory.jsonl') } };
  const mcpServers = { every: server('everything', 'stdio'), files: server('filesystem', sandbox.project), memory };
  sandbox.write(USER_FILE, { mcpServers });
  return { sandbox, project: makeProject() };
}

/** Runs an emitted program with the configuration of the sandbox. */
function runEmitted(
  file: string,
  args: readonly string[],
  { sandbox }: { readonly sandbox: Sandbox },
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: sandbox.project,
    env: { HOME: sandbox.home, PATH: process.env['PATH'], PLUGBOARD_KEYCHAIN: 'off' },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('clients and programs of real servers compile under strict, and call them', async () => {
  const { sandbox, project } = openScene();
  for (const name of ['every', 'files', 'memory']) {
    for (const [verb, end] of [
      ['emit-ts', 'ts'],
      ['emit-cli', 'mjs'],
    ] as const) {
      const file = join(project, `${name}.${end}`);
      const { code, stdout, stderr } = await sandbox.run([verb, name, '--out', file]);
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: expect.stringMatching(new RegExp(`^Wrote \\d+ tools of "${name}" to `, 'u')) as string,
        stderr: '',
      });
    }
  }
  expect(statSync(join(project, 'every.mjs')).mode & 0o111).not.toBe(0);
  writeFileSync(
    join(project, 'use.ts'),
    `import { everyClient, openEveryHost } from './every.js';
     const host = await openEveryHost({ permissions: { mode: 'bypass' } });
     const every = everyClient(host);
     const weather = await every.getStructuredContent({ location: 'Chicago' });
     const degrees: number = weather.structuredContent.temperature;
     const { content } = await every.getSum({ a: 2, b: 3 });
     const failed = await every.getResourceReference({ resourceId: -1 }).catch((error: Error) => error.name);
     await every.getEnv();
     // @ts-expect-error -- a number is needed
     void (() => every.getSum({ a: '2', b: 3 }));
     // @ts-expect-error -- there is no such city in the schema
     void (() => every.getStructuredContent({ location: 'Paris' }));
     // @ts-expect-error -- the argument is called message
     void (() => every.echo({ mesage: 'x' }));
     console.log(JSON.stringify([degrees, content, failed]));
     await host.close();`,
  );
  expect(compile(project)).toBe('');
  const esbuilt = await stripped(join(project, 'use.ts'), join(project, 'every.ts'));
  const used = runEmitted(esbuilt, [], { sandbox });
  expect([used.status, JSON.parse(used.stdout)]).toEqual([
    0,
    [expect.any(Number), [{ type: 'text', text: 'The sum of 2 and 3 is 5.' }], 'HostError'],
  ]);
});

/** The sources as JavaScript beside them; the file to run. */
async function stripped(...files: readonly string[]): Promise<string> {
  const { transform } = await import('esbuild');
  for (const file of files) {
    const { code } = await transform(readFileSync(file, 'utf8'), { loader: 'ts' });
    writeFileSync(file.replace(/\.ts$/u, '.js'), code);
  }
  return files[0]!.replace(/\.ts$/u, '.js');
}

test('an emitted program has help, flags, JSON and the exit codes of plugboard', async () => {
  const { sandbox, project } = openScene();
  const file = join(project, 'every.mjs');
  await sandbox.run(['emit-cli', 'every', '--out', file]);
  const run = (...args: readonly string[]): ReturnType<typeof runEmitted> => runEmitted(file, args, { sandbox });
  const help = run('--help');
  expect([help.status, help.stdout]).toEqual([0, expect.stringMatching(/^ {2}get-sum +Returns the sum/mu)]);
  expect(run('get-sum', '--help').stdout).toContain('--a NUMBER');
  expect(run('get-sum', '--a', '2', '--b', '3')).toEqual({
    status: 0,
    stdout: 'The sum of 2 and 3 is 5.\n',
    stderr: '',
  });
  expect(JSON.parse(run('echo', '--message', 'hi', '--json').stdout)).toMatchObject({
    ok: true,
    data: { outcome: 'ok', content: [{ type: 'text', text: 'Echo: hi' }] },
  });
  expect(run('get-sum', '--a', 'x', '--b', '3')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--a must be a number'),
  });
  expect(run('nothing')).toMatchObject({ status: 2 });
  sandbox.write(USER_FILE, { mcpServers: { every: { command: join(sandbox.root, 'gone') } } });
  expect(run('echo', '--message', 'hi').status).toBe(1);
});

test('without --out the source goes to stdout; as JSON it is a field', async () => {
  const { sandbox } = openScene();
  const { code, stdout, stderr } = await sandbox.run(['emit-ts', 'memory']);
  expect([code, stderr, shapeOf('x.ts', stdout).errors]).toEqual([0, '', []]);
  const { json } = await sandbox.run(['emit-ts', 'memory', '--json']);
  expect(json?.data).toEqual({ server: 'memory', tools: 9, source: stdout });
  const { json: written } = await sandbox.run(['emit-cli', 'memory', '--out', 'm.mjs', '--json']);
  expect(written?.data).toEqual({ server: 'memory', tools: 9, file: 'PROJECT/m.mjs' });
});

test('a file that the command did not write is kept unless --force is given, and never half replaced', async () => {
  const { sandbox } = openScene();
  const file = sandbox.write('home/code/app/own.ts', 'export const mine = 1;\n');
  const refused = await sandbox.run(['emit-ts', 'memory', '--out', 'own.ts']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was not written by this command')]);
  expect(readFileSync(file, 'utf8')).toBe('export const mine = 1;\n');
  expect((await sandbox.run(['emit-ts', 'memory', '--out', 'own.ts', '--force'])).code).toBe(0);
  expect((await sandbox.run(['emit-ts', 'memory', '--out', 'own.ts'])).code).toBe(0);
  // The client is no program of ours.
  expect((await sandbox.run(['emit-cli', 'memory', '--out', 'own.ts'])).code).toBe(1);
  expect(readFileSync(file, 'utf8')).toContain('export interface MemoryClient');
});

test('a source that cannot find plugboard where it is written says what to install there', async () => {
  const { sandbox } = openScene();
  const away = join(sandbox.home, 'away');
  mkdirSync(away);
  const run = async (out: string): Promise<string> => (await sandbox.run(['emit-cli', 'memory', '--out', out])).stderr;
  expect(await run(join(away, 'memory.mjs'))).toBe('note: it imports plugboard; in HOME/away: npm i plugboard\n');
  mkdirSync(join(sandbox.home, 'node_modules/plugboard'), { recursive: true });
  expect(await run('memory.mjs')).toBe('');
});

test.each(['emit-ts', 'emit-cli'])('%s writes nothing through a link that leads out of the project', async (verb) => {
  const { sandbox } = openScene();
  const target = join(sandbox.home, 'new.ts');
  symlinkSync(target, join(sandbox.project, 'link.ts'));
  const { code, stderr } = await sandbox.run([verb, 'memory', '--out', 'link.ts', '--force']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('leads out of the project by a symbolic link')]);
  expect(existsSync(target)).toBe(false);
});

test('a server of the command line is written into the source without its variables, headers and query', async () => {
  const sandbox = makeSandbox();
  const script = resolve(import.meta.dirname, '../program/tool-server.mjs');
  const words = ['emit-ts', '-e', 'API_KEY=hunter2', '--', process.execPath, script];
  const { code, stdout, stderr } = await sandbox.run(words);
  expect([code, stdout.includes('hunter2'), stdout.includes('API_KEY')]).toEqual([0, false, false]);
  expect(stdout).toContain(String.raw`const ENTRY = "{\"type\":\"stdio\",\"command\":`);
  expect(stderr).toContain('note: variables, headers and the query of the URL are not written to the source');
});

test.each(['emit-ts', 'emit-cli'])('%s writes no secret of a command line into the source', async (verb) => {
  const sandbox = makeSandbox();
  const script = resolve(import.meta.dirname, '../program/tool-server.mjs');
  const secrets = ['--api-key', 'hunter2', '--token=sk-live-abcdef1234567890'];
  const { code, stdout, stderr } = await sandbox.run([verb, '--', process.execPath, script, ...secrets, '--fast']);
  expect([code, /hunter2|sk-live/u.test(stdout)]).toEqual([0, false]);
  const args = ['--api-key', '${SECRET}', '--token=${SECRET}', '--fast'].map((word) => String.raw`\"${word}\"`);
  expect(stdout).toContain(args.join(','));
  expect(stderr).toContain('note: secrets in arguments and in the path of the URL are written as ${SECRET}');
});

test.each([
  [['emit-ts'], 2],
  [['emit-ts', 'nothing'], 1],
  [['emit-ts', 'a', 'b'], 2],
  [['emit-cli', 'gone'], 1],
])('%j ends with %i, and writes nothing', async (args, exit) => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { gone: { command: '/no/such/program' } } } });
  const { code, stdout } = await sandbox.run([...args, '--out', 'x.ts']);
  expect([code, stdout, existsSync(join(sandbox.project, 'x.ts'))]).toEqual([exit, '', false]);
});

const someModes = ['list-evil-names', 'list-norm-collision', 'list-schema-tags-names', 'list-schema-recursive'];
const moreModes =
  'list-dup-names list-strange-tools list-desc-huge list-desc-tags list-desc-bidi list-desc-poison list-desc-strange list-reserved-names list-meta-strange list-schema-not-object list-schema-tags list-schema-huge list-schema-deep list-schema-remote list-schema-redos list-schema-pattern-huge list-schema-combinations list-many'.split(
    ' ',
  );

test('what the hostile catalogue lists becomes sources that compile', async () => {
  const sandbox = makeSandbox();
  const project = makeProject();
  const program = resolve(import.meta.dirname, '../../dist/plugboard.js');
  for (const mode of process.env['PLUGBOARD_FULL'] === undefined ? someModes : [...someModes, ...moreModes]) {
    for (const [verb, end] of [
      ['emit-ts', 'ts'],
      ['emit-cli', 'mjs'],
    ] as const) {
      const file = join(project, `${mode}.${end}`);
      const { code } = await sandbox.run([verb, '--out', file, '--', process.execPath, program, 'attack', mode]);
      expect([mode, code]).toEqual([mode, 0]);
      expect([mode, shapeOf(file, readFileSync(file, 'utf8')).errors]).toEqual([mode, []]);
    }
  }
  expect(compile(project)).toBe('');
});
