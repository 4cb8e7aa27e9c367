import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { SEALED_LIMIT, Seals } from './seal.js';

const secret = randomBytes(32);
const value = { sid: 'a', capabilities: ['roots'], name: 'Zoë' };

test('an instance with the same secret opens what another one sealed', () => {
  const sealed = new Seals([secret]).seal('session', value);
  expect(sealed).toMatch(/^[\w-]+$/u);
  expect(new Seals([secret]).open('session', sealed)).toEqual(value);
  expect(new Seals([randomBytes(32)]).open('session', sealed)).toBeUndefined();
});

test('a value of one purpose never opens as another', () => {
  const seals = new Seals([secret]);
  for (const purpose of ['state', 'task', 'cursor', 'connect', 'hop'] as const)
    expect(seals.open(purpose, seals.seal('session', value))).toBeUndefined();
});

test('nothing that was forged, cut, lengthened or written in another way is opened', () => {
  const seals = new Seals([secret]);
  const sealed = seals.seal('state', value);
  const bytes = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    expect(seals.open('state', changed.toString('base64url'))).toBeUndefined();
    expect(seals.open('state', bytes.subarray(0, at).toString('base64url'))).toBeUndefined();
  }
  const others = [
    '',
    'x',
    `${sealed}!`,
    ` ${sealed}`,
    `${sealed}=`,
    `${sealed}A`,
    bytes.toString('base64'),
    sealed.slice(1),
  ];
  for (const text of others.filter((other) => other !== sealed)) expect(seals.open('state', text)).toBeUndefined();
  // The last character has bits that no byte needs: with others it would be a second text of the same value.
  const twins = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    .split('')
    .filter((last) => seals.open('state', sealed.slice(0, -1) + last) !== undefined);
  expect(twins).toEqual([sealed.at(-1)]);
});

test('what is too long is not even decoded', () => {
  const seals = new Seals([secret]);
  expect(seals.open('state', seals.seal('state', { text: 'x'.repeat(SEALED_LIMIT) }))).toBeUndefined();
  expect(seals.open('state', 'A'.repeat(SEALED_LIMIT + 1))).toBeUndefined();
});

test('while a secret is replaced both open and the first one seals', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const before = new Seals([older]).seal('session', value);
  const rotating = new Seals([newer, older]);
  expect(rotating.open('session', before)).toEqual(value);
  expect(new Seals([newer]).open('session', rotating.seal('session', value))).toEqual(value);
  expect(new Seals([newer]).open('session', before)).toBeUndefined();
});

test('texts and bytes come back as bytes, and only objects as objects', () => {
  const seals = new Seals([secret]);
  const text = seals.seal('cursor', 'Zoë');
  expect(seals.openBytes('cursor', text)?.toString()).toBe('Zoë');
  expect(seals.open('cursor', text)).toBeUndefined();
  expect(seals.openBytes('cursor', seals.seal('cursor', new Uint8Array()))).toHaveLength(0);
  expect(seals.open('cursor', seals.seal('cursor', '[1]'))).toBeUndefined();
});

test('a cursor is the same text on every instance, a state never is', () => {
  const [one, other] = [new Seals([secret]), new Seals([secret])];
  expect(one.sealStable('cursor', value)).toBe(other.sealStable('cursor', value));
  expect(one.sealStable('cursor', value)).not.toBe(one.sealStable('cursor', { ...value, sid: 'b' }));
  expect(one.open('cursor', other.sealStable('cursor', value))).toEqual(value);
  expect(one.seal('state', value)).not.toBe(one.seal('state', value));
});

test('a session id of all that it may hold stays below 1 KB', () => {
  const session = {
    v: 1,
    sid: randomBytes(16).toString('base64url'),
    principal: randomBytes(16).toString('base64url'),
    name: 'n'.repeat(64),
    version: 'v'.repeat(64),
    capabilities: 'elicitation.form elicitation.url sampling.tools sampling.context roots tasks',
    extensions: ['io.modelcontextprotocol/tasks', 'io.modelcontextprotocol/ui', 'io.modelcontextprotocol/skills'],
    revision: '2025-11-25',
    issued: 1_796_000_000,
    instance: 'a1b2c3d4',
  };
  expect(new Seals([secret]).seal('session', session).length).toBeLessThan(1_000);
});

test.each([[[]], [[randomBytes(31)]], [[secret, secret, secret]]])(
  'refuses secrets that are too short or too many',
  (secrets) => {
    expect(() => new Seals(secrets)).toThrow(/secret for seals/u);
  },
);
