import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { isRunning, openScene, type Scene } from './scene.js';

const HOSTS = 12; // Node warns from the eleventh listener on

/** A program of an embedder with many hosts, each with a process to end and a call to log. */
function programOf(scene: Scene, end: string): string {
  const library = resolve(import.meta.dirname, '../../dist/lib/index.js');
  const file = join(scene.home, 'program.mjs');
  const options = { cwd: scene.project, env: scene.env, managedDirectories: [], permissions: { mode: 'bypass' } };
  writeFileSync(
    file,
    `import { writeSync } from 'node:fs';
    import { Host } from ${JSON.stringify(library)};
    const listeners = () => Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
    const before = listeners();
    const open = () => Host.open(${JSON.stringify(options)});
    const hosts = await Promise.all(Array.from({ length: ${HOSTS} }, open));
    await Promise.all(hosts.map((host) => host.settled()));
    const results = await Promise.all(hosts.map((host) => host.call({ name: 'mcp__db__read', input: { key: 'k' } })));
    const meanwhile = listeners();
    ${end}`,
  );
  return file;
}

async function run(scene: Scene, end: string): Promise<{ readonly told: unknown; readonly stderr: string }> {
  scene.configure({ db: scene.journaling() });
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--trace-warnings', programOf(scene, end)]);
  return { told: JSON.parse(stdout), stderr };
}

test('many hosts in one program share a listener, say nothing, and leave none behind', async () => {
  await using scene = openScene();
  const { told, stderr } = await run(
    scene,
    `await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()));
    const added = meanwhile.exit - (before.exit ?? 0);
    console.log(JSON.stringify({ outcomes: results.map(({ outcome }) => outcome), added, before, after: listeners() }));`,
  );
  expect(stderr).toBe('');
  const { before } = told as { before: object };
  expect(told).toEqual({ outcomes: Array.from({ length: HOSTS }, () => 'ok'), added: 1, before, after: before });
});

test('a program that ends without closing its hosts leaves no server of any, and all their calls in the ledger', async () => {
  await using scene = openScene();
  const { told, stderr } = await run(
    scene,
    `writeSync(1, JSON.stringify(results.length));
    process.exit(0);`,
  );
  expect({ told, stderr }).toEqual({ told: HOSTS, stderr: '' });
  expect(scene.starts()).toHaveLength(HOSTS);
  const ledger = readFileSync(join(scene.home, '.local/state/plugboard/ledger/calls.jsonl'), 'utf8');
  expect(ledger.trimEnd().split('\n')).toHaveLength(HOSTS);
  await vi.waitFor(() => expect(scene.starts().filter(isRunning)).toEqual([]), { timeout: 30_000 });
});
