import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { CallResult, HostOptions } from '../../src/host/host-options.js';
import type { Host } from '../../src/host/host.js';
import { Spilled } from '../../src/model/spilled.js';
import { openScene, type Scene } from '../host/scene.js';
import { odd, openOdd, TOLD } from './odd-fields-server.js';
import { textOf } from './walk-scene.js';

// The server's own result, for embedders that pass it on: a gateway, a console.

async function openHost(scene: Scene, era: 'legacy' | 'modern', options: HostOptions = {}, large = 0): Promise<Host> {
  const { entry } = await openOdd(era, large);
  scene.configure({ odd: entry });
  const { host } = await scene.open({ watch: false, ...options });
  await host.settled();
  return host;
}

const dig = (host: Host, tool = 'dig'): Promise<CallResult> =>
  host.call({ name: `mcp__odd__${tool}`, keepServerResult: true });

describe.each(['legacy', 'modern'] as const)('a server of the %s era', (era) => {
  const complete = era === 'modern' ? { resultType: 'complete' } : {};

  test('gives its own result, with fields that nobody knows, to whoever asks for it', async () => {
    await using scene = openScene();
    const host = await openHost(scene, era);
    const { serverResult, ...shaped } = await dig(host);
    expect(serverResult).toEqual({ result: { ...complete, ...odd.call } });
    expect(textOf(shaped)).toBe('gold');
    const raw = await host.call({ name: 'mcp__odd__dig', keepServerResult: true, shape: 'raw' });
    expect(raw.serverResult).toEqual(serverResult);
  });

  test('has nothing kept of it that nobody asked for', async () => {
    await using scene = openScene();
    const host = await openHost(scene, era);
    expect(await host.call({ name: 'mcp__odd__dig' })).not.toHaveProperty('serverResult');
    expect(await host.call({ name: 'mcp__odd__fail' })).not.toHaveProperty('serverResult');
    expect(await host.getPrompt({ server: 'odd', prompt: 'greet' })).not.toHaveProperty('serverResult');
    expect(await host.readResource({ server: 'odd', uri: 'odd://a' })).not.toHaveProperty('serverResult');
    expect(await host.complete(question)).not.toHaveProperty('serverResult');
  });

  test('gives its own error: code, message as written, and data', async () => {
    await using scene = openScene();
    const host = await openHost(scene, era);
    const result = await dig(host, 'fail');
    expect(result).toMatchObject({
      outcome: 'error',
      error: { code: 'server-error' },
      serverResult: { error: odd.error },
    });
    expect(result.error?.message).not.toContain('\u001b');
  });

  test('gives the handle of a task beside what came of it', async () => {
    await using scene = openScene();
    const host = await openHost(scene, era);
    const { serverResult, outcome } = await dig(host, 'slow');
    const handle = era === 'modern' ? { resultType: 'task', ...odd.task } : { task: odd.task };
    expect([outcome, serverResult]).toEqual([
      'ok',
      { task: { ...handle, 'acme/t': 1 }, result: { ...complete, ...odd.call } },
    ]);
  });

  test('is not quoted with what it was told in confidence', async () => {
    await using scene = openScene();
    const host = await openHost(scene, era);
    const { serverResult } = await dig(host, 'tell');
    expect(JSON.stringify(serverResult)).not.toContain(TOLD);
    expect(serverResult?.result).toMatchObject({ _meta: { echo: [expect.stringMatching(/^I know /u)] } });
  });

  test('gives its own prompts, resources and completions, and its errors about them', async () => {
    await using scene = openScene();
    const host = await openHost(scene, era);
    const keep = { keepServerResult: true } as const;
    expect(await host.getPrompt({ server: 'odd', prompt: 'greet', ...keep })).toMatchObject({
      ok: true,
      messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }],
      serverResult: { result: { ...complete, ...odd.prompt } },
    });
    expect(await host.getPrompt({ server: 'odd', prompt: 'sulk', ...keep })).toMatchObject({
      ok: false,
      serverResult: { error: odd.error },
    });
    expect(await host.readResource({ server: 'odd', uri: 'odd://a', ...keep })).toMatchObject({
      ok: true,
      contents: [{ uri: 'odd://a', text: 'alpha' }],
      serverResult: { result: { ...complete, ...odd.resource } },
    });
    expect(await host.readResource({ server: 'odd', uri: 'odd://b', ...keep })).toMatchObject({
      ok: false,
      serverResult: { error: odd.error },
    });
    const read = { name: 'ReadMcpResource', ...keep };
    expect(await host.call({ ...read, input: { server: 'odd', uri: 'odd://a' } })).toMatchObject({
      serverResult: { result: { ...complete, ...odd.resource } },
    });
    expect(await host.call({ ...read, input: { server: 'odd', uri: 'odd://b' } })).toMatchObject({
      outcome: 'error',
      serverResult: { error: odd.error },
    });
    // The cache has the values of a recent completion, but not the server's own result.
    expect(await host.complete(question)).toMatchObject({ ok: true, values: ['Oslo'] });
    expect(await host.complete({ ...question, ...keep })).toMatchObject({
      ok: true,
      values: ['Oslo'],
      serverResult: { result: { ...complete, ...odd.completion } },
    });
  });
});

