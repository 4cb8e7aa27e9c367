import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock, turn } from '../../test/fake-clock.js';
import { failure } from '../../test/peer-scene.js';
import { HostError } from '../base/errors.js';
import { Secret } from '../base/secret.js';
import { systemClock } from '../edge/clock.js';
import type { Clock } from '../model/clock.js';
import type { Credentials, CredentialsRefusal, RequestCredentials, Renewal } from '../model/credentials.js';
import { failureKindOf } from '../model/retries.js';
import { Peer } from '../wire/peer.js';
import type { PipeWarning } from '../wire/pipe.js';
import { openWithCredentials } from './credentials-pipe.js';
import {
  behaveOverHttp,
  rejectionCodeOf,
  openServer,
  httpResult,
  startEvents,
  type TestClient,
  type TestServer,
  handshakeClient,
  toSseEvent,
  type ReceivedRequest,
} from './http/http-fixtures.js';
import { openHttpPipe } from './http/http-pipe.js';
import { openPeer } from './peer-fixtures.js';

const SCOPE = 'Bearer error="insufficient_scope", scope="write"';

/** Scripted credentials that record every refusal they were asked to renew after. */
class ToldCredentials implements Credentials {
  readonly renewsAt = [401, 403];
  readonly hint = 'plugboard login x';
  readonly denials: CredentialsRefusal[] = [];
  presentings = 0;
  now: RequestCredentials | undefined;
  /** The results of the next `renew` calls, in order. */
  readonly next: (Renewal | Promise<Renewal>)[];
  onPresent: (() => Promise<RequestCredentials | undefined>) | undefined;

  constructor(first: RequestCredentials | undefined, ...next: (Renewal | Promise<Renewal>)[]) {
    this.now = first;
    this.next = next;
  }

  async present(): Promise<RequestCredentials | undefined> {
    this.presentings++;
    return this.onPresent ? this.onPresent() : this.now;
  }

  async renew(_refused: RequestCredentials | undefined, denial: CredentialsRefusal): Promise<Renewal> {
    this.denials.push(denial);
    return this.next.shift() ?? { kind: 'sign-in', hint: this.hint };
  }
}

function token(name: string, isFresh?: () => boolean): RequestCredentials {
  return { headers: { authorization: new Secret(`Bearer ${name}`) }, ...(isFresh && { isFresh }) };
}

/** A promise with its `resolve` function. */
function promised<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: ((value: Value) => void) | undefined;
  const promise = new Promise<Value>((keep) => (resolve = keep));
  return { promise, resolve: (value) => resolve?.(value) };
}

const renewed = (credentials: RequestCredentials): Renewal => ({ kind: 'renewed', presented: credentials });

async function open(url: string, credentials: Credentials, clock: Clock = systemClock): Promise<TestClient> {
  const pipe = await openWithCredentials({
    name: 'db',
    credentials,
    clock,
    open: async () => openHttpPipe({ name: 'x', url, clock }),
  });
  return handshakeClient(openPeer(pipe, clock), '2025-06-18');
}

const calls = ({ visits }: TestServer): ReceivedRequest[] =>
  visits.filter(({ message }) => message['method'] === 'tools/call');
const sentAs = (visit: ReceivedRequest): string | undefined => visit.headers.authorization?.replace('Bearer ', '');

function refuse(response: ServerResponse, status = 401, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end();
}

test.each([401, 403])(
  'a call that the server has begun is never made twice, though its answer cannot be picked up for HTTP %i',
  async (status) => {
    const server = await openServer((visit, response) => {
      if (visit.method === 'GET') return refuse(response, status);
      if (visit.message['method'] !== 'tools/call') return behaveOverHttp(visit, response);
      return void startEvents(response, 'retry: 1\nid: a\ndata:').end();
    });
    const credentials = new ToldCredentials(token('one'), renewed(token('two')));
    const client = await open(server.url, credentials);
    await client.shakeHands();
    const error = await client.failure();
    // The outcome of the call is unknown: no response has arrived.
    expect([error.code, failureKindOf(error)]).toEqual(['http-failed', 'cut']);
    expect(calls(server)).toHaveLength(1);
  },
);

