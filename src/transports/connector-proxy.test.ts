import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { failure } from '../../test/peer-scene.js';
import { Secret } from '../base/secret.js';
import { systemClock } from '../edge/clock.js';
import { ProcessRegistry } from '../edge/processes/process-registry.js';
import { type Account, accountCredentials } from '../model/account.js';
import { Peer } from '../wire/peer.js';
import type { Pipe } from '../wire/pipe.js';
import { connectorProxy } from './connector-proxy.js';
import {
  behaveOverHttp,
  rejectionCodeOf,
  openServer,
  type TestServer,
  type ReceivedRequest,
} from './http/http-fixtures.js';

/** An account whose `renew` replaces the token with the next one in the list. */
interface TestAccount extends Account {
  readonly renewals: string[];
  current: string | undefined;
}

function account(first: string | undefined, ...next: readonly string[]): TestAccount {
  const rest = [...next];
  const renewals: string[] = [];
  const owner: TestAccount = {
    renewals,
    current: first,
    token: async () => (owner.current === undefined ? undefined : new Secret(owner.current)),
    async renew(refused) {
      renewals.push(refused.reveal());
      await new Promise((resolve) => setImmediate(resolve));
      owner.current = rest.shift() ?? owner.current;
      return owner.current === undefined || owner.current === refused.reveal() ? undefined : new Secret(owner.current);
    },
  };
  return owner;
}

/** A proxy that accepts these tokens. Its 401 repeats the Authorization header that it received. */
function openProxy(accepted: () => readonly string[]): Promise<TestServer> {
  return openServer((visit, response) => {
    const { authorization = '' } = visit.headers;
    if (accepted().includes(authorization.replace('Bearer ', ''))) return behaveOverHttp(visit, response);
    const error = { jsonrpc: '2.0', id: null, error: { code: -32001, message: `Who is ${authorization}?` } };
    return response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(error));
  });
}

interface OpenOptions {
  readonly account?: Account;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function open(proxyUrl: string, options: OpenOptions = {}): Promise<Peer> {
  return (await openBoth(proxyUrl, options)).peer;
}

async function openBoth(
  proxyUrl: string,
  { account: owner, headers = {}, signal }: OpenOptions,
): Promise<{ readonly pipe: Pipe; readonly peer: Peer }> {
  const secrets = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, new Secret(value)]));
  const pipe = await connectorProxy.open(
    { type: 'connector-proxy', url: 'https://never.asked.example/mcp', proxyUrl, headers: secrets },
    {
      name: 'Slack',
      clock: systemClock,
      env: {},
      platform: 'linux',
      cwd: '/',
      processes: new ProcessRegistry(),
      credentials: owner && accountCredentials(owner, 'renew settings.connectors.token'),
      signal,
    },
  );
  const peer = new Peer(pipe, { name: 'Slack', clock: systemClock });
  onTestFinished(async () => peer[Symbol.asyncDispose]());
  return { pipe, peer };
}

const tokens = ({ visits }: TestServer): (string | undefined)[] => visits.map(({ headers }) => headers.authorization);
const OLD = 'old-token-12345';
const NEW = 'new-token-67890';

test('calls go to the proxy, with the token of the account', async () => {
  const proxy = await openProxy(() => [OLD]);
  const peer = await open(`${proxy.url}?mcp_url=x`, { account: account(OLD) });
  expect(await peer.request('tools/call', { n: 1 })).toEqual({ echo: { n: 1 } });
  expect(proxy.visits.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/mcp?mcp_url=x', `Bearer ${OLD}`],
  ]);
});

