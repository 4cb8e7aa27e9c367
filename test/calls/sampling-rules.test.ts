import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { HostOptions } from '../../src/host/host-options.js';
import type { SamplingPort } from '../../src/model/sampling.js';
import { ASKING, NO, openWalk, person, SESSION, textOf } from './walk-scene.js';

// Allowing the tools of a server does not allow the server to spend the user's tokens (sampling).

async function ponder(options: HostOptions, entry: object = {}): Promise<{ said: string; used: number }> {
  await using scene = openWalk();
  const args = [resolve(import.meta.dirname, 'sampling-server.mjs')];
  scene.configure({ thinker: { command: process.execPath, args, ...entry } });
  let used = 0;
  const model: SamplingPort = {
    createMessage: async () => {
      used++;
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'yes' } };
    },
  };
  const host = await scene.settle({ ...options, ports: { ...options.ports, model } });
  return { said: textOf(await host.call({ name: 'mcp__thinker__ponder' })), used };
}

test.each(['mcp__*', 'mcp__thinker', 'mcp__thinker__*', 'mcp__thinker__ponder'])(
  'the rule %s lets its tool run, and not use the model',
  async (rule) => {
    for (const mode of ['default', 'dont-ask'] as const)
      expect(await ponder({ permissions: { mode, allow: [rule] } })).toEqual({ said: '0 answers', used: 0 });
  },
);

test('a rule of its own does, and so does mode bypass, which lets everything run', async () => {
  const allow = ['mcp__thinker', 'mcp__thinker__sampling'];
  expect(await ponder({ permissions: { mode: 'dont-ask', allow } })).toEqual({ said: '10 answers', used: 10 });
  expect(await ponder({ permissions: { mode: 'bypass' } })).toEqual({ said: '10 answers', used: 10 });
});

test('"trust" in its entry does not', async () => {
  expect(await ponder({ permissions: ASKING }, { trust: true })).toEqual({ said: '0 answers', used: 0 });
});

test('the user is asked beside a rule for the whole server, and a yes holds for the session', async () => {
  const yes = person(SESSION);
  const permissions = { mode: 'default', allow: ['mcp__thinker'] } as const;
  expect(await ponder({ permissions, ports: { ask: yes.ask } })).toEqual({ said: '10 answers', used: 10 });
  expect(yes.asked.map(({ name }) => name)).toEqual(['mcp__thinker__sampling']);
  const no = person(NO);
  expect(await ponder({ permissions, ports: { ask: no.ask } })).toEqual({ said: '0 answers', used: 0 });
});
