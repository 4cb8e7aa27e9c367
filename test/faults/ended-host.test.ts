import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { bundle } from '../hostile/bundle.js';
import { openScene } from '../host/scene.js';
import { SessionServer } from '../host/session-server.js';
import { watchLeftovers } from './leftovers.js';

// Fault F04, the remote part; leftovers.test.ts has the part about processes.

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Holds only on an otherwise idle machine. */
const EXIT_MS = process.env['PLUGBOARD_FULL'] === undefined ? Infinity : 5_000;

test('F04: a program that is told to end in the middle of a call ends its sessions with remote servers first', async () => {
  using program = await bundle(`import './cli/main.js';`);
  const leftovers = watchLeftovers();
  const ended = await Promise.all(
    SIGNALS.map(async (signal) => {
      await using scene = openScene();
      await using server = await new SessionServer().listen();
      const reached = new Promise<void>((resolve) => {
        // The server never responds.
        server.beforeAnswer = () => (resolve(), new Promise(() => {}));
      });
      scene.configure({ remote: { type: 'http', url: server.url }, local: scene.journaling(leftovers.env) });
      const child = spawn(process.execPath, [program.script, 'call', 'mcp__remote__append', 'key=x'], {
        cwd: scene.project,
        env: { ...scene.env, ...leftovers.env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let stderr = '';
      child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString('utf8')));
      const exited = once(child, 'exit');
      await Promise.race([reached, exited]);
      const before = performance.now();
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return { signal, code, ms: performance.now() - before, deleted: server.deleted, left: server.sessions, stderr };
    }),
  );
  const { processes, descriptors } = await leftovers.count();
  const sessions = ended.reduce((sum, { left }) => sum + left, 0);
  const times = ended.map(({ signal, ms }) => `${signal} ${ms.toFixed(0)} ms`);
  console.log(
    `F04: sessions left ${sessions} after ${times.join(', ')}, leftovers ${processes} processes, ${descriptors} descriptors`,
  );
  for (const { code, ms, deleted, left, stderr } of ended) {
    expect({ code, deleted, left }).toEqual({ code: 130, deleted: 1, left: 0 });
    expect(stderr).toContain('cancelled');
    expect(ms).toBeLessThan(EXIT_MS);
  }
  expect([processes, descriptors]).toEqual([0, 0]);
});
