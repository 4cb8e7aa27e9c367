// Lists that are larger than a message may be: the host reads what fits, and tells what it leaves out.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import { countTurns } from '../computed.js';
import { openScene, type Scene } from './scene.js';

const SERVER = resolve(import.meta.dirname, 'big-list-server.mjs');
const FULL = process.env['PLUGBOARD_FULL'] !== undefined;

type Kind = 'stdio' | 'http';

interface Opened extends AsyncDisposable {
  readonly host: Host;
  /** How often the server was asked for its tools. */
  readonly asked: () => number;
}

/** A host with one server whose list is like this. */
async function open(kind: Kind, plan: string, more: Record<string, string> = {}): Promise<Opened> {
  const scene = openScene();
  const seen = join(scene.home, 'seen.txt');
  const env = { PLAN: plan, SEEN: seen, ...more };
  const { entry, stop } =
    kind === 'stdio'
      ? { entry: { command: process.execPath, args: [SERVER], env }, stop: () => Promise.resolve() }
      : await overHttp(scene, env);
  scene.configure({ big: entry });
  const { host } = await scene.open({ watch: false });
  await host.settled();
  return {
    host,
    asked: () =>
      readFileSync(seen, 'utf8')
        .split('\n')
        .filter((method) => method === 'tools/list').length,
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await stop();
    },
  };
}

async function overHttp(scene: Scene, env: Record<string, string>) {
  const child = spawn(process.execPath, [SERVER, 'http'], {
    env: { ...scene.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const stop = async (): Promise<void> => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  };
  return { entry: { url: `http://127.0.0.1:${String(port).trim()}/mcp` }, stop };
}

/** One reader reads lists of every transport: without FULL, HTTP shows that they reach it, and stdio what it does. */
const readFully = FULL ? (['stdio', 'http'] as const) : (['stdio'] as const);
const reasons = (host: Host): string[] => host.setAside().map(({ tool, reason }) => `${tool}: ${reason}`);

describe.each(['stdio', 'http'] as const)('over %s', (kind) => {
  test('a page of 24 MB gives all its tools, read in many turns of the event loop', async () => {
    using turns = countTurns();
    await using opened = await open(kind, 'whole');
    const { host } = opened;
    expect(host.tools().filter(({ server }) => server === 'big')).toHaveLength(10_000);
    expect(host.setAside()).toEqual([]);
    expect(host.servers()[0]).toMatchObject({ tools: 10_000, status: 'connected' });
    expect(host.servers()[0]).not.toHaveProperty('error');
    const called = await host.call({ name: 'mcp__big__tool_9999', input: {} });
    expect(JSON.stringify(called)).toContain('called tool_9999');
    expect(turns.count).toBeGreaterThan(50);
  });

  test('many pages are read up to the bound of tools, and up to that of bytes', async () => {
    await using many = await open(kind, 'pages');
    expect(many.host.servers()[0]!.tools).toBe(10_000);
    expect(many.asked()).toBe(12);
    expect(reasons(many.host)).toEqual([
      ': it lists more than 10,000 tools; those after the first 10,000 are left out',
    ]);
    await using wide = await open(kind, 'wide-pages');
    expect(wide.asked()).toBe(22);
    expect(reasons(wide.host)).toEqual([
      ': its list of tools is larger than 64 MB; those after the first 22 are left out',
    ]);
  });

  test.runIf(FULL).each(['gigabyte', 'endless'])('a page that is %s ends the reading, and is told', async (plan) => {
    await using opened = await open(kind, plan);
    const [state] = opened.host.servers();
    expect(state!.tools).toBeNull();
    expect(state!.error?.message).toMatch(/more than 512 MB|a line that does not end/u);
  });
});

describe.each(readFully)('over %s', (kind) => {
  test.each([
    [
      'too-many',
      { above: 9_999, below: 10_001 },
      /^: it lists more than 10,000 tools; those after the first 10,000 are left out$/u,
    ],
    [
      'heavy',
      { above: 8_000, below: 10_000 },
      /^: its list of tools is larger than 64 MB; those after the first 8,\d{3} are left out$/u,
    ],
    [
      'one-huge',
      { above: 9_000, below: 9_002 },
      /^: it lists tools that are larger than 8 MB each; these are left out$/u,
    ],
  ] as const)(
    'of a list that is %s what fits is there, and the rest is told as set aside',
    async (plan, count, reason) => {
      await using opened = await open(kind, plan);
      const { host } = opened;
      const { tools } = host.servers()[0]!;
      expect(tools).toBeGreaterThan(count.above);
      expect(tools).toBeLessThan(count.below);
      expect(reasons(host)).toEqual([expect.stringMatching(reason)]);
      expect(host.setAside()[0]).toMatchObject({ server: 'big', unread: true });
      expect(opened.asked()).toBe(1);
    },
  );

  test('of tools that come twice one is there, and the other is set aside', async () => {
    await using opened = await open(kind, 'twice');
    expect(opened.host.servers()[0]!.tools).toBe(5_000);
    expect(reasons(opened.host)).toHaveLength(5_000);
    expect(reasons(opened.host)[0]).toBe('tool_0: another tool has the same name');
  });

  test('a response whose id comes last is read as well', async () => {
    await using opened = await open(kind, 'id-last');
    expect(opened.host.servers()[0]!.tools).toBe(10_000);
  });

  test.each([
    ['broken-end', 'bad-answer', /it is no JSON/u],
    ['long-text', 'answer-too-large', /a text in its list has more than 8 MB/u],
    ['deep', 'answer-too-large', /nests deeper than 512 levels/u],
  ])('%s: the list cannot be used, and the state of the server and setAside say why', async (plan, code, message) => {
    await using opened = await open(kind, plan);
    const [state] = opened.host.servers();
    expect(state).toMatchObject({
      status: 'connected',
      tools: null,
      error: { code, message: expect.stringMatching(message), hint: expect.stringMatching(/server/u) },
    });
    expect(reasons(opened.host)).toEqual([expect.stringMatching(message)]);
  });
});

test('a list that is too large is cut at the same tool, in whatever pieces the server writes it', async () => {
  const found: unknown[] = [];
  for (const size of FULL ? [7_001, 65_536, 3_000_000] : [7_001, 3_000_000]) {
    await using opened = await open('stdio', 'heavy', { CHUNK: String(size) });
    found.push([opened.host.servers()[0]!.tools, reasons(opened.host)]);
  }
  expect(found).toEqual(found.map(() => found[0]));
});