const question = {
  server: 'odd',
  ref: { type: 'ref/prompt', name: 'greet' },
  argument: { name: 'who', value: 'O' },
} as const;

test('what was too large for memory stays a reference to its file in the server own result', async () => {
  await using scene = openScene();
  const large = 17_000_000;
  const host = await openHost(scene, 'legacy', {}, large);
  for (const shape of ['model', 'raw'] as const) {
    const { serverResult, saved } = await host.call({ name: 'mcp__odd__large', keepServerResult: true, shape });
    const { content, ...rest } = serverResult!.result as { content: readonly { readonly text: unknown }[] };
    const { content: _, ...said } = odd.call;
    expect(rest).toEqual(said);
    const { text } = content[0]!;
    expect(text).toBeInstanceOf(Spilled);
    expect(text).toMatchObject({ kind: 'text', bytes: large });
    expect(saved.map(({ path }) => path)).toContain((text as Spilled).place);
    expect(readFileSync((text as Spilled).place)).toHaveLength(large);
  }
});

const post = (answer: object): HostOptions => ({ hooks: { postToolUse: [{ run: () => answer }] } });

describe('hooks', () => {
  test.each([
    ['replaces a result', post({ output: { content: [{ type: 'text', text: 'lead' }] } })],
    ['withholds a result', post({ block: 'not for you' })],
    ['adds to a result', post({ context: 'by the way' })],
    ['adds to a result beforehand', { hooks: { preToolUse: [{ run: () => ({ context: 'by the way' }) }] } }],
  ])('a hook that %s says so, and what the server said is still what it said', async (_, options) => {
    await using scene = openScene();
    const host = await openHost(scene, 'legacy', options);
    expect(await dig(host)).toMatchObject({ changedByHook: true, serverResult: { result: odd.call } });
    const plain = await host.call({ name: 'mcp__odd__dig' });
    expect(plain).not.toHaveProperty('changedByHook');
    const read = await host.readResource({ server: 'odd', uri: 'odd://a', keepServerResult: true });
    expect(read).toMatchObject({ changedByHook: true, serverResult: { result: odd.resource } });
  });

  test('a hook that only looks changes nothing', async () => {
    await using scene = openScene();
    const seen: unknown[] = [];
    const host = await openHost(scene, 'legacy', {
      hooks: { postToolUse: [{ run: ({ result }) => void seen.push(result.outcome) }] },
    });
    const result = await dig(host);
    expect([seen, result.serverResult]).toEqual([['ok'], { result: odd.call }]);
    expect(result).not.toHaveProperty('changedByHook');
  });
});

test('a fork hands it on as the host does, in calls of one turn, too', async () => {
  await using scene = openScene();
  const host = await openHost(scene, 'modern');
  await using fork = host.fork({ tools: ['mcp__odd'] });
  const calls = ['dig', 'fail'].map((tool) => ({ name: `mcp__odd__${tool}`, keepServerResult: true }));
  const [dug, failed] = await fork.callAll(calls);
  expect(dug?.serverResult).toEqual({ result: { resultType: 'complete', ...odd.call } });
  expect(failed?.serverResult).toEqual({ error: odd.error });
});

test('a call that never reached its server has nothing of it', async () => {
  await using scene = openScene();
  const host = await openHost(scene, 'legacy', { permissions: { deny: ['mcp__odd__dig'] } });
  const denied = await dig(host);
  expect(denied).toMatchObject({ outcome: 'error', error: { code: 'denied' } });
  expect(denied).not.toHaveProperty('serverResult');
});
