import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import type { HostError } from '../../src/base/errors.js';
import { dial } from '../../src/edge/network/dial.js';
import type { Route } from '../../src/edge/network/route.js';
import { openClient } from '../../src/transports/http/http-fixtures.js';
import { HOST, openPlainServer, openRaw, routeTo } from './network-fixtures.js';

const PUBLIC = '93.184.215.14';
const HERE = '127.0.0.1';

type Answer = string | readonly string[] | { readonly code: string };

/** A DNS lookup that returns these answers in turn, and then the last one for ever. */
function lookupInTurn(...answers: readonly Answer[]): LookupFunction & { count: () => number } {
  let count = 0;
  const lookup: LookupFunction = (_name, { all }, callback) => {
    const answer = answers[Math.min(count++, answers.length - 1)]!;
    if (typeof answer === 'object' && 'code' in answer) return callback(Object.assign(new Error('dns'), answer), []);
    const list = [answer].flat().map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
    return all === true ? callback(null, list) : callback(null, list[0]!.address, list[0]!.family);
  };
  return Object.assign(lookup, { count: () => count });
}

/** One lookup, as for a connection, without opening one. */
function ask(route: Route): Promise<string | LookupAddress[]> {
  return new Promise((resolve, reject) => {
    route.lookup(HOST, { all: true }, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

test.each([
  [HERE, 'loopback'],
  ['::1', 'loopback'],
  ['10.0.0.5', 'private'],
  ['192.168.1.1', 'private'],
  ['fd12::1', 'private'],
  ['169.254.7.7', 'link-local'],
  ['::ffff:10.0.0.5', 'private'],
])('F36: a public name that flips to %s is refused, and no byte is sent there', async (address, kind) => {
  const server = await openPlainServer();
  const route = await routeTo(server.url, { lookup: lookupInTurn(PUBLIC, address) });
  await ask(route);
  const client = openClient(server.url, { route });
  const error = await client.failure();
  expect([error.code, error.message]).toEqual([
    'url-refused',
    `Server "x" is not called: the address of ${HOST} changed from public to ${kind} (${address})`,
  ]);
  await client.failure();
  expect(server.connections()).toBe(0);
});

test('F36: what flips in the middle of a list is left out, and the rest is used', async () => {
  const route = await routeTo(`http://${HOST}`, { lookup: lookupInTurn(PUBLIC, [HERE, PUBLIC, '10.0.0.1']) });
  await ask(route);
  expect(await ask(route)).toEqual([{ address: PUBLIC, family: 4 }]);
});

test('F36: whoever asks for one address gets one that was checked', async () => {
  const route = await routeTo(`http://${HOST}`, { lookup: lookupInTurn(['169.254.169.254', '10.0.0.1']) });
  const answer = await new Promise((resolve) => {
    route.lookup(HOST, {}, (error, address, family) => resolve([error, address, family]));
  });
  expect(answer).toEqual([null, '10.0.0.1', 4]);
});

test('F36: a name that was private from the start may stay so, and may move out', async () => {
  const route = await routeTo(`http://${HOST}`, { lookup: lookupInTurn('10.0.0.1', '10.0.0.2', PUBLIC, HERE) });
  for (const address of ['10.0.0.1', '10.0.0.2', PUBLIC]) expect(await ask(route)).toEqual([{ address, family: 4 }]);
  await expect(ask(route)).rejects.toThrow('changed from private to loopback');
});

test('F36: a name of this machine leads to this machine or nowhere', async () => {
  const server = await openPlainServer();
  const url = `http://app.localhost:${server.port}/mcp`;
  const error = await openClient(url, { route: await routeTo(url, { lookup: lookupInTurn(PUBLIC) }) }).failure();
  expect(error.message).toBe(
    `Server "x" is not called: the address of app.localhost changed from loopback to public (${PUBLIC})`,
  );
});

test.each(['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '0.0.0.0', '::'])(
  'F36: a name that leads to %s is refused from the start',
  async (address) => {
    const route = await routeTo(`http://${HOST}`, { lookup: lookupInTurn(address) });
    const error = await openClient(`http://${HOST}/mcp`, { route }).failure();
    expect([error.code, error.message]).toEqual([
      'url-refused',
      `Server "x" is not called: ${HOST} resolves to ${address}, an unspecified address or a cloud service for credentials`,
    ]);
  },
);

test('F36: the address that was checked is the one that is called: nothing is looked up twice', async () => {
  const server = await openPlainServer();
  const lookup = lookupInTurn(HERE, '169.254.169.254');
  const client = openClient(server.url, { route: await routeTo(server.url, { lookup }) });
  for (let count = 0; count < 3; count++) expect(await client.call({ count })).toEqual({ echo: { count } });
  expect([lookup.count(), server.connections()]).toEqual([1, 1]);
});

test('F36: a proxy is asked to resolve the name, and only its own is looked up here', async () => {
  const names: string[] = [];
  const lookup: LookupFunction = (name, _options, callback) => {
    names.push(name);
    callback(null, [{ address: HERE, family: 4 }]);
  };
  const proxy = await openRaw((socket) => void socket.once('data', () => socket.end('HTTP/1.1 502 No\r\n\r\n')));
  const env = { HTTPS_PROXY: `http://proxy.test:${proxy.port}` };
  await openClient(`https://${HOST}/mcp`, { route: await routeTo(`https://${HOST}`, { lookup, env }) }).failure();
  expect(names).toEqual(['proxy.test']);
});

test.each([
  ['ENOTFOUND', `cannot be found: there is no host ${HOST} (ENOTFOUND)`],
  ['EAI_NODATA', `cannot be found: there is no host ${HOST} (EAI_NODATA)`],
  ['EAI_AGAIN', `cannot be looked up: DNS does not answer for ${HOST} (EAI_AGAIN)`],
])('F36: a lookup that fails with %s is told in words', async (code, text) => {
  const route = await routeTo(`http://${HOST}`, { lookup: lookupInTurn({ code }) });
  const error = await openClient(`http://${HOST}/mcp`, { route }).failure();
  expect([error.code, error.message]).toEqual(['connect-failed', `Server "x" ${text}`]);
  expect(error.hint).toBeDefined();
});

test('F36: a name without an address is no host', async () => {
  const route = await routeTo(`http://${HOST}`, { lookup: lookupInTurn([]) });
  const error = await openClient(`http://${HOST}/mcp`, { route }).failure();
  expect(error.message).toContain(`there is no host ${HOST}`);
});

test('F36: DNS that never answers is given up in time, by name', async () => {
  const route = await routeTo(`http://${HOST}`, { lookup: () => {} });
  const dialled = dial(new URL(`http://${HOST}`), { route, label: 'Server "x"', timeoutMs: 50 });
  const error = await dialled.then(String, (failure: HostError) => failure);
  expect(error).toMatchObject({
    code: 'connect-failed',
    message: `Server "x" cannot be looked up: DNS does not answer for ${HOST} within 50 ms`,
  });
});

test('F36: DNS that comes back makes the next call work', async () => {
  const server = await openPlainServer();
  const lookup = lookupInTurn({ code: 'EAI_AGAIN' }, HERE);
  const client = openClient(server.url, { route: await routeTo(server.url, { lookup }) });
  await client.failure();
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
});
