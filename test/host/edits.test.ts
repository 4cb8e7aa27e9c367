import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { turn } from '../fake-clock.js';
import { isRunning, openScene } from './scene.js';

test('a file that is broken or empty for a while ends nothing that runs, and is told of', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const { host } = await scene.open();
  await host.settled();
  const [pid] = scene.starts();
  const file = join(scene.home, '.config/plugboard/config.json');
  for (const text of ['', '{ "mcpServers": {']) {
    const told = new Promise((done) => void host.on('config', done));
    writeFileSync(file, text);
    expect(await told).toMatchObject({ gone: [], problems: [{ file }] });
    expect([isRunning(pid!), host.server('a')?.status]).toEqual([true, 'connected']);
  }
  scene.configure({});
  while (host.server('a') !== undefined) await turn();
  while (isRunning(pid!)) await turn();
  expect(scene.starts()).toHaveLength(1);
});

test('a file that is broken and speaks of a policy lets nothing run', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const { host } = await scene.open();
  await host.settled();
  writeFileSync(join(scene.home, '.config/plugboard/config.json'), '{ "settings": { "deniedMcpServers": [');
  while (host.server('a') !== undefined) await turn();
  while (scene.starts().some(isRunning)) await turn();
  expect(host.tools()).toEqual([]);
});

test('the end of a connection is told as one, whether its entry was edited or removed', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling(), b: scene.journaling({}, {}) });
  const { host, changes, until, untilListed } = await scene.open();
  await host.settled();
  scene.configure({ a: scene.journaling({ TOOLS: 'more' }) });
  await until(({ name, reason }) => name === 'b' && reason === 'it is no longer configured');
  await untilListed(({ server, removed }) => server === 'b' && removed.includes('append'));
  await host.settled();
  const told = changes.filter(({ name }) => name === 'a').map(({ before, after }) => `${before} ${after}`);
  expect(told.slice(2, 4)).toEqual(['connected idle', 'idle pending']);

  scene.configure({ a: scene.journaling({ TOOLS: 'more' }), b: scene.journaling() });
  await until(({ name, before, after }) => name === 'b' && before === 'disabled' && after === 'idle');
  await host.settled();
  scene.configure({ a: scene.journaling({}, { disabled: true }), b: scene.journaling() });
  await until(({ name, after }) => name === 'a' && after === 'disabled');
  for (const one of ['a', 'b']) {
    const chain = changes.filter(({ name }) => name === one);
    expect(chain.slice(1).map(({ before }) => before)).toEqual(chain.slice(0, -1).map(({ after }) => after));
  }
});