test('an answer whose token expires on its way is picked up with another one', async () => {
  let asked: ReceivedRequest | undefined;
  const server = await openServer((visit, response) => {
    if (visit.method === 'GET') {
      if (sentAs(visit) === 'one') return refuse(response);
      return void startEvents(response, toSseEvent(httpResult(asked!), 'b')).end();
    }
    if (visit.message['method'] !== 'tools/call') return behaveOverHttp(visit, response);
    asked = visit;
    return void startEvents(response, 'retry: 1\nid: a\ndata:').end();
  });
  const credentials = new ToldCredentials(token('one'), renewed(token('two')));
  const client = await open(server.url, credentials);
  await client.shakeHands();
  expect(await client.call()).toEqual({ ok: true });
  expect([credentials.denials, calls(server).length]).toEqual([[{ status: 401 }], 1]);
});

test('a call that is let in with a newer token, and then lacks rights, says which', async () => {
  const server = await openServer((visit, response) => {
    if (visit.message['method'] !== 'tools/call') return behaveOverHttp(visit, response);
    return sentAs(visit) === 'two' ? refuse(response, 403, { 'www-authenticate': SCOPE }) : refuse(response);
  });
  const more: Renewal = { kind: 'sign-in', hint: 'plugboard login x --scope write' };
  const credentials = new ToldCredentials(token('one'), renewed(token('two')), more);
  const client = await open(server.url, credentials);
  expect(await client.failure()).toMatchObject({ code: 'unauthorized', hint: 'plugboard login x --scope write' });
  expect(credentials.denials).toEqual([{ status: 401 }, { status: 403, challenge: SCOPE }]);
  expect(calls(server).map(sentAs)).toEqual(['one', 'two']);
});

test('whatever a server refuses in turn, a call is made three times at most', async () => {
  let count = 0;
  const server = await openServer((visit, response) => {
    if (visit.message['method'] !== 'tools/call') return behaveOverHttp(visit, response);
    return refuse(response, count++ % 2 === 0 ? 401 : 403);
  });
  const endless = Array.from({ length: 9 }, (_, at) => renewed(token(`${at}`)));
  const client = await open(server.url, new ToldCredentials(token('one'), ...endless));
  expect(await client.failure()).toMatchObject({ code: 'unauthorized', hint: 'plugboard login x' });
  expect(calls(server)).toHaveLength(3);
});

test.each([
  ['before', ['nonce', 'old']],
  ['after', ['old', 'nonce']],
])('a token that has to be replaced and one that needs a nonce, %s that, are both seen to', async (_, refusals) => {
  const NONCE = 'DPoP error="use_dpop_nonce"';
  const left = [...refusals];
  const server = await openServer((visit, response) => {
    const why = visit.message['method'] === 'tools/call' ? left.shift() : undefined;
    if (why === undefined) return behaveOverHttp(visit, response);
    return refuse(response, 401, why === 'nonce' ? { 'www-authenticate': NONCE, 'dpop-nonce': 'n1' } : {});
  });
  const credentials = new ToldCredentials(token('one'), renewed(token('two')), renewed(token('three')));
  const client = await open(server.url, credentials);
  expect(await client.call({ n: 1 })).toEqual({ echo: { n: 1 } });
  expect(calls(server).map(sentAs)).toEqual(['one', 'two', 'three']);
  expect(credentials.denials).toContainEqual({ status: 401, challenge: NONCE, nonce: 'n1' });
});

test('a refusal of one call, for lack of rights, keeps no other from being answered', async () => {
  const server = await openServer((visit, response) => {
    const { admin } = (visit.message['params'] ?? {}) as { admin?: boolean };
    return admin === true ? refuse(response, 403, { 'www-authenticate': SCOPE }) : behaveOverHttp(visit, response);
  });
  const held = promised<Renewal>();
  const client = await open(server.url, new ToldCredentials(token('one'), held.promise));
  const refused = client.peer.request('tools/call', { admin: true });
  const code = rejectionCodeOf(refused);
  await server.until(({ message }) => message['method'] === 'tools/call');
  expect(await client.call({ n: 1 })).toEqual({ echo: { n: 1 } });
  held.resolve({ kind: 'sign-in', hint: 'more' });
  expect(await code).toBe('unauthorized');
  expect(calls(server)).toHaveLength(2);
});