test('100 calls at once on an expired token: one renewal, 100 answers, none asked more than twice', async () => {
  const proxy = await openProxy(() => [NEW]);
  const owner = account(OLD, NEW, 'one too many');
  const peer = await open(proxy.url, { account: owner });
  const calls = Array.from({ length: 100 }, (_, n) => peer.request('tools/call', { n }));
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 100 }, (_, n) => ({ echo: { n } })));
  expect(owner.renewals).toEqual([OLD]);
  const visits = new Map<unknown, (string | undefined)[]>();
  for (const { message, headers } of proxy.visits) {
    visits.set(message['id'], [...(visits.get(message['id']) ?? []), headers.authorization]);
  }
  expect(new Set([...visits.values()].map((sent) => sent.join()))).toEqual(new Set([`Bearer ${OLD},Bearer ${NEW}`]));
});

test('a call that was refused with a token which has been replaced meanwhile causes no renewal', async () => {
  let release: (() => void) | undefined;
  const proxy = await openServer((visit, response) => {
    const isOld = visit.headers.authorization === `Bearer ${OLD}`;
    if (!isOld) return behaveOverHttp(visit, response);
    const refuse = (): void => void response.writeHead(401).end();
    if ((visit.message['params'] as { slow?: boolean }).slow === true) release = refuse;
    else refuse();
    return undefined;
  });
  const owner = account(OLD, NEW, 'one too many');
  const peer = await open(proxy.url, { account: owner });
  const slow = peer.request('tools/call', { slow: true });
  await proxy.until(({ message }) => (message['params'] as { slow?: boolean }).slow === true);
  expect(await peer.request('tools/call', { n: 1 })).toEqual({ echo: { n: 1 } });
  release!();
  expect(await slow).toEqual({ echo: { slow: true } });
  expect(owner.renewals).toEqual([OLD]);
});

test('a token that stays refused ends as unauthorized, after one renewal, and is in no text', async () => {
  const proxy = await openProxy(() => []);
  const owner = account(OLD, NEW, 'one too many');
  const peer = await open(proxy.url, { account: owner });
  const error = await failure(peer.request('tools/call'));
  expect([error.code, error.message, error.hint]).toEqual([
    'unauthorized',
    'Server "Slack" answered HTTP 401: Who is ••••?',
    expect.stringContaining('settings.connectors.token'),
  ]);
  expect([owner.renewals, tokens(proxy)]).toEqual([[OLD], [`Bearer ${OLD}`, `Bearer ${NEW}`]]);
  expect(`${inspect(error, { depth: 9 })}${JSON.stringify(error)}`).not.toMatch(/token-\d/u);
});

test('where there is no other token, a call is sent once', async () => {
  const proxy = await openProxy(() => [NEW]);
  const owner = account(OLD);
  const peer = await open(proxy.url, { account: owner });
  const codes = await Promise.all([1, 2, 3].map(() => rejectionCodeOf(peer.request('tools/call'))));
  expect([codes, owner.renewals, proxy.visits.length]).toEqual([
    ['unauthorized', 'unauthorized', 'unauthorized'],
    [OLD],
    3,
  ]);
});

test('an account without a token is asked again when that matters', async () => {
  const proxy = await openProxy(() => [NEW]);
  const owner = account(undefined);
  const peer = await open(proxy.url, { account: owner });
  owner.current = NEW;
  expect(await rejectionCodeOf(peer.request('tools/call'))).toBe('fine');
  expect(tokens(proxy)).toEqual([undefined, `Bearer ${NEW}`]);
});

test('without an account nothing is said, and a refusal is one', async () => {
  const proxy = await openProxy(() => [OLD]);
  expect(await rejectionCodeOf((await open(proxy.url)).request('tools/call'))).toBe('unauthorized');
  expect(tokens(proxy)).toEqual([undefined]);
});

test('what is refused for another reason is not sent again', async () => {
  const proxy = await openServer((_, response) => void response.writeHead(403).end());
  const owner = account(OLD, NEW);
  expect(await rejectionCodeOf((await open(proxy.url, { account: owner })).request('tools/call'))).toBe('unauthorized');
  expect([owner.renewals, proxy.visits.length]).toEqual([[], 1]);
});

