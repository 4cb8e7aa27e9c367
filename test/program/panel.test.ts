import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openPanel } from '../../src/cli/panel/panel.js';
import { panelTable } from '../../src/cli/panel/panel-table.js';
import { FullScene, plain } from '../../src/cli/panel/panel-fixtures.js';
import { HostError } from '../../src/base/errors.js';
import { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import { loadHostConfig, type HostConfig } from '../../src/config/load.js';
import { journaling, openGuarded, scripted } from './live-servers.js';
import { APPROVALS_FILE, makeSandbox, NOW, PROJECT_FILE, type Sandbox, USER_FILE } from './sandbox.js';

interface Opened {
  readonly scene: FullScene;
  readonly host: Host;
  readonly sandbox: Sandbox;
  readonly left: Promise<void>;
}

interface OpenOptions {
  readonly user?: object;
  /** The rest of the user's file. */
  readonly settings?: object;
  readonly project?: object;
  readonly dynamic?: string;
  readonly signIn?: (name: string) => Promise<void>;
}

/** The tools of the journal are counted, and their tokens. */
const COUNTED = /journal .* 5 +2 +1 +\d+ +\d+$/mu;

/** A panel over a host that watches its files. */
async function open({ user = {}, settings, project, dynamic, signIn = async () => {} }: OpenOptions): Promise<Opened> {
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: user, ...settings },
    ...(project && { [PROJECT_FILE]: { mcpServers: project } }),
  });
  const loaded: HostConfig = await loadHostConfig({
    cwd: sandbox.project,
    env: { HOME: sandbox.home, PATH: process.env['PATH'] },
    managedDirectories: [sandbox.managed],
    ...(dynamic !== undefined && { mcpConfig: [dynamic] }),
  });
  const host = Host[inside](loaded, { ...loaded.context.options, socket: false });
  const scene = new FullScene(100, 40);
  const left = openPanel({
    screen: scene.screen,
    host,
    io: { now: () => NOW },
    actions: { signIn },
  });
  onTestFinished(async () => {
    scene.press('ctrl-c', 'ctrl-c', 'ctrl-c');
    await left;
    await host.close();
  });
  return { scene, host, sandbox, left };
}

test('a failed server is explained in the words of doctor, and its row points to its page', async () => {
  const dead = scripted("console.error('Error: no key'); process.exit(3)");
  const { scene } = await open({ user: { dead } });
  await scene.until('exited with code 3 before it answered initialize → enter says what to do');
  scene.press('return');
  expect(await scene.until('→ Run the server by hand', 'Error: no key')).toMatch(
    /^ +at\s+\S+\s*config\.json:\d+:\d+$/mu,
  );
});

test('the panel shows servers as they come, fail and want something, and what each of them costs', async () => {
  const { scene, left } = await open({
    user: {
      journal: journaling(),
      dead: scripted("console.error('Error: no key'); process.exit(3)"),
      guarded: { url: await openGuarded() },
    },
  });
  const shown = await scene.until('1 connected', '1 failed', '1 needs sign-in', 'enter says', COUNTED);
  expect(shown).toMatch(/^> journal +✔ connected +user +stdio +2025-11-25 +5 +2 +1 +\d+ +\d+$/mu);
  expect(shown).toMatch(
    /^ {2}dead +✘ failed .*\n {4}exited with code 3 before it answered initialize → enter says what to do$/mu,
  );
  expect(shown).toMatch(/^ {2}guarded +! needs sign-in .*\n {4}answered HTTP 401 → \/mcp login guarded$/mu);
  scene.press('q');
  await left;
  expect(scene.isOpen).toBe(false);
});

test('the detail of a server shows what it offers, and a tool of it in full', async () => {
  const { scene } = await open({ user: { journal: journaling() } });
  await scene.until('1 connected');
  scene.press('return');
  const detail = await scene.until('Tools (5)', 'Prompts (1)', 'Skills (0)');
  expect(detail).toContain('▾ Tools (5)');
  expect(detail).toContain('| Write it down.');
  expect(detail).toContain('file:///{page} (template)');
  expect(detail).toContain('▾ Prompts (1)');
  scene.press('tab', 'j', 'return');
  const tool = await scene.until('Input', '"type": "object"');
  expect(tool).toContain('Called: mcp__journal__read');
  expect(tool).toContain('Stated by the server: only reads');
  expect(tool).toMatch(/Permission: (?:asks|allowed)/u);
});