test.each([1, 50, 2_000])(
  'a call of %i ms whose token is not replaced in time says that nothing was done, refused or not',
  async (timeoutMs) => {
    const server = await openServer((visit, response) => {
      if (visit.message['method'] === 'tools/call') refuse(response);
      else behaveOverHttp(visit, response);
    });
    const never = new Promise<never>(() => {});
    const clock = new FakeClock();
    let isFresh = true;
    const credentials = new ToldCredentials(
      token('one', () => isFresh),
      never,
    );
    const client = await open(server.url, credentials, clock);
    const late = { code: 'sign-in-failed', detail: { isTransient: true } };
    const refused = failure(client.peer.request('tools/call', {}, { timeoutMs }));
    while (credentials.denials.length === 0) await turn();
    await clock.pass(timeoutMs);
    expect(await refused).toMatchObject(late);
    isFresh = false;
    credentials.onPresent = () => never;
    const unsent = failure(client.peer.request('tools/call', {}, { timeoutMs }));
    await turn();
    await clock.pass(timeoutMs);
    expect(await unsent).toMatchObject(late);
    expect(calls(server)).toHaveLength(1);
  },
);

test('a request that lasts for ever waits for its token as long as it takes', async () => {
  const server = await openServer((visit, response) => {
    if (sentAs(visit) === 'one') refuse(response);
    else behaveOverHttp(visit, response);
  });
  const held = promised<Renewal>();
  const clock = new FakeClock();
  const credentials = new ToldCredentials(token('one'), held.promise);
  const client = await open(server.url, credentials, clock);
  const { answer } = client.peer.requestLasting('tools/call', { n: 1 });
  while (credentials.denials.length === 0) await turn();
  await clock.pass(1e9);
  held.resolve(renewed(token('two')));
  expect(await answer).toEqual({ echo: { n: 1 } });
});

test('what is about to expire is replaced once for all who ask meanwhile, and they are sent in their order', async () => {
  const server = await openServer(behaveOverHttp);
  const held = promised<RequestCredentials>();
  const credentials = new ToldCredentials(token('old', () => false));
  const client = await open(server.url, credentials);
  credentials.onPresent = () => held.promise;
  const answers = Array.from({ length: 20 }, (_, n) => client.call({ n }));
  const stop = new AbortController();
  const given = rejectionCodeOf(client.call({ n: 'given up' }, { signal: stop.signal }));
  stop.abort();
  expect(await given).toBe('cancelled');
  held.resolve(token('new', () => true));
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, (_, n) => ({ echo: { n } })));
  expect(credentials.presentings).toBe(2);
  expect(server.visits.map(({ message }) => message['method'])).toEqual(Array.from({ length: 20 }, () => 'tools/call'));
  expect(calls(server).map(sentAs)).toEqual(Array.from({ length: 20 }, () => 'new'));
});

test('what cannot be replaced is used as it is, and nobody is asked about it with every request', async () => {
  const server = await openServer(behaveOverHttp);
  const clock = new FakeClock();
  const credentials = new ToldCredentials(token('old', () => false));
  const client = await open(server.url, credentials, clock);
  for (let n = 0; n < 5; n++) expect(await client.call({ n })).toEqual({ echo: { n } });
  expect(credentials.presentings).toBe(2);
  await clock.pass(5_000);
  await client.call();
  expect(credentials.presentings).toBe(3);
});

test('a call that is refused with what was replaced before it expired costs no renewal', async () => {
  let release: (() => void) | undefined;
  const server = await openServer((visit, response) => {
    if (sentAs(visit) === 'old') release = () => refuse(response);
    else behaveOverHttp(visit, response);
  });
  let isFresh = true;
  const credentials = new ToldCredentials(token('old', () => isFresh));
  const client = await open(server.url, credentials);
  const slow = client.call({ n: 1 });
  await server.until(({ message }) => message['method'] === 'tools/call');
  isFresh = false;
  credentials.now = token('new');
  await client.call({ n: 2 });
  release!();
  expect(await slow).toEqual({ echo: { n: 1 } });
  expect([credentials.denials, calls(server).map(sentAs)]).toEqual([[], ['old', 'new', 'new']]);
});

