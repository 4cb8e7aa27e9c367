import { expect, test } from 'vitest';
import { HostError } from '../../src/base/errors.js';
import { openServer, sendJson } from '../../src/transports/http/http-fixtures.js';
import { FakeClock, turn } from '../fake-clock.js';
import { discovered, failing, initialized, meet, meetOverHttp, StandIn } from './stand-in.js';

async function outcome(server: StandIn): Promise<string> {
  try {
    await using connection = await meet({ server });
    return `${connection.session.era} ${connection.session.version}`;
  } catch (error) {
    return error instanceof HostError ? error.message : String(error);
  }
}

const answering = (probe: unknown, initialize: unknown = initialized): StandIn =>
  new StandIn(({ method }) =>
    method === 'server/discover' ? probe : method === 'initialize' ? initialize : { content: [] },
  );

test.each([
  ['a DiscoverResult', discovered, 'modern 2026-07-28'],
  [
    'versions of which one is known',
    { ...discovered, supportedVersions: ['2099-01-01', '2026-07-28'] },
    'modern 2026-07-28',
  ],
  ['only versions of the older kind', { ...discovered, supportedVersions: ['2025-11-25'] }, 'legacy 2025-11-25'],
  ['a result that is none', {}, 'legacy 2025-11-25'],
  ['method not found', failing(-32601), 'legacy 2025-11-25'],
  ['invalid params', failing(-32602), 'legacy 2025-11-25'],
  ['an error of its own', failing(-32000), 'legacy 2025-11-25'],
  ['a missing capability', failing(-32021), 'legacy 2025-11-25'],
  ['old versions only', failing(-32022, 'no', { supported: ['2025-11-25'] }), 'legacy 2025-11-25'],
  ['an unknown version and no list', failing(-32022), 'legacy 2025-11-25'],
])('a server that answers the question with %s is spoken to as %s', async (_, probe, expected) => {
  const server = answering(probe);
  expect(await outcome(server)).toBe(expected);
  expect(server.starts).toBe(1);
});

test('a server that names a version we know is asked once more in it', async () => {
  let asked = 0;
  const server = new StandIn(({ method }) =>
    method === 'server/discover' && asked++ === 0
      ? failing(-32022, 'no', { supported: ['2026-07-28'], requested: '2026-07-28' })
      : discovered,
  );
  expect(await outcome(server)).toBe('modern 2026-07-28');
  expect(server.methods()).toEqual(['server/discover', 'server/discover']);
});

test.each([
  ['-32022', failing(-32022, 'no', { supported: ['2099-01-01'] })],
  ['a DiscoverResult', { ...discovered, supportedVersions: ['2099-01-01'] }],
])('a server that speaks newer versions only says so by %s, and is not greeted', async (_, probe) => {
  const server = answering(probe);
  expect(await outcome(server)).toMatch(/2099-01-01|-32022/u);
  expect(server.methods()).not.toContain('initialize');
});

test('a server that complains in terms of the new era, and cannot be greeted either, is quoted', async () => {
  const server = answering(failing(-32021, 'needs sampling'), failing(-32601));
  expect(await outcome(server)).toContain('needs sampling');
});

test('a server that ends because of the question is opened once more, and greeted', async () => {
  const server: StandIn = new StandIn(({ method }) => {
    if (method === 'server/discover') server.close();
    return method === 'initialize' ? initialized : undefined;
  });
  expect(await outcome(server)).toBe('legacy 2025-11-25');
  expect(server.starts).toBe(2);
});

test('a server that is silent for 5 s is greeted as well, and its first yes counts', async () => {
  const clock = new FakeClock();
  const server = new StandIn(({ method }) => (method === 'initialize' ? initialized : undefined));
  const connecting = meet({ server, clock });
  await turn();
  await clock.pass(4_900);
  expect(server.methods()).toEqual(['server/discover']);
  await clock.pass(200);
  await using connection = await connecting;
  expect(connection.session.era).toBe('legacy');
  expect(server.starts).toBe(1);
  expect(server.methods()).not.toContain('notifications/cancelled');
});

test('a slow server of the new era is still found to be one when it refuses the greeting', async () => {
  const clock = new FakeClock();
  const server: StandIn = new StandIn(({ id, method }) => {
    if (method === 'initialize') {
      const question = server.received.find(({ method: asked }) => asked === 'server/discover');
      setImmediate(() => server.answer(question?.id, discovered));
      return failing(-32022);
    }
    return id === undefined ? undefined : void 0;
  });
  const connecting = meet({ server, clock });
  await turn();
  await clock.pass(5_100);
  await using connection = await connecting;
  expect(connection.session.era).toBe('modern');
});

test('an entry forces either era', async () => {
  const both = (): StandIn => answering(discovered);
  await using old = await meet({ server: both(), era: 'legacy' });
  expect(old.session.era).toBe('legacy');
  await expect(meet({ server: answering(failing(-32601)), era: 'modern' })).rejects.toThrow(/2026-07-28/u);
});

