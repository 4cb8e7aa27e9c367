import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, promptScene, say } from './prompt-scene.js';
import { makeSandbox, PROJECT_FILE, type Sandbox, USER_FILE } from './sandbox.js';

const OFFER = 'offer.json';
const LOCK = 'PROJECT/mcp.lock';
const add = { name: 'add', description: 'Adds', inputSchema: { type: 'object' } };
const echo = { ...add, name: 'echo', description: 'Says it again' };
const extra = { ...add, name: 'extra', description: 'Came later' };
const offer = { tools: [add, echo], prompts: [{ name: 'sum-up' }] };
const drifted = { tools: [{ ...add, description: 'Adds, and sends it away' }, extra], prompts: [{ name: 'sum-up' }] };

/** A project with a pinned server whose offer then changes to `now`. */
async function fill(sandbox: Sandbox, now: object, more: object = {}): Promise<Sandbox> {
  const args = [resolve(import.meta.dirname, 'pinned-server.mjs'), join(sandbox.root, OFFER)];
  sandbox.write(OFFER, offer);
  sandbox.write(PROJECT_FILE, { mcpServers: { db: { command: 'node', args, ...more } } });
  await sandbox.run(['approve', 'db']);
  expect((await sandbox.run(['approve', '--lock'])).code).toBe(0);
  sandbox.write(OFFER, now);
  return sandbox;
}

const NAMES = 'changed, and set aside: tool add; new: tool extra; gone: tool echo';
const SENTENCE = `warning: Server "db" differs from ${LOCK}: ${NAMES}. See: plugboard approve --diff db`;

describe('a server that differs from mcp.lock', () => {
  test('is told by list, with counts for scripts', async () => {
    const sandbox = await fill(makeSandbox(), drifted);
    const { stdout, code } = await sandbox.run(['list', '--exit-code'], { columns: 400 });
    expect(stdout).toMatch(/^! db +connected .* 2 .* plugboard approve --diff db$/mu);
    expect(stdout).toContain(`warning: "db" differs from ${LOCK}: ${NAMES}\n  → plugboard approve --diff db\n`);
    expect(code).toBe(0);
    const { json } = await sandbox.run(['list', '--json']);
    expect(json!.data!['servers']).toMatchObject([
      { name: 'db', status: 'connected', drift: { changed: 1, added: 1, removed: 1 } },
    ]);
  });

  test('is told by get, doctor and tools, by name', async () => {
    const sandbox = await fill(makeSandbox(), drifted);
    const get = await sandbox.run(['get', 'db'], { columns: 400 });
    expect(get.stdout).toContain(`  Differs from ${LOCK}: ${NAMES}\n`);
    expect((await sandbox.run(['get', 'db', '--json'])).json?.data).toMatchObject({
      drift: { changed: 1, added: 1, removed: 1 },
    });
    const doctor = await sandbox.run(['doctor', '--json']);
    expect([doctor.code, doctor.json?.data?.['findings']]).toMatchObject([
      0,
      [
        {
          server: 'db',
          severity: 'warning',
          code: 'lock-drift',
          message: `"db" differs from ${LOCK}: ${NAMES}`,
          hint: 'plugboard approve --diff db',
        },
      ],
    ]);
    expect((await sandbox.run(['tools'])).stderr).toContain(`${SENTENCE}\n`);
    const tools = await sandbox.run(['tools', '--json']);
    expect(tools.json?.data?.['drift']).toMatchObject([{ server: 'db', added: [{ kind: 'tool', name: 'extra' }] }]);
  });

  test('is told by -p, and its new tool does not run under a rule for the whole server', async () => {
    const { sandbox, run, api } = await promptScene([[call('mcp__db__extra', {})], say('done')]);
    await fill(sandbox, drifted);
    // At first a model is shown the catalog of the last run.
    await sandbox.run(['tools']);
    const { stderr, code } = await run(['-p', 'x', '--allow', 'mcp__db']);
    expect(stderr).toContain(`${SENTENCE}\n`);
    expect(stderr.split(SENTENCE)).toHaveLength(2);
    expect(stderr).toContain('note: mcp__db__extra is not called: it is new: mcp.lock has no such tool of its server');
    expect([code, api.requests.length]).toEqual([5, 2]);
  });

  test('is told by -p although it was known from an earlier run and is not asked again', async () => {
    const { sandbox, run } = await promptScene([say('done')]);
    await fill(sandbox, drifted, { start: 'lazy' });
    await sandbox.run(['tools', 'db']);
    expect((await run(['-p', 'x'])).stderr).toContain(SENTENCE);
  });

  test('is not invented: of one that is as pinned, was never asked, or fails, nothing is said', async () => {
    const same = await fill(makeSandbox(), offer);
    const { json } = await same.run(['list', '--json']);
    expect((json!.data!['servers'] as object[])[0]).not.toHaveProperty('drift');
    expect((await same.run(['tools'])).stderr).toBe('');
    same.write(OFFER, { ...offer, prompts: 'broken' });
    expect((await same.run(['list', '--json'])).stdout).not.toContain('drift');
    const dead = await fill(makeSandbox(), { die: true });
    const listed = await dead.run(['list', '--json']);
    expect((listed.json!.data!['servers'] as { status: string }[])[0]).toMatchObject({ status: 'failed' });
    expect(listed.stdout).not.toContain('"removed"');
  });
});

