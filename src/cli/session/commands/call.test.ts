import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { HeldClock } from '../../../../test/held-clock.js';
import { openSessionScene, type SessionScene } from '../../../../test/session/session-scene.js';
import { callCommand } from './call.js';

const tools = {
  command: process.execPath,
  args: [resolve(import.meta.dirname, '../../../../test/program/tool-server.mjs')],
};
const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };

/** A session beside a server that never answers, on a clock on which that never ends. */
const open = (): Promise<SessionScene> =>
  openSessionScene({ silent, tools }, { host: { ports: { clock: new HeldClock(5_000) } } });

test.each([['tools.echo'], ['mcp__tools__echo']])('/call %s waits for its own server alone', async (word) => {
  await using scene = await open();
  expect(await scene.run(callCommand, word, 'text=x')).toContain('{"text":"x"}');
  // The tool is known by now, so its name is enough.
  expect(await scene.run(callCommand, 'echo', 'text=y')).toContain('{"text":"y"}');
  expect(scene.host.server('silent')?.status).toBe('pending');
});

test('a name that no server is known to have shows who is waited for, and who was when you stop', async () => {
  await using scene = await open();
  await scene.run(callCommand, 'tools.echo', 'text=x');
  const called = scene.run(callCommand, 'nothing');
  await scene.screen.until(({ zones }) => zones.get('work')?.[0]?.includes('waiting for silent') === true);
  scene.stopping.abort();
  await expect(called).rejects.toMatchObject({ code: 'cancelled', message: 'Stopped while waiting for "silent"' });
  expect(scene.screen.zones.has('work')).toBe(false);
});

test('/call with the name of a server says what to write', async () => {
  await using scene = await open();
  await expect(scene.run(callCommand, 'tools', 'echo')).rejects.toMatchObject({
    code: 'usage',
    message: 'tools is a server; did you mean tools.echo?',
  });
});

test('/call refuses what does not fit before anything is sent, and --force sends it', async () => {
  await using scene = await openSessionScene(
    { tools },
    {
      prepare: (own) => own.configure({ tools: { ...tools, env: { JOURNAL: join(own.project, 'journal') } } }),
    },
  );
  const journal = (): string => readFileSync(join(scene.scene.project, 'journal'), 'utf8');
  await expect(scene.run(callCommand, 'tools.echo', 'txet=x')).rejects.toMatchObject({
    code: 'usage',
    message: 'echo does not take these arguments: txet: not an argument; did you mean text? text: missing',
    hint: 'echo(text: string)\nTo send them as they are: --force',
  });
  expect(journal()).not.toContain('tools/call');
  expect(await scene.run(callCommand, 'tools.echo', 'txet=x', '--force')).toContain('{"txet":"x"}');
  expect(journal()).toContain('tools/call');
});