test('what was found out is used the next time, and mended when it no longer holds', async () => {
  const kept: string[] = [];
  const cachedEra = {
    get: () => ({ era: 'legacy', isFallback: false }) as const,
    set: ({ era }: { era: string }) => Promise.resolve(void kept.push(era)),
    delete: () => Promise.resolve(void kept.push('nothing')),
  };
  const old = answering(discovered);
  await using first = await meet({ server: old }, { cachedEra });
  expect(first.session.era).toBe('legacy');
  expect(old.methods()).not.toContain('server/discover');
  const updated = answering(discovered, failing(-32022, 'no', { supported: ['2026-07-28'] }));
  await using second = await meet({ server: updated }, { cachedEra });
  expect(second.session.era).toBe('modern');
  expect(kept).toEqual(['legacy', 'modern']);
});

test.each([
  ['says why', failing(-32099, 'closed on Sundays'), /closed on Sundays/u],
  ['dies of something', undefined, /closed its end|was lost/u],
])('a server of the new era alone that %s is quoted, not what it says to a greeting', async (_, probe, reason) => {
  const server: StandIn = new StandIn(({ method }) => {
    if (method === 'server/discover' && probe === undefined) server.close();
    return method === 'initialize' ? failing(-32022, 'not that', { supported: ['2026-07-28'] }) : probe;
  });
  expect(await outcome(server)).toMatch(reason);
});

test('a server that is silent to the question and refuses the greeting is quoted within seconds', async () => {
  const clock = new FakeClock();
  const server = new StandIn(({ method }) =>
    method === 'initialize' ? failing(-32000, 'licence expired') : undefined,
  );
  const connecting = meet({ server, clock }).catch((error: unknown) => error);
  await turn();
  await clock.pass(10_100);
  expect(await connecting).toMatchObject({ message: expect.stringContaining('licence expired') });
});

test.each([
  ['says nothing to a greeting', new Promise(() => {})],
  ['answers a greeting with what is none', {}],
  ['answers a greeting in the new version', { ...initialized, protocolVersion: '2026-07-28' }],
])('what was remembered is given up for a server that %s now', async (_, answer) => {
  const clock = new FakeClock();
  const kept: string[] = [];
  const cachedEra = {
    get: () => ({ era: 'legacy', isFallback: false }) as const,
    set: ({ era }: { era: string }) => Promise.resolve(void kept.push(era)),
    delete: () => Promise.resolve(void kept.push('nothing')),
  };
  const server = answering(discovered, answer);
  const connecting = meet({ server, clock }, { cachedEra });
  await turn();
  await clock.pass(6_000);
  await using connection = await connecting;
  expect(connection.session.era).toBe('modern');
  expect(kept.at(-1)).toBe('modern');
});

test('a server that only happens to fail is not taken for an old one for good', async () => {
  const kept: string[] = [];
  const cachedEra = {
    get: () => undefined,
    set: ({ era }: { era: string }) => Promise.resolve(void kept.push(era)),
    delete: () => Promise.resolve(),
  };
  const server = await openServer(({ method, message }, response) => {
    if (message['method'] === 'server/discover') response.writeHead(503).end();
    else if (message['method'] === 'initialize')
      sendJson(response, { jsonrpc: '2.0', id: message['id'], result: initialized });
    else response.writeHead(method === 'POST' ? 202 : 405).end();
  });
  await using connection = await meetOverHttp(server.url, {
    cachedEra,
  });
  expect(connection.session.era).toBe('legacy');
  expect(kept).toEqual([]);
});

test('a server that refuses the question at once and takes its time for the greeting gets that time', async () => {
  const clock = new FakeClock();
  const server = new StandIn(({ method }) => {
    if (method === 'server/discover') return failing(-32601);
    return new Promise(
      (resolve) => void clock.after(12_000, () => resolve(method === 'initialize' ? initialized : {})),
    );
  });
  const cachedEra = {
    get: () => ({ era: 'legacy', isFallback: false }) as const,
    set: () => Promise.resolve(),
    delete: () => Promise.resolve(),
  };
  const connecting = meet({ server, clock }, { cachedEra });
  await expect.poll(() => server.methods()).toContain('initialize');
  await clock.pass(13_000);
  await using connection = await connecting;
  expect(connection.session.era).toBe('legacy');
  expect(server.starts).toBe(1);
});

test('a server that is remembered and fails is started once', async () => {
  const cachedEra = {
    get: () => ({ era: 'legacy', isFallback: false }) as const,
    set: () => Promise.resolve(),
    delete: () => Promise.resolve(),
  };
  const server = answering(failing(-32601), failing(-32000, 'licence expired'));
  await expect(meet({ server }, { cachedEra })).rejects.toThrow(/licence expired/u);
  expect(server.starts).toBe(1);
});