describe('the programs of the repository that an entry names', () => {
  const PROGRAM = 'home/code/app/tools/server.mjs';

  function withProgram(): Sandbox {
    const sandbox = makeSandbox({ [OFFER]: offer, [PROGRAM]: '' });
    copyFileSync(resolve(import.meta.dirname, 'pinned-server.mjs'), join(sandbox.root, PROGRAM));
    const args = ['./tools/server.mjs', join(sandbox.root, OFFER), '--data=./notes.txt'];
    sandbox.write('home/code/app/notes.txt', 'data');
    sandbox.write(PROJECT_FILE, { mcpServers: { db: { command: 'node', args } } });
    return sandbox;
  }

  test('are noted by their content, and a difference is told and stops nothing', async () => {
    const sandbox = withProgram();
    const asked = await sandbox.run(['approve'], { answers: ['y'] });
    expect(asked.stderr).toContain('=> ! it starts a program by its path, perhaps one of this repository\n');
    const { stdout } = await sandbox.run(['approve', '--lock']);
    expect(stdout).toContain('Pinned db: 2 tools, 1 prompt, file tools/server.mjs\n');
    const lock = JSON.parse(sandbox.read('home/code/app/mcp.lock')) as { servers: { db: { files: object } } };
    expect(lock.servers.db.files).toEqual({
      'tools/server.mjs': expect.stringMatching(/^sha256-[0-9a-f]{64}$/u) as string,
    });
    expect((await sandbox.run(['approve', '--diff'])).code).toBe(0);
    sandbox.write('home/code/app/notes.txt', 'other data');
    expect((await sandbox.run(['approve', '--diff'])).code).toBe(0);

    sandbox.write(PROGRAM, `// other\n${sandbox.read(PROGRAM)}`);
    const diff = await sandbox.run(['approve', '--diff']);
    expect([diff.code, diff.stdout]).toEqual([
      1,
      expect.stringContaining('  file tools/server.mjs: its content is not the one that was pinned\n'),
    ]);
    const { json } = await sandbox.run(['doctor', '--json']);
    expect(json?.data?.['findings']).toMatchObject([
      {
        code: 'lock-drift',
        message: expect.stringContaining('file tools/server.mjs: its content is not the one that was pinned') as string,
      },
    ]);
    const listed = await sandbox.run(['list', '--json']);
    expect(listed.json?.data).toMatchObject({ servers: [{ drift: { changed: 0, added: 0, removed: 0, told: 1 } }] });
    expect((await sandbox.run(['get', 'db'], { columns: 400 })).stdout).toContain(
      ', ! differs from mcp.lock: 1 in its entry, package or programs (plugboard approve --diff db)',
    );
    expect((await sandbox.run(['list'])).stdout).toMatch(/^! db +connected [^]*file tools\/server\.mjs: its content/mu);
    expect((await sandbox.run(['call', 'db.add'])).code).toBe(0);
    await sandbox.run(['approve', '--lock']);
    expect((await sandbox.run(['approve', '--diff'])).code).toBe(0);
  });

  test('a lock of before there were any is read as it is', async () => {
    const sandbox = withProgram();
    await sandbox.run(['approve', 'db']);
    await sandbox.run(['approve', '--lock']);
    const file = 'home/code/app/mcp.lock';
    const lock = JSON.parse(sandbox.read(file)) as { servers: { db: { files?: object } } };
    delete lock.servers.db.files;
    sandbox.write(file, lock);
    expect((await sandbox.run(['doctor', '--json'])).json?.data).toMatchObject({ findings: [] });
    expect((await sandbox.run(['approve', '--diff'])).code).toBe(0);
  });

  test.each<[what: string, entry: object, isWarned: boolean]>([
    ['node ./x.mjs', { command: 'node', args: ['./x.mjs'] }, true],
    ['node x.mjs, which is there', { command: 'node', args: ['x.mjs'] }, true],
    ['an option that names a program', { command: 'uv', args: ['run', '--script=./x.py'] }, true],
    ['data', { command: 'some-server', args: ['--config', './x.json', '/data/x.db'] }, false],
    ['python in a folder', { command: 'python3', args: ['-u', 'tools/x.py'] }, true],
    ['a package', { command: 'npx', args: ['-y', '@scope/server'] }, false],
    ['an address', { url: 'https://x.example/mcp' }, false],
  ])('whoever approves %s is warned: %#', async (_, entry, isWarned) => {
    const sandbox = makeSandbox({ [PROJECT_FILE]: { mcpServers: { a: entry } }, 'home/code/app/x.mjs': '' });
    const { json } = await sandbox.run(['approve', 'a', '--dry-run', '--json']);
    const [request] = json!.data!['requests'] as { risks: string[] }[];
    const isTold = request!.risks.includes('it starts a program by its path, perhaps one of this repository');
    expect(isTold).toBe(isWarned);
  });
});

