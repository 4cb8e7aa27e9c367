import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { Host, HostError, type HostOptions, loadConfig, watchConfig } from '../../src/index.js';
import { openScene } from '../host/scene.js';

const SERVER = join(import.meta.dirname, '../host/journal-server.mjs');

test.each<[object | undefined, string, string]>([
  [{ permisions: {} }, 'There is no option permisions', 'Did you mean permissions?'],
  [{ permissions: { alow: [] } }, 'There is no option permissions.alow', 'Did you mean permissions.allow?'],
  [{ hooks: { PreToolUsed: [] } }, 'There is no option hooks.PreToolUsed', 'Did you mean hooks.preToolUse?'],
  [{ ports: { aks: () => {} } }, 'There is no option ports.aks', 'Did you mean ports.ask?'],
  [{ mcpServer: {} }, 'There is no option mcpServer', 'Did you mean mcpServers?'],
  [{ zzz: 1 }, 'There is no option zzz', 'There are: cwd, '],
  [{ mcpConfig: 5 }, 'mcpConfig has to be a list; it is 5', 'Pass a list as mcpConfig'],
  [{ mcpConfig: [5] }, 'mcpConfig[0] has to be a path, a JSON text or an object; it is 5', 'Pass'],
  [{ mcpConfig: [{}] }, 'mcpConfig[0] has no mcpServers', 'mcpServers: { name'],
  [{ mcpServers: 'x={}' }, 'mcpServers has to be an object of servers; it is a string', 'Pass'],
  [{ mcpServers: { a: { headers: () => {} } } }, 'mcpServers.a.headers has to be a value that JSON has', 'Pass'],
  [{ cwd: 7 }, 'cwd has to be a string; it is 7', 'Pass a string as cwd'],
  [{ strict: 'yes' }, 'strict has to be true or false; it is a string', 'Pass'],
  [{ start: 'eagre' }, 'start has to be one of eager, lazy', "Did you mean 'eager'?"],
  [{ permissions: { mode: 'bypas' } }, 'permissions.mode has to be one of default', "Did you mean 'bypass'?"],
  [{ permissions: { deny: 'mcp__x' } }, 'permissions.deny has to be a list; it is a string', 'Pass'],
  [{ ports: { ask: true } }, 'ports.ask has to be a function; it is true', 'Pass'],
  [
    { hookCallbacks: [{ event: 'PreToolUsed' }] },
    'hookCallbacks[0].event has to be one of',
    "Did you mean 'PreToolUse'?",
  ],
  [{ hookCallbacks: [{ event: 'Stop', label: 'x' }] }, 'hookCallbacks[0].ask has to be given', 'Pass'],
  [{ hooks: { preToolUse: [() => {}] } }, 'hooks.preToolUse[0] has to be an object', 'Pass'],
  [{ tools: [{ name: 'x' }] }, 'tools[0].description has to be given; it is undefined', 'Pass'],
  [{ embedded: {} }, 'embedded has to be a Map of servers by name; it is an object', 'Pass'],
  [[], 'The options have to be an object; they are a list', 'Pass an object'],
])('Host.open(%j) says which option is wrong, and what to write', async (options, message, hint) => {
  const error: unknown = await Host.open(options as HostOptions).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(HostError);
  expect((error as HostError).code).toBe('usage');
  expect((error as HostError).message).toContain(message);
  expect((error as HostError).hint).toContain(hint);
});

test('an entry that contains itself is refused by its name', async () => {
  const entry: Record<string, unknown> = { command: 'x' };
  entry['env'] = entry;
  await expect(Host.open({ mcpServers: { a: entry } })).rejects.toThrow(/^mcpServers\.a\.env.* is nested too deeply/u);
});

test('what else takes options refuses them in the same words', async () => {
  await expect(loadConfig({ stict: true } as object)).rejects.toThrow('There is no option stict');
  const watched = watchConfig({ stict: true } as object, () => {}, { signal: AbortSignal.abort() });
  await expect(watched).rejects.toThrow('There is no option stict');
  expect(() => new (Host as unknown as new (options: object) => Host)({})).toThrow('A Host is not made with new');
  await using scene = openScene();
  const { host } = await scene.open();
  expect(() => host.fork({ tool: [] } as object)).toThrow('There is no option tool');
  expect(() => host.on('servers' as 'server', () => {})).toThrow('There is no event "servers"');
});

