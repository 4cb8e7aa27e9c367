import { expect, onTestFinished, test } from 'vitest';
import { openPanel } from './open-panel.js';
import { FullScene } from './panel-fixtures.js';
import { Host } from '../../host/host.js';
import { loadConfig } from '../../config/load.js';
import { journaling } from '../../../test/program/live-servers.js';
import { makeSandbox, NOW, PROJECT_FILE, USER_FILE } from '../../../test/program/sandbox.js';

async function open({ user = {}, project, dynamic, more = {} }: any) {
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: user, ...more },
    ...(project && { [PROJECT_FILE]: { mcpServers: project } }),
  });
  const loaded = await loadConfig({
    cwd: sandbox.project,
    env: { HOME: sandbox.home, PATH: process.env['PATH'] },
    managedDirectories: [sandbox.managed],
    ...(dynamic !== undefined && { mcpConfig: [dynamic] }),
  });
  const host = Host.over(loaded, { ...loaded.context.options, socket: false });
  const scene = new FullScene(100, 40);
  const left = openPanel({
    screen: scene.screen,
    host,
    io: { now: () => NOW },
    config: loaded.context,
    actions: { signIn: async () => {} },
  });
  onTestFinished(async () => {
    scene.press('ctrl-c', 'ctrl-c', 'ctrl-c');
    await left;
    await host.close();
  });
  return { scene, host, sandbox, left };
}
test('edit of never approved entry', async () => {
  const { scene, sandbox } = await open({ project: { shared: journaling() } });
  await scene.until('1 to approve');
  await new Promise((r) => setTimeout(r, 500));
  scene.press('a');
  await scene.until('Let "shared" run?');
  sandbox.write(PROJECT_FILE, { mcpServers: { shared: journaling({ EVIL: 'yes' }) } });
  await new Promise((r) => setTimeout(r, 1500));
  console.log(scene.text);
  expect(scene.text).toContain('changed');
});
test('dynamic disabled by list', async () => {
  const { scene } = await open({
    dynamic: JSON.stringify({ mcpServers: { journal: journaling() } }),
    more: { disabledMcpServers: ['journal'] },
  });
  await scene.until('1 disabled');
  scene.press('e');
  await new Promise((r) => setTimeout(r, 1500));
  console.log(scene.text);
});
test('dynamic disabled by entry', async () => {
  const { scene } = await open({
    dynamic: JSON.stringify({ mcpServers: { journal: { ...journaling(), disabled: true } } }),
  });
  await scene.until('1 disabled');
  scene.press('e');
  await new Promise((r) => setTimeout(r, 1500));
  console.log(scene.text);
});
