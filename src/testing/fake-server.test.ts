import { expect, test } from 'vitest';
import { Host } from '../index.js';
import { FakeClock, fakeServer } from './index.js';
import { makeSandbox } from '../../test/program/sandbox.js';

test('a host uses a fake server as any other: tools, hints, results, errors', async () => {
  const desk = fakeServer({
    echo: ({ text }) => `You said ${String(text)}`,
    look: {
      description: 'Looks',
      inputSchema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
      annotations: { readOnlyHint: true },
      run: async () => ({ content: [], structuredContent: { seen: 1 } }),
    },
    fail: () => {
      throw new Error('The disk is full');
    },
  });
  const { home } = makeSandbox();
  await using host = await Host.open({
    cwd: home,
    env: { HOME: home },
    mcpServers: { desk: { type: 'in-process', name: 'desk' } },
    embedded: new Map([['desk', desk]]),
    permissions: { allow: ['mcp__desk'] },
    ports: { clock: new FakeClock() },
    persist: false,
    watch: false,
  });
  await host.settled();
  const call = async (name: string, input: object): Promise<unknown> => {
    const { outcome, content, structuredContent } = await host.call({ name: `mcp__desk__${name}`, input });
    return [outcome, structuredContent ?? content];
  };
  expect(await call('echo', { text: 'hi' })).toEqual(['ok', [{ type: 'text', text: 'You said hi' }]]);
  expect(await call('look', { at: 'x' })).toEqual(['ok', { seen: 1 }]);
  expect(await call('look', {})).toMatchObject(['error', expect.anything()]);
  expect(await call('fail', {})).toEqual(['error', [{ type: 'text', text: 'The disk is full' }]]);
  expect(desk.calls.map(({ tool }) => tool)).toEqual(['echo', 'look', 'fail']);
  expect(host.tools().find(({ name }) => name === 'mcp__desk__look')?.hints.readOnly).toBe(true);
});
