import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openScene } from '../../test/host/scene.js';
import { verbs } from '../cli/verbs/all.js';
import type { Host } from '../host/host.js';
import type { Done } from './action.js';
import { actions, serverActions } from './all.js';
import { toArgs } from './arguments.js';
import { perform } from './perform.js';

const find = (name: string): (typeof actions)[number] => actions.find((one) => one.name === name)!;
const context = { now: () => new Date(0), shows: 'data' } as const;

/** Runs an action as a face with a host does. */
async function run(host: Host, name: string, given: string[], flags: Record<string, string> = {}): Promise<Done> {
  const action = find(name);
  const kinds = Object.values(action.args).map(({ kind }) => kind);
  const count = kinds.includes('servers') ? given.length : kinds.includes('server') ? 1 : 0;
  const values = (flag: string): string[] => (flags[flag] === undefined ? [] : [flags[flag]]);
  const args = toArgs(action.args, { servers: given.slice(0, count), words: given.slice(count), values });
  return perform(action, { kind: 'host', host, isTransient: false }, args, context);
}

test('every action of this room is in the list, once, under a name of its own', () => {
  const defined = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'action.ts')
    .flatMap((file) => [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/^ {2}name: '([\w-]+)'/gmu)])
    .map(([, name]) => name);
  expect(actions.map(({ name }) => name).toSorted()).toEqual(
    defined.toSorted((one, other) => (one! < other! ? -1 : 1)),
  );
  expect(new Set(defined).size).toBe(defined.length);
});

test('every action can be asked for on the command line, and has a summary for each of its flags', () => {
  const folded: Record<string, string> = { 'call-log': 'logs', trace: 'logs', 'trace-file': 'logs' };
  for (const { name, args } of actions) {
    const verb = verbs.find((one) => one.name === (folded[name] ?? name.replace(/^approve-.*/u, 'approve')));
    expect([name, verb?.name]).toEqual([name, expect.any(String)]);
    const unexplained = Object.values(args).filter((spec) => 'summary' in spec && spec.summary.trim() === '');
    expect([name, unexplained]).toEqual([name, []]);
  }
});

test('actions on one server name the server, and say for every state whether they apply', () => {
  for (const { name, args } of serverActions) {
    const kinds = Object.values(args).map(({ kind }) => kind);
    expect([name, kinds.some((kind) => kind === 'server' || kind === 'servers')]).toEqual([name, true]);
  }
});

test('the host of a session runs them all: lists, calls and reads, with JSON for programs and parts for people', async () => {
  await using scene = openScene();
  const notes = { command: process.execPath, args: [resolve('test/offers/sdk-notes.mjs')] };
  scene.configure({ notes, gone: { command: join(scene.home, 'nothing') } });
  const { host } = await scene.open({ watch: false, permissions: { mode: 'bypass' } });
  await host.settled();
  const json = async (name: string, given: string[] = [], flags = {}): Promise<unknown> =>
    (await run(host, name, given, flags)).json;
  expect(await json('list')).toMatchObject({ servers: [{ name: 'notes', status: 'connected' }, { name: 'gone' }] });
  expect(await json('get', ['notes'])).toMatchObject({ name: 'notes', status: 'connected', problems: [] });
  expect(await json('tools', ['notes'])).toMatchObject({ tools: expect.any(Array) as unknown });
  expect(await json('search', ['touch'])).toMatchObject({ tools: [{ name: 'mcp__notes__touch' }] });
  expect(await json('permissions', ['mcp__notes__touch'])).toMatchObject({ behavior: 'allow' });
  expect(await json('call', ['notes.touch'])).toMatchObject({ outcome: 'ok' });
  expect(await json('resources', ['notes'])).toMatchObject({ resources: [{ uri: 'note:///a' }] });
  expect(await json('read', ['notes', 'note:///a'])).toMatchObject({ contents: [{ text: 'version 2' }] });
  expect(await json('reconnect', ['notes'])).toMatchObject({ status: 'connected', hosts: [] });
  const failed = await run(host, 'doctor', ['gone']);
  expect(failed.told).toMatchObject({ tone: 'failed', code: 'unhealthy', parts: [{ kind: 'findings' }] });
  expect(failed.json).toMatchObject({ findings: [{ server: 'gone', code: 'command-not-found' }, {}] });
  await expect(run(host, 'call', ['notes.nothing'])).rejects.toMatchObject({ code: 'unknown-tool' });
  await expect(run(host, 'tools', ['nobody'])).rejects.toMatchObject({ code: 'unknown-server' });
  await expect(run(host, 'logout', ['nobody'])).rejects.toMatchObject({ code: 'unknown-server' });
  host.disable('notes');
  for (const [name, word] of [
    ['call', 'notes.touch'],
    ['tools', 'notes'],
    ['reconnect', 'notes'],
  ] as const) {
    await expect(run(host, name, [word])).rejects.toMatchObject({ code: 'disabled', hint: 'plugboard enable notes' });
  }
});
