import { expect, test } from 'vitest';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { Host } from '../../src/host/host.js';
import { type OfferScene, openOffers, script } from './scene.js';

const server = 'odd';
const read = async (host: Host, uri: string): Promise<string> => {
  const answer = await host.readResource({ server, uri });
  const [content] = answer.ok ? answer.contents : [];
  return content && 'text' in content ? content.text : JSON.stringify(answer);
};

/** Watches a resource and records its updates. */
async function watch(
  { host }: OfferScene,
  uri: string,
): Promise<AsyncDisposable & { readonly received: string[]; readonly next: () => Promise<void> }> {
  const received: string[] = [];
  let wake: (() => void) | undefined;
  const answer = await host.watchResource({ server, uri }, (change) => {
    received.push(change.uri);
    wake?.();
  });
  if (!answer.ok) throw answer.error;
  return {
    received,
    next: () => (received.length > 0 ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
    [Symbol.asyncDispose]: () => answer.watch[Symbol.asyncDispose](),
  };
}

test('many changes in a moment are told once, those of what nobody watches never, and the server is told when it is over', async () => {
  await using scene = await openOffers({ [server]: script('odd-server.mjs') });
  const first = await watch(scene, 'odd://watched');
  const second = await watch(scene, 'odd://watched');
  const other = await watch(scene, 'odd://other');
  expect(JSON.parse(await read(scene.host, 'odd://subscriptions'))).toEqual(['odd://watched', 'odd://other']);
  await read(scene.host, 'odd://touch');
  await Promise.all([first.next(), second.next()]);
  expect([first.received, second.received, other.received]).toEqual([['odd://watched'], ['odd://watched'], []]);
  await first[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  expect(JSON.parse(await read(scene.host, 'odd://subscriptions'))).toContain('odd://watched');
  await second[Symbol.asyncDispose]();
  expect(JSON.parse(await read(scene.host, 'odd://subscriptions'))).toEqual(['odd://other']);
});

test('what is watched is watched again after the server was away, and may have changed meanwhile', async () => {
  await using scene = await openOffers({ [server]: script('odd-server.mjs') });
  const watching = await watch(scene, 'odd://watched');
  scene.server(server).start('user');
  await watching.next();
  expect(watching.received).toEqual(['odd://watched']);
  expect(JSON.parse(await read(scene.host, 'odd://subscriptions'))).toEqual(['odd://watched']);
});

test('a server of the new era tells both, its lists and what is watched, and what was kept is read anew', async () => {
  await using scene = await openOffers({ [server]: script('sdk-notes.mjs') });
  const lifecycle = scene.server(server);
  expect(await read(scene.host, 'note:///a')).toBe('version 1');
  await using watching = await watch(scene, 'note:///a');
  await callTool(lifecycle.connection!, { tool: 'touch', input: {} });
  await watching.next();
  expect(watching.received).toEqual(['note:///a']);
  expect(await read(scene.host, 'note:///a')).toBe('version 2');
  // List changes are still reported: the newest subscription replaces the older one and covers the lists as well.
  const grown = scene.changed('tools');
  await callTool(lifecycle.connection!, { tool: 'grow', input: {} });
  await grown;
  expect(lifecycle.catalog.tools.map(({ name }) => name)).toContain('another');
});

test('a server that does not tell is not asked to', async () => {
  await using scene = await openOffers({ [server]: script('../host/journal-server.mjs') });
  const answer = await scene.host.watchResource({ server, uri: 'x://y' }, () => {});
  expect(answer).toMatchObject({ ok: false, error: { code: 'unsupported' } });
  expect(await scene.host.watchResource({ server: 'od', uri: 'x://y' }, () => {})).toMatchObject({
    ok: false,
    error: { code: 'unknown-server', hint: 'Did you mean "odd"?' },
  });
});
