// F36 for sign-ins: host names that a server provides must resolve to public addresses, or to the server's own.
import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { type AuthFetchOptions, openAuthFetch } from '../../src/auth/auth-fetch.js';
import { namedHostLookup } from '../../src/auth/discovery/named-host-lookup.js';
import type { HostError } from '../../src/base/errors.js';
import { HOST, openTlsServer } from './network-fixtures.js';

const PUBLIC = '93.184.215.14';
const HERE = '127.0.0.1';

/** DNS lookups by name: each name returns its addresses in turn, and then the last one for ever. */
function lookupOf(names: Readonly<Record<string, readonly string[]>>): LookupFunction {
  const asked = new Map<string, number>();
  return (name, { all }, callback) => {
    const answers = names[name] ?? [];
    const turn = asked.get(name) ?? 0;
    asked.set(name, turn + 1);
    const address = answers[Math.min(turn, answers.length - 1)];
    if (address === undefined) return callback(Object.assign(new Error('dns'), { code: 'ENOTFOUND' }), []);
    const family = address.includes(':') ? 6 : 4;
    return all === true ? callback(null, [{ address, family }]) : callback(null, address, family);
  };
}

function open(names: Readonly<Record<string, readonly string[]>>, more: Partial<AuthFetchOptions> = {}) {
  const options = { label: 'Server "x"', env: {}, cwd: '/', server: new URL(`https://${HOST}/mcp`) };
  return openAuthFetch({ ...options, lookup: lookupOf(names), timeoutMs: 2_000, ...more });
}

const failureOf = (promise: Promise<unknown>): Promise<HostError | string> =>
  promise.then(
    () => 'it went well',
    (error: HostError) => error,
  );

test.each([HERE, '::1', '10.0.0.5', '169.254.7.7', 'fd12::1', '::ffff:10.0.0.5'])(
  'F36: a public server that names an authorization server at %s is not believed, and no byte is sent there',
  async (address) => {
    const trap = await openTlsServer();
    const ask = open({ [HOST]: [PUBLIC], 'as.test': [address] });
    for (const init of [{}, { method: 'POST', body: new URLSearchParams({ refresh_token: 'a secret' }) } as const]) {
      const error = await failureOf(ask(`https://as.test:${trap.port}/token`, init));
      expect(error).toMatchObject({ code: 'sign-in-failed', detail: { kind: 'oauth', isTransient: false } });
      expect(String(error)).toContain('as.test resolves to');
    }
    expect(trap.connections()).toBe(0);
  },
);

test('F36: a name that was public a moment ago is looked at again before every connection', async () => {
  const lookup = namedHostLookup(lookupOf({ [HOST]: [PUBLIC], 'as.test': [PUBLIC, HERE] }), {
    origins: [new URL(`https://${HOST}/mcp`)],
    label: 'Server "x"',
  });
  const ask = (): Promise<unknown> =>
    new Promise((resolve) => {
      lookup('as.test', { all: true }, (error, found) => resolve(error ?? found));
    });
  expect(await ask()).toEqual([{ address: PUBLIC, family: 4 }]);
  expect(await ask()).toMatchObject({ code: 'url-refused' });
});

test('F36: a server of this machine may name an authorization server of this machine', async () => {
  const trap = await openTlsServer();
  const ask = open({ [HOST]: [HERE], 'as.test': [HERE] });
  await failureOf(ask(`https://as.test:${trap.port}/token`, { method: 'POST', body: 'a=b' }));
  expect(trap.connections()).toBe(1);
});
