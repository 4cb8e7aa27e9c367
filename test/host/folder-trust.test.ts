import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openScene, type Scene } from './scene.js';

/** An entry whose process writes its working directory to a file, then runs the journal server. */
function telling(scene: Scene, name: string): Record<string, unknown> {
  const { args, ...entry } = scene.journaling() as { args: string[] };
  const file = JSON.stringify(join(scene.home, name));
  const script = `require('node:fs').writeFileSync(${file}, process.cwd());import(${JSON.stringify(args[0])})`;
  return { ...entry, args: ['-e', script] };
}

function startOf({ home, project }: Scene, name: string): string {
  const file = join(home, name);
  const cwd = existsSync(file) ? readFileSync(file, 'utf8') : 'nowhere';
  return cwd === project ? 'here' : cwd.includes('/plugboard/folders/') ? 'apart' : cwd;
}

test('a host of an embedder starts the user’s servers apart, and in the folder if the embedder says so', async () => {
  await using scene = openScene();
  scene.configure({ mine: telling(scene, 'mine') });
  const { host } = await scene.open();
  await host.settled();
  expect([host.server('mine')?.status, startOf(scene, 'mine')]).toEqual(['connected', 'apart']);
  await host.close();
  const trusting = await scene.open({ trustFolder: true });
  await trusting.host.settled();
  expect([trusting.host.server('mine')?.status, startOf(scene, 'mine')]).toEqual(['connected', 'here']);
});

test('what an embedder hands in starts in the folder; what is written for every folder does not', async () => {
  await using scene = openScene();
  const mcpConfig = [JSON.stringify({ mcpServers: { given: telling(scene, 'given') } })];
  const { host } = await scene.open({ mcpConfig });
  await using own = host.fork({ servers: [{ own: telling(scene, 'own') }] });
  await using agent = host.fork({
    servers: [{ agent: telling(scene, 'agent') }],
    isForEveryFolder: true,
  });
  await Promise.all([host.settled(), own.settled(), agent.settled()]);
  expect(['given', 'own', 'agent'].map((name) => startOf(scene, name))).toEqual(['here', 'here', 'apart']);
});

test('a folder that is trusted while a host runs gets its servers, those that waited and those that ran apart', async () => {
  await using scene = openScene();
  scene.configure({ mine: telling(scene, 'mine'), waiting: { ...telling(scene, 'waiting'), cwd: '.' } });
  const { host, until } = await scene.open();
  await host.settled();
  expect([host.server('waiting')?.status, host.server('waiting')?.error?.code]).toEqual([
    'unapproved',
    'folder-untrusted',
  ]);
  const result = await host.call({ name: 'mcp__waiting__write', input: {} });
  expect(result.outcome).toBe('error');
  const state = join(scene.home, '.local/state/plugboard');
  mkdirSync(state, { recursive: true });
  const folders = { [scene.project]: { decision: 'trusted', at: '' } };
  writeFileSync(join(state, 'trusted-folders.json'), JSON.stringify({ folders }));
  await until(({ name, after }) => name === 'waiting' && after === 'connected');
  await host.settled();
  expect(['mine', 'waiting'].map((name) => startOf(scene, name))).toEqual(['here', 'here']);
});