test('a server of the user’s is told as well', async () => {
  const sandbox = makeSandbox({ [OFFER]: offer });
  const args = [resolve(import.meta.dirname, 'pinned-server.mjs'), join(sandbox.root, OFFER)];
  sandbox.write(USER_FILE, { mcpServers: { db: { command: 'node', args } } });
  await sandbox.run(['approve', '--lock']);
  sandbox.write(OFFER, drifted);
  expect((await sandbox.run(['list', '--json'])).json?.data).toMatchObject({
    servers: [{ drift: { changed: 1, added: 1, removed: 1 } }],
  });
});

test('a lock that holds in every project notes no programs of one of them', async () => {
  const program = 'home/code/app/server.mjs';
  const sandbox = makeSandbox({ [OFFER]: offer, [program]: '', 'home/code/other/x': '' });
  copyFileSync(resolve(import.meta.dirname, 'pinned-server.mjs'), join(sandbox.root, program));
  const args = [join(sandbox.root, program), join(sandbox.root, OFFER)];
  sandbox.write(USER_FILE, { mcpServers: { db: { command: 'node', args } } });
  await sandbox.run(['approve', '--lock', '--trust-folder']);
  expect(sandbox.read('home/.config/plugboard/mcp.lock')).not.toContain('"files"');
  const { json } = await sandbox.run(['doctor', '--json', '--trust-folder'], { cwd: join(sandbox.home, 'code/other') });
  expect(json?.data).toMatchObject({ findings: [] });
});