test('two calls that lack rights are two matters', async () => {
  const server = await openServer((visit, response) => {
    const { scope } = visit.message['params'] as { scope: string };
    refuse(response, 403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` });
  });
  const credentials = new ToldCredentials(token('one'), { kind: 'sign-in', hint: 'a' }, { kind: 'sign-in', hint: 'b' });
  const client = await open(server.url, credentials);
  const ended = await Promise.all(['x', 'y'].map((scope) => failure(client.call({ scope }))));
  expect(new Set(ended.map(({ hint }) => hint))).toEqual(new Set(['a', 'b']));
  expect(new Set(credentials.denials.map(({ challenge }) => challenge?.slice(-3)))).toEqual(new Set(['"x"', '"y"']));
});

test('a stream that was given up is tried again with something else to say', async () => {
  const server = await openServer((visit, response) => {
    if (visit.method === 'GET') return sentAs(visit) === 'one' ? refuse(response, 403) : void startEvents(response);
    return sentAs(visit) === 'one' && visit.message['method'] === 'tools/call'
      ? refuse(response)
      : behaveOverHttp(visit, response);
  });
  const client = await open(server.url, new ToldCredentials(token('one'), renewed(token('two'))));
  await client.shakeHands();
  client.pipe.listen();
  await expect.poll(() => client.notes).toEqual([expect.stringContaining('stream-off')]);
  await client.call();
  expect(sentAs(await server.until(({ method }) => method === 'GET', 2))).toBe('two');
});

test('a stream that needs a nonce gets it, and one that needs a person says what to do', async () => {
  const NONCE = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n-1' };
  const server = await openServer((visit, response) => {
    if (visit.method !== 'GET') behaveOverHttp(visit, response);
    else refuse(response, 401, sentAs(visit) === 'one' ? NONCE : {});
  });
  const credentials = new ToldCredentials(token('one'), renewed(token('two')));
  const hints: (string | undefined)[] = [];
  const pipe = await openWithCredentials({
    name: 'db',
    credentials,
    clock: systemClock,
    open: async () => openHttpPipe({ name: 'x', url: server.url, clock: systemClock }),
  });
  const onWarning = ({ hint }: PipeWarning): void => void hints.push(hint);
  const peer = new Peer(pipe, { name: 'x', clock: systemClock, onWarning });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  pipe.listen();
  await expect.poll(() => hints).toEqual(['plugboard login x']);
  expect(credentials.denials).toEqual([
    { status: 401, challenge: NONCE['www-authenticate'], nonce: 'n-1' },
    { status: 401 },
  ]);
});

test('credentials that fail in a way that they must not fail one call, and nothing else', async () => {
  const server = await openServer((visit, response) => {
    if (visit.message['method'] === 'tools/call') refuse(response);
    else behaveOverHttp(visit, response);
  });
  const broken = Promise.reject(new Error('no such module'));
  broken.catch(() => {});
  const credentials = new ToldCredentials(
    token('one', () => false),
    broken,
  );
  const client = await open(server.url, credentials);
  credentials.onPresent = () => broken;
  expect(await client.failure()).toMatchObject({ code: 'internal' });
  expect(await client.peer.request('tools/list')).toEqual({});
});

test.each([
  ['lets in in the end', [401, 403], 'opened'],
  ['is never content', [401, 403, 401], 'plugboard login x'],
])(
  'a road that is refused while it is opened, by a server that %s, is tried once for each reason',
  async (_, statuses, end) => {
    const tried: (string | undefined)[] = [];
    const left = [...statuses];
    const credentials = new ToldCredentials(token('one'), renewed(token('two')), renewed(token('three')));
    const opening = openWithCredentials({
      name: 'db',
      credentials,
      clock: systemClock,
      async open(sentCredentials) {
        tried.push(sentCredentials?.headers['authorization']?.reveal());
        const status = left.shift();
        if (status !== undefined) throw new HostError('unauthorized', 'no', { detail: { kind: 'http', status } });
        return openHttpPipe({ name: 'x', url: 'http://127.0.0.1:1/', clock: systemClock });
      },
    });
    const ended = await opening.then(
      (pipe) => pipe[Symbol.asyncDispose]().then(() => 'opened'),
      ({ hint }: HostError) => hint,
    );
    expect([ended, tried]).toEqual([end, ['Bearer one', 'Bearer two', 'Bearer three']]);
  },
);
