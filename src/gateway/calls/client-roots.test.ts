import { expect, test } from 'vitest';
import type { Client } from '../../serving/endpoint.js';
import { ClientRoots } from './client-roots.js';

function rootsOf(era: Client['era'], roots: object): { ask: () => Promise<number>; roots: ClientRoots } {
  const client = { era, capabilities: { roots } } as unknown as Client;
  const known = new ClientRoots(client);
  let asked = 0;
  const { signal } = new AbortController();
  return {
    roots: known,
    async ask() {
      await known.get(async () => ({ roots: [{ uri: `file:///${++asked}` }] }), signal);
      return asked;
    },
  };
}

test('a client that tells when its roots change is asked for them once until then', async () => {
  const { ask, roots } = rootsOf('legacy', { listChanged: true });
  expect([await ask(), await ask()]).toEqual([1, 1]);
  roots.changed();
  expect(await ask()).toBe(2);
});

test.each<[Client['era'], object]>([
  ['legacy', {}],
  ['modern', { listChanged: true }],
])('a %s client with roots %j is asked each time', async (era, declared) => {
  const { ask } = rootsOf(era, declared);
  expect([await ask(), await ask()]).toEqual([1, 2]);
});

test('a question that failed is asked again', async () => {
  const { roots } = rootsOf('legacy', { listChanged: true });
  const { signal } = new AbortController();
  await expect(roots.get(() => Promise.reject(new Error('gone')), signal)).rejects.toThrow('gone');
  expect(await roots.get(async () => ({ roots: [] }), signal)).toEqual({ roots: [] });
});
