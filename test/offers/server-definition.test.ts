import { expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import { openScene } from '../host/scene.js';
import { script } from './scene.js';

const WANTED = { withServerDefinition: true } as const;

const tool = {
  name: 'dig',
  description: `Digs. ${'Deep. '.repeat(1_000)}`,
  inputSchema: { type: 'object', properties: { where: { type: 'string' } } },
  annotations: { title: 'Dig', idempotentHint: true, 'acme/loud': true },
  icons: [{ src: 'https://example.com/spade.png', sizes: ['48x48'] }],
  _meta: { 'acme/owner': 'mine', ui: { resourceUri: 'ui://dig' } },
  'acme/unknown': [{ a: null }],
};
const LISTS = {
  tools: [tool],
  prompts: [{ name: 'greet', arguments: [{ name: 'who' }], icons: [], _meta: { 'acme/p': 1 } }],
  resources: [{ uri: 'odd://a', name: 'a', annotations: { audience: ['user'], priority: 0.5 }, 'acme/r': 1 }],
  templates: [{ uriTemplate: 'odd://{x}', name: 'any', _meta: { 'acme/t': 1 } }],
};

async function definitionsOf(host: Host): Promise<Record<string, unknown>> {
  const own = { server: 'odd', ...WANTED };
  const [listed, prompts] = [await host.resources(own), await host.prompts(own)];
  if (!listed.ok || !prompts.ok) throw new Error('the server has nothing');
  return {
    tools: [(await host.tool('mcp__odd__dig', WANTED))?.serverDefinition],
    prompts: prompts.prompts.map((one) => one.serverDefinition),
    resources: listed.resources.map((one) => one.serverDefinition),
    templates: listed.templates.map((one) => one.serverDefinition),
  };
}

const EXPECTED = Object.fromEntries(
  Object.entries(LISTS).map(([kind, items]) => [kind, items.map((item) => ({ item, isComplete: true }))]),
);

test.each(['legacy', 'modern'] as const)(
  'whoever asks gets what a %s server listed, a fork as well, and in the next run before the server is started',
  async (era) => {
    await using scene = openScene();
    const entry = script('listing-server.mjs', { era, env: { ERA: era, LISTS: JSON.stringify(LISTS) } });
    scene.configure({ odd: entry });
    const { host } = await scene.open({ watch: false });
    await host.settled();
    expect(await definitionsOf(host)).toEqual(EXPECTED);
    const fork = host.fork({ servers: ['odd'] });
    expect(await definitionsOf(fork)).toEqual(EXPECTED);
    expect(await host.tool('mcp__odd__dig')).not.toHaveProperty('serverDefinition');
    expect(await host.prompts({ server: 'odd' })).not.toHaveProperty('prompts.0.serverDefinition');
    expect(await host.tool('ToolSearch', WANTED)).not.toHaveProperty('serverDefinition');
    await host.close();
    const { host: next } = await scene.open({ watch: false, start: 'lazy' });
    expect(await definitionsOf(next)).toEqual(EXPECTED);
    expect(next.server('odd')?.status).toBe('idle');
  },
);