test('skills that come while the detail of their server is open are shown there', async () => {
  const { scene, host } = await open({ user: { wise: scripted(GROWING) } });
  await scene.until('1 connected');
  scene.press('return');
  await scene.until('Skills (0)');
  await host.call({ name: 'mcp__wise__learn', isTyped: true });
  expect(await scene.until('Skills (1)')).toContain('brew');
});

/** A server that has a skill once its tool was called. */
const GROWING = `
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const resources = [];
  const answers = {
    initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {}, resources: { listChanged: true } }, serverInfo: { name: 'wise', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'learn', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
    'tools/call': () => {
      resources.push({ uri: 'skill://brew/SKILL.md', name: 'brew', description: 'Brews' });
      send({ method: 'notifications/resources/list_changed' });
      return { content: [] };
    },
    'resources/list': () => ({ resources }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id !== undefined && answers[method]) send({ id, result: answers[method]() });
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'no' } });
  });
`;

test('a server that is reconnected says how that went', async () => {
  const { scene } = await open({ user: { journal: journaling() } });
  await scene.until('1 connected');
  scene.press('r', 'r');
  expect(await scene.until('reconnecting already', '… reconnecting')).toContain('r reconnect');
  expect(await scene.until('is connected: 5 tools')).toContain('✔ connected');
});

test('disable and enable write the file, and the host follows', async () => {
  const { scene, sandbox } = await open({ user: { journal: journaling() } });
  await scene.until('1 connected');
  scene.press('d');
  const off = await scene.until('○ disabled', 'File modified');
  expect(off).toContain('Disabled MCP server journal');
  expect(JSON.parse(sandbox.read(USER_FILE))).toMatchObject({ mcpServers: { journal: { disabled: true } } });
  scene.press('e');
  await scene.until('✔ connected', 'Enabled MCP server journal');
  expect(JSON.parse(sandbox.read(USER_FILE))).not.toMatchObject({ mcpServers: { journal: { disabled: true } } });
});

test('a server of a flag is disabled for this session alone', async () => {
  const { scene } = await open({ dynamic: JSON.stringify({ mcpServers: { journal: journaling() } }) });
  await scene.until('1 connected');
  scene.press('d');
  expect(await scene.until('○ disabled', 'Disabled MCP server journal for this session')).not.toContain('File');
  scene.press('e');
  expect(await scene.until('✔ connected', 'Enabled MCP server journal for this session')).not.toContain('File');
});

test('a server of a flag that a file has disabled is enabled there, and one that says so itself is not', async () => {
  const own = { ...journaling(), disabled: true };
  const { scene, sandbox } = await open({
    dynamic: JSON.stringify({ mcpServers: { journal: journaling(), own } }),
    settings: { disabledMcpServers: ['journal'] },
  });
  await scene.until('2 disabled');
  scene.press('e');
  await scene.until('✔ connected', 'File modified');
  expect(sandbox.read(USER_FILE)).not.toContain('journal');
  scene.press('end', 'e');
  expect(await scene.until('Could not enable "own"', 'Take "disabled" out')).toContain('○ disabled');
});

test('a project server runs once all of it was read and somebody has said yes', async () => {
  const { scene, sandbox } = await open({ project: { shared: journaling({ LONG: 'x'.repeat(300) }) } });
  scene.rows = 6;
  await scene.until('1 to approve');
  scene.press('a');
  await scene.until('Let "shared" run?');
  scene.press('end', 'y');
  expect(await scene.until('Read the whole entry first')).toContain('Let "shared" run?');
  expect(existsSync(`${sandbox.root}/${APPROVALS_FILE}`)).toBe(false);
  scene.press('home', ...Array.from({ length: 12 }, () => 'space'), 'y');
  await scene.until('Remembered: shared is approved', '✔ connected');
  expect(readFileSync(`${sandbox.root}/${APPROVALS_FILE}`, 'utf8')).toContain('"approved"');
});

