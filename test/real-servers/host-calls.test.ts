import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PermissionAnswer, PermissionQuestion } from '../../src/guard/permission-question.js';
import type { Host } from '../../src/host/host.js';
import type { CallProgress } from '../../src/model/tool.js';
import { openScene, type Scene } from '../host/scene.js';
import { argumentsFor } from './arguments.js';
import { everythingHosted } from './everything.js';
import { filesystem } from './filesystem.js';
import { INSTALL_LIMIT, installServers } from './install-servers.js';
import { programOf } from './installed-server.js';
import { installedServers } from './installed-servers.js';
import { memory } from './memory.js';
import { packageFile, type RealServer } from './real-server.js';
import { sequentialThinking } from './sequential-thinking.js';

// Real servers through the whole call pipeline, all in one host.

const servers = { every: everythingHosted, files: filesystem, memory, thinking: sequentialThinking };
const profiles = ['anthropic', 'openai', 'gemini'] as const;

describe('real servers in one host', () => {
  let scene: Scene;
  let host: Host;
  const asked = new Set<string>();
  const ask = async ({ tool }: PermissionQuestion): Promise<PermissionAnswer> => {
    asked.add(tool);
    return { kind: 'allow', remember: 'once' };
  };
  const folderOf = (name: string): string => join(scene.home, name);

  beforeAll(async () => {
    scene = openScene();
    const entries = Object.entries(servers).map(([name, server]) => [name, entryOf(server, folderOf(name))] as const);
    scene.configure(Object.fromEntries(entries));
    ({ host } = await scene.open({ watch: false, ports: { ask } }));
    await host.settled();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test('every tool is offered to every model, and nothing is set aside', () => {
    const known = Object.values(servers).flatMap(({ tools }) => Object.keys(tools));
    expect(
      host
        .tools()
        .map(({ tool }) => tool)
        .toSorted(),
    ).toEqual(known.toSorted());
    expect(host.setAside()).toEqual([]);
    for (const profile of profiles) {
      const { tools, setAside } = host.forModel(profile, { toolSearch: 'never' });
      const text = JSON.stringify(tools);
      expect([profile, setAside]).toEqual([profile, []]);
      expect(host.tools().filter(({ name }) => !text.includes(`"${name}"`))).toEqual([]);
    }
  });

  const cases = Object.entries(servers).flatMap(([server, { tools }]) =>
    Object.entries(tools).map(([tool, wanted]) => ({ server, tool, wanted })),
  );

  test.each(cases)('$tool of $server answers a model', async ({ server, tool, wanted }) => {
    const folder = folderOf(server);
    const name = host.tools().find((one) => one.server === server && one.tool === tool)!.name;
    const { inputSchema } = (await host.tool(name))!;
    const seen: CallProgress[] = [];
    const input = wanted.input?.(folder) ?? argumentsFor(inputSchema);
    const result = await host.call({ name, input, timeoutMs: 600_000, onProgress: (one) => seen.push(one) });
    const text = result.content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n');
    expect({ outcome: result.outcome, text }).toEqual({
      outcome: wanted.isError === true ? 'error' : 'ok',
      text: expect.stringContaining((wanted.shown ?? wanted.says).replace('{folder}', folder)),
    });
    expect(seen.length).toBeGreaterThanOrEqual(wanted.progress ?? 0);
  });

  test('somebody was asked about those that say they destroy, and about no other', () => {
    const destroying = host.tools().filter(({ marks }) => marks.saysDestructive);
    expect([...asked].toSorted()).toEqual(destroying.map(({ tool }) => tool).toSorted());
    expect(asked).toContain('delete_entities');
  });
});

test('a server with 70 KB of tools is offered whole, and searched instead where that would fill a model', async () => {
  await using scene = openScene();
  const tools = Array.from({ length: 100 }, (_, at) => `report_${at}`);
  scene.configure({ large: largeServer(tools) });
  const { host } = await scene.open({ watch: false });
  await host.settled();
  for (const profile of profiles) {
    const whole = host.forModel(profile, { toolSearch: 'never', session: 'whole' });
    expect(JSON.stringify(whole.tools).length).toBeGreaterThan(70_000);
    expect(whole.setAside).toEqual([]);
    const sought = host.forModel(profile, { toolSearch: 'auto', contextTokens: 100_000, session: 'sought' });
    expect(sought.system).toContain('mcp__large__report_42');
    expect(sought.cost().loaded).toBeLessThan(5_000);
  }
  const found = await host.call({ name: 'ToolSearch', input: { query: 'select:mcp__large__report_42' } });
  expect(found.structuredContent).toMatchObject({ matches: ['mcp__large__report_42'] });
  expect(await host.call({ name: 'mcp__large__report_42', input: { key: 'x' } })).toMatchObject({ outcome: 'ok' });
});

// One server after the other: a single host for all would need all processors at once.
describe.skipIf(process.env['PLUGBOARD_FULL'] === undefined)('tools of servers of other people', () => {
  beforeAll(installServers, INSTALL_LIMIT);

  test.each(installedServers.map((server) => [server.packageName, server] as const))(
    '%s: every model is offered every tool',
    async (_name, server) => {
      await using scene = openScene();
      const inFolder = (text: string): string => text.replace('{folder}', scene.project);
      for (const [name, content] of Object.entries(server.files ?? {}))
        writeFileSync(join(scene.project, name), content);
      const env = Object.fromEntries(Object.entries(server.env ?? {}).map(([key, value]) => [key, inFolder(value)]));
      const offline = new URL('offline.cjs', import.meta.url).pathname;
      const entry = {
        command: process.execPath,
        args: [programOf(server), ...(server.args ?? []).map(inFolder)],
        env: { NODE_OPTIONS: `--require "${offline}"`, ...env },
      };
      scene.configure({ it: entry });
      const { host } = await scene.open({ watch: false, env: { ...scene.env, MCP_TIMEOUT: '90000' } });
      await host.settled();
      expect(host.tools().length).toBeGreaterThanOrEqual(server.tools);
      const aside = profiles.flatMap((profile) =>
        host
          .forModel(profile, { toolSearch: 'never' })
          .setAside.map(({ tool, reason }) => `${profile} ${tool}: ${reason}`),
      );
      expect(aside).toEqual([]);
    },
  );
});

function entryOf(server: RealServer, folder: string): Record<string, unknown> {
  mkdirSync(folder);
  for (const [name, content] of Object.entries(server.files ?? {})) writeFileSync(join(folder, name), content);
  const args = [packageFile(server.packageName), ...(server.args?.(folder) ?? [])];
  return { command: process.execPath, args, env: server.env?.(folder) ?? {} };
}

function largeServer(names: readonly string[]): Record<string, unknown> {
  const field = { type: 'string', description: 'One of the many things that somebody may want to say. '.repeat(4) };
  const inputSchema = { type: 'object', properties: { key: field, value: field, comment: field } };
  const definitions = names.map((name) => ({ name, description: `Writes ${name}`, inputSchema }));
  const program = new URL('../calls/walk-server.mjs', import.meta.url).pathname;
  return { command: process.execPath, args: [program], env: { TOOLS: JSON.stringify(definitions) } };
}