test('mcpServers takes entries as objects, with the checks of a file, and paths mean cwd', async () => {
  await using scene = openScene();
  const { env, args } = scene.journaling() as { env: Record<string, string>; args: string[] };
  const { host } = await scene.open({
    strict: true,
    mcpServers: {
      notes: { command: process.execPath, args: [relative(scene.project, args[0]!)], env },
      broken: { command: 7 as unknown as string },
      odd: { command: 'x', disabled: true, comand: 'y' },
    },
    mcpConfig: [{ mcpServers: { more: { command: process.execPath, args, env } } }],
  });
  await host.settled();
  const states = host.servers().map(({ name, scope, origin, status }) => [name, scope, origin, status]);
  expect(states).toEqual([
    ['more', 'dynamic', 'mcpConfig[0]', 'connected'],
    ['notes', 'dynamic', 'mcpServers', 'connected'],
    ['broken', 'dynamic', 'mcpServers', 'invalid'],
    ['odd', 'dynamic', 'mcpServers', 'disabled'],
  ]);
  expect(host.problems.map(({ file, line, server, field }) => ({ file, line, server, field }))).toEqual([
    { file: 'mcpServers', line: undefined, server: 'broken', field: 'command' },
    { file: 'mcpServers', line: undefined, server: 'odd', field: 'comand' },
  ]);
  expect(SERVER).toBe(args[0]);
});

test('entries as objects and as a file have the same problems and standings', async () => {
  await using scene = openScene();
  const mcpServers = {
    a: { command: 'run', args: 'x' },
    b: { url: 'nonsense' },
    c: { type: 'carrier-pigeon' },
    d: { command: '${NO_SUCH_VARIABLE}' },
    'e\u001b[2J': { command: 'run' },
    __proto__x: { url: 'https://example.com', unknown: 1 },
  };
  const file = join(scene.home, 'extra.json');
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const load = (options: object): ReturnType<typeof loadConfig> =>
    loadConfig({ cwd: scene.project, env: scene.env, strict: true, ...options });
  const ofFile = await load({ mcpConfig: [file] });
  const ofObject = await load({ mcpServers });
  const bare = ({ problems, servers }: Awaited<ReturnType<typeof load>>): object => ({
    problems: problems.map((problem) => ({ ...problem, file: '', line: 0, column: 0 })),
    servers: servers.map((server) => ({ ...server, origin: '' })),
  });
  expect(bare(ofObject)).toEqual(bare(ofFile));
  expect(ofObject.servers).toHaveLength(6);
  expect(ofObject.problems.length).toBeGreaterThan(3);
});

test('mcpServers beside files adds to them and wins over the same name', async () => {
  await using scene = openScene();
  scene.configure({ notes: { command: 'of-the-file' }, other: { command: 'o' } });
  mkdirSync(join(scene.project, 'x'));
  const { servers } = await loadConfig({
    cwd: scene.project,
    env: scene.env,
    trustFolder: true,
    mcpServers: { notes: { command: 'of-the-program' } },
  });
  const standing = servers.map(({ name, scope, standing: { kind } }) => [name, scope, kind]);
  expect(standing).toEqual([
    ['notes', 'dynamic', 'ready'],
    ['notes', 'user', 'suppressed'],
    ['other', 'user', 'ready'],
  ]);
});

test('with persist: false a host calls tools and writes nothing at all', async () => {
  await using scene = openScene();
  const before = readdirSync(scene.home, { recursive: true });
  const { host } = await scene.open({ persist: false, strict: true, mcpServers: { notes: scene.journaling() } });
  await host.settled();
  const [tool] = host.tools();
  expect(await host.call({ name: tool!.name })).toMatchObject({ attempts: 1 });
  expect(await host.commandSocket()).toBeUndefined();
  await host.close();
  expect(readdirSync(scene.home, { recursive: true })).toEqual(before);
  const kept = await scene.open({ strict: true, mcpServers: { notes: scene.journaling() } });
  await kept.host.settled();
  await kept.host.call({ name: tool!.name });
  await kept.host.close();
  const written = readdirSync(scene.home, { recursive: true, encoding: 'utf8' });
  expect(written).toContain(join('.local/state/plugboard/ledger/calls.jsonl'));
});