test('notes are sent again, too; one that stays refused says so', async () => {
  let accepted = [NEW];
  const proxy = await openProxy(() => accepted);
  const owner = account(OLD, NEW);
  const peer = await open(proxy.url, { account: owner });
  await Promise.all([peer.notify('notifications/one'), peer.notify('notifications/two')]);
  expect([owner.renewals, proxy.visits.length]).toEqual([[OLD], 4]);
  accepted = [];
  expect(await rejectionCodeOf(peer.notify('notifications/three'))).toBe('unauthorized');
});

test('a call that is given up during a renewal is not sent again, and the server hears nothing of it', async () => {
  const proxy = await openProxy(() => [NEW]);
  const stop = new AbortController();
  let renewed: ((token: Secret) => void) | undefined;
  const slow: Account = {
    token: async () => new Secret(OLD),
    renew: () => new Promise((resolve) => (stop.abort(), (renewed = resolve))),
  };
  const peer = await open(proxy.url, { account: slow });
  expect(await rejectionCodeOf(peer.request('tools/call', {}, { signal: stop.signal }))).toBe('cancelled');
  renewed!(new Secret(NEW));
  expect(await rejectionCodeOf(peer.request('tools/list'))).toBe('fine');
  const methods = proxy.visits.map(({ message }) => message['method']);
  expect(methods.filter((method) => method !== 'tools/list')).toEqual(['tools/call']);
});

test('closing the connection during a renewal sends nothing more', async () => {
  const proxy = await openProxy(() => [NEW]);
  let finish: ((token: Secret) => void) | undefined;
  let closing: Promise<void> | undefined;
  const peer: Peer = await open(proxy.url, {
    account: {
      token: async () => new Secret(OLD),
      renew: () => {
        closing = peer[Symbol.asyncDispose]();
        return new Promise((resolve) => (finish = resolve));
      },
    },
  });
  expect(await rejectionCodeOf(peer.request('tools/call'))).toBe('connection-closed');
  finish!(new Secret(NEW));
  await closing;
  expect(proxy.visits).toHaveLength(1);
});

test.each(['before', 'after'])(
  'a stream for what a server says unasked, refused %s a renewal, is opened again with the new token',
  async (when) => {
    let accepted = [OLD];
    let refuseStream: (() => void) | undefined;
    const proxy = await openServer((visit, response) => {
      const isKnown = accepted.includes(visit.headers.authorization?.replace('Bearer ', '') ?? '');
      if (isKnown) return behaveOverHttp(visit, response);
      const refuse = (): void => void response.writeHead(401).end();
      if (visit.method === 'GET' && when === 'after') refuseStream = refuse;
      else refuse();
      return undefined;
    });
    const { pipe, peer } = await openBoth(proxy.url, { account: account(OLD, NEW) });
    await peer.request('initialize');
    accepted = [NEW];
    pipe.listen();
    await proxy.until(isStream);
    await peer.request('tools/call');
    refuseStream?.();
    expect((await proxy.until(isStream, 2)).headers.authorization).toBe(`Bearer ${NEW}`);
  },
);

const isStream = ({ method }: ReceivedRequest): boolean => method === 'GET';

test.each(['two\nlines', 'a line break\n', 'nul\0', 'ключ'])(
  'a token that is no header, %j, is not sent',
  async (token) => {
    const proxy = await openProxy(() => [NEW]);
    const peer = await open(proxy.url, { account: account(token, NEW) });
    expect(await rejectionCodeOf(peer.request('tools/call'))).toBe('unauthorized');
    expect(tokens(proxy)).toEqual([undefined]);
  },
);

test('an account that does not answer holds up nobody who has given up', async () => {
  const proxy = await openProxy(() => []);
  const signal = AbortSignal.timeout(20);
  const silent: Account = { token: () => new Promise(() => {}), renew: () => new Promise(() => {}) };
  const { pipe } = await openBoth(proxy.url, { account: silent, signal });
  expect(await pipe.closed).toEqual({ kind: 'disposed' });
  expect(proxy.visits).toEqual([]);
});
