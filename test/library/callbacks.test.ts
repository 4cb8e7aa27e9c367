import { expect, test } from 'vitest';
import { embed } from '../calls/embedded.js';
import { openWalk } from '../calls/walk-scene.js';

/** Thrown by an embedder's function: the stack names this file. */
class OwnError extends Error {
  override readonly name = 'OwnError';
}

const fail = (): never => {
  throw new OwnError('boom');
};

test.each([
  [
    'ports.ask',
    { permissions: { mode: 'default' }, ports: { ask: async () => fail() } },
    'asking failed: OwnError: boom',
  ],
  ['a hook', { hooks: { preToolUse: [{ run: fail }] } }, 'PreToolUse:mcp__a__one hook error: the hook failed: boom'],
  [
    'a hook in place of the user',
    { permissions: { mode: 'default' }, hooks: { permissionRequest: [{ run: fail }] } },
    'PermissionRequest:mcp__a__one hook error: the hook failed: boom',
  ],
  [
    'a hook for results',
    { hooks: { postToolUse: [{ run: async () => fail() }] } },
    'PostToolUse:mcp__a__one hook error: the hook failed',
  ],
  [
    'a callback',
    { hookCallbacks: [{ event: 'PreToolUse', label: 'mine', ask: async () => fail() }] },
    'PreToolUse:mcp__a__one hook error: the hook failed: boom',
  ],
] as const)('what %s throws is the cause of the result, with its place', async (_, options, message) => {
  await using scene = openWalk();
  const host = await scene.settle({ ...embed([['a', ['one']]]).options, ...options });
  const { error } = await host.call({ name: 'mcp__a__one' });
  expect(error).toMatchObject({ code: 'denied', message: expect.stringContaining(message) as string });
  expect(error!.cause).toBeInstanceOf(OwnError);
  expect((error!.cause as Error).stack).toContain('callbacks.test.ts');
});

test("what an embedder's own tool throws is the cause of the result, and not a fault of Plugboard", async () => {
  await using scene = openWalk();
  const inputSchema = { type: 'object' };
  const host = await scene.settle({
    tools: [{ name: 'own', description: 'x', inputSchema, call: async () => fail() }],
  });
  const { error, outcome } = await host.call({ name: 'own' });
  expect([outcome, error!.message]).toEqual(['error', 'own threw: OwnError: boom']);
  expect(error!.cause).toBeInstanceOf(OwnError);
});

test('what a listener throws is a warning of the process with its place; the others are called', async () => {
  await using scene = openWalk();
  const warnings: (Error & { detail?: string })[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const { options, servers } = embed([['a', ['one']]]);
  const host = await scene.settle(options);
  host.on('catalog', fail);
  const heard = new Promise((resolve) => host.on('catalog', resolve));
  servers.get('a')!.set(['one', 'two']);
  await heard;
  await new Promise((resolve) => setImmediate(resolve)); // warnings are emitted in a later turn
  process.off('warning', note);
  expect(warnings.map(({ message }) => message)).toContain(
    'a listener of a host threw: OwnError: boom (event "catalog")',
  );
  expect(warnings.find(({ message }) => message.includes('catalog'))!.detail).toContain('callbacks.test.ts');
});
