import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdClosedPort } from '../closed-port.js';
import { type Bundle, bundle } from '../hostile/bundle.js';
import { type Entries, openScene } from './scene.js';

const run = promisify(execFile);

let program: Bundle;
/** A minimal embedder that only waits for a host. */
beforeAll(async () => {
  program = await bundle(`
    import { Host } from './host/host.js';
    const [options, ...names] = process.argv.slice(2);
    const host = await Host.open({ ...JSON.parse(options), permissions: { mode: 'bypass' } });
    await host.settled();
    const told = host.servers().map(({ status }) => status);
    for (const name of names) told.push((await host.call({ name })).outcome);
    await host[Symbol.asyncDispose]();
    console.log(told.join(' '));
  `);
});
afterAll(() => program[Symbol.dispose]());

async function check(entries: (scene: ReturnType<typeof openScene>) => Entries, names: string[], told: string) {
  await using scene = openScene();
  scene.configure(entries(scene));
  const options = { cwd: scene.project, env: scene.env, managedDirectories: [], watch: false };
  const { stdout } = await run(process.execPath, [program.script, JSON.stringify(options), ...names]);
  expect(stdout.trim()).toBe(told);
}

test.concurrent('a program does not end while a call waits for a server that died', () =>
  check((scene) => ({ a: scene.journaling() }), ['mcp__a__die', 'mcp__a__read'], 'connected unknown ok'));

test.concurrent('a program does not end while a server that is not there is tried again', async () => {
  using closed = await holdClosedPort();
  await check(() => ({ a: { type: 'http', url: `http://127.0.0.1:${closed.port}/mcp` } }), [], 'failed');
});