test('a project server that is edited waits again, and what is different is shown', async () => {
  const { scene, sandbox } = await open({ project: { shared: journaling() } });
  await scene.until('1 to approve');
  scene.press('a', 'y');
  await scene.until('1 connected', 'Remembered: shared is approved');
  sandbox.write(PROJECT_FILE, { mcpServers: { shared: journaling({ NEW: 'yes' }) } });
  await scene.until('1 to approve', 'its entry changed since it was approved → press a to see the difference');
  scene.press('a');
  expect(await scene.until('=> changed since it was approved on ')).toContain('=>   + env.NEW: ');
  scene.press('n');
  await scene.until('✘ rejected', 'Remembered: shared is rejected');
});

test('a project server that is edited while somebody looks at it is not what they approve', async () => {
  const { scene, sandbox } = await open({ project: { shared: journaling() } });
  await scene.until('1 to approve');
  scene.press('a');
  await scene.until('Let "shared" run?');
  sandbox.write(PROJECT_FILE, { mcpServers: { shared: journaling({ EVIL: 'yes' }) } });
  await scene.until('The entry of "shared" was changed meanwhile');
  scene.press('y');
  expect(existsSync(`${sandbox.root}/${APPROVALS_FILE}`)).toBe(false);
  scene.press('a');
  await scene.until('Let "shared" run?', '"EVIL": "yes"');
});

test('a server that is gone closes its detail with a word', async () => {
  const { scene, sandbox } = await open({ user: { journal: journaling(), other: journaling() } });
  await scene.until('2 connected');
  scene.press('return');
  await scene.until('Server "journal"');
  sandbox.write(USER_FILE, { mcpServers: { other: journaling() } });
  const table = await scene.until('"journal" is no longer configured there');
  expect(table).toMatch(/^> other /mu);
});

test('logs show what the server says on stderr, without its secrets', async () => {
  const script =
    "console.error('key is sk-topsecretvalue123456'); process.stdin.resume(); setInterval(() => console.error('tick'), 50)";
  const { scene } = await open({ user: { loud: scripted(script, { env: { API_KEY: 'sk-topsecretvalue123456' } }) } });
  scene.press('g');
  const text = await scene.until('| tick', '| key is');
  expect(text).not.toContain('topsecret');
  scene.press('q');
  await scene.until('1 MCP server');
});

test('a sign-in has the screen for itself, and what comes of it is told', async () => {
  const seen: boolean[] = [];
  const { scene } = await open({
    user: { guarded: { url: await openGuarded() } },
    signIn: async (name) => {
      seen.push(scene.isOpen);
      throw new HostError('unauthorized', `Server "${name}" has no authorization server`, {
        hint: 'Ask whoever runs it',
      });
    },
  });
  await scene.until('1 needs sign-in');
  scene.press('l');
  const text = await scene.until(
    'Could not sign in "guarded": Server "guarded" has no authorization server',
    'Ask whoever runs it',
  );
  expect(text).toContain('1 needs sign-in');
  expect(seen).toEqual([false]);
  expect(scene.isOpen).toBe(true);
});

test('a screen that cannot be drawn on gets the same as lines', async () => {
  const { scene, host } = await open({ user: { journal: journaling() } });
  await scene.until('1 connected', COUNTED);
  expect(panelTable(host, { columns: 60, style: plain }).join('\n')).toMatch(
    /^1 MCP server: 1 connected · tokens: \d+ loaded\nContext █░+ 0\.\d % of 200k\n {2}NAME +STATE +SCOPE +TOOLS +TOKENS +MS\n {2}journal ✔ connected +user +5 +\d+ +\d+$/u,
  );
});

test('fifty servers that change all the time are drawn a few times a second, and keys are taken meanwhile', async () => {
  const entries = Array.from({ length: 50 }, (_, at) => [`s${at}`, { command: 'true', start: 'lazy' }] as const);
  const { scene, host } = await open({ user: Object.fromEntries(entries) });
  await scene.until('50 idle');
  const { draws } = scene;
  const start = performance.now();
  let isOn = true;
  while (performance.now() - start < 600) {
    isOn = !isOn;
    for (const [name] of entries) host[isOn ? 'enable' : 'disable'](name);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const seconds = (performance.now() - start) / 1000;
  expect(scene.draws - draws).toBeLessThan(20 * seconds + 2);
  scene.press('end');
  expect(scene.text).not.toContain('> s49');
  await scene.until('> s49');
});
