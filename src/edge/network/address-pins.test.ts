import { isIP, type LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { pinAddresses } from './address-pins.js';

const PUBLIC = '93.184.216.34';
const OTHER_PUBLIC = '2606:2800:220:1::1';
const PRIVATE = '10.0.0.5';
const METADATA = '169.254.169.254';
const REFUSED = /^Server "db" is not called: /u;

/** Looks the name up once per answer, and checks each time the allowed addresses, or the error. */
async function check(
  answers: readonly (readonly string[])[],
  expected: readonly (readonly string[] | RegExp)[],
  hostname = 'db.example',
): Promise<void> {
  const rest = [...answers];
  const resolve: LookupFunction = (_hostname, _options, done) =>
    done(
      null,
      rest.shift()!.map((address) => ({ address, family: isIP(address) })),
    );
  const lookup = pinAddresses(resolve, { label: 'Server "db"' });
  for (const [index, one] of expected.entries()) {
    // A lookup of one address must return the first checked one.
    const isAll = index % 2 === 0;
    const found = await new Promise<readonly string[] | Error>((done) => {
      lookup(hostname, { all: isAll }, (error, address) =>
        done(error ?? (typeof address === 'string' ? [address] : address.map((each) => each.address))),
      );
    });
    const wanted = one instanceof RegExp ? one : exactly(isAll ? one : one.slice(0, 1));
    expect(found instanceof Error ? found.message : found.join(' ')).toMatch(wanted);
  }
}

function exactly(addresses: readonly string[]): RegExp {
  return new RegExp(`^${addresses.join(' ').replaceAll('.', String.raw`\.`)}$`, 'u');
}

test.each([
  [[PUBLIC, PRIVATE]],
  [[PRIVATE, PUBLIC]],
  [[PRIVATE, '192.168.1.1', PUBLIC, '127.0.0.1']],
  [['::1', PUBLIC]],
  [['::ffff:10.0.0.5', PUBLIC]],
  [[PUBLIC, 'fe80::1%eth0']],
])('of a name that is at %j only what is public is connected to, now and later', async (both) => {
  await check([both, both, both], [[PUBLIC], [PUBLIC], [PUBLIC]]);
  const within = both.filter((address) => address !== PUBLIC);
  await check([both, within, within, both], [[PUBLIC], REFUSED, /changed from public to /u, [PUBLIC]]);
});

test('a public name may move in public, and not from there into this network or machine', async () => {
  await check(
    [[PUBLIC], [OTHER_PUBLIC], [PRIVATE], ['127.0.0.1'], [PUBLIC]],
    [[PUBLIC], [OTHER_PUBLIC], /from public to private \(10\.0\.0\.5\)$/u, /from public to loopback/u, [PUBLIC]],
  );
});

test('a name of this network may stay there or go public, and not into this machine', async () => {
  await check(
    [[PRIVATE], ['192.168.1.1'], [PUBLIC], ['127.0.0.1'], [PRIVATE, '127.0.0.1']],
    [[PRIVATE], ['192.168.1.1'], [PUBLIC], /from private to loopback/u, [PRIVATE]],
  );
});

test('a name of this machine stays in it, whatever it resolves to first', async () => {
  await check([['127.0.0.1'], [PUBLIC], [PRIVATE, '::1']], [['127.0.0.1'], REFUSED, ['::1']], 'db.localhost');
  await check([[PUBLIC]], [/from loopback to public/u], 'localhost');
  await check([['127.0.0.1'], [PUBLIC]], [['127.0.0.1'], /from loopback to public/u]);
});

test('no name leads to where clouds keep credentials, or to no host at all; an address that is written out does', async () => {
  const forbidden = /resolves to 169\.254\.169\.254, an unspecified address or a cloud service for credentials$/u;
  await check([[METADATA], [METADATA, PUBLIC], [METADATA]], [forbidden, [PUBLIC], forbidden]);
  await check([['0.0.0.0'], ['::'], ['::ffff:169.254.169.254']], [REFUSED, REFUSED, REFUSED]);
  await check([[METADATA]], [[METADATA]], METADATA);
});

test('sixteen addresses of a name are looked at', async () => {
  const many = Array.from({ length: 20 }, (_, at) => `93.184.216.${at + 1}`);
  await check([many], [many.slice(0, 16)]);
  await check([[...Array.from({ length: 16 }, () => PRIVATE), PUBLIC]], [Array.from({ length: 16 }, () => PRIVATE)]);
});

test('a name without an address, and one that cannot be looked up, fail as they would without any check', async () => {
  await check([[]], [/^no address for db\.example$/u]);
  const found = await new Promise((done) => {
    pinAddresses(fail, { label: 'x' })('db.example', {}, (error) => done(error));
  });
  expect(found).toMatchObject({ message: 'no network' });
});

const fail: LookupFunction = (_hostname, _options, done) => done(new Error('no network'), []);
