import { format, inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { MASK, Secret } from './secret.js';

const VALUE = 'hunter2';

describe('a secret shows its mask, whichever way it is printed', () => {
  const secret = new Secret(VALUE);
  test.each<[how: string, shown: string]>([
    ['a template', `[${secret as unknown as string}]`],
    ['String()', String(secret)],
    ['concatenation', 'x' + secret],
    ['join', [secret, secret].join(',')],
    ['JSON', JSON.stringify({ secret, list: [secret] })],
    ['inspect', inspect(secret)],
    ['inspect of everything', inspect({ deep: { secret } }, { depth: null, showHidden: true, getters: true })],
    ['inspect of a map', inspect(new Map([['a', secret]]))],
    ['format %s', format('%s', secret)],
    ['format %o %O %j', format('%o %O %j', secret, secret, { secret })],
    ['an error’s message', new Error(`no ${secret as unknown as string}`).message],
    ['an error’s cause', inspect(new Error('x', { cause: { secret } }))],
  ])('%s', (_, shown) => {
    expect(shown).not.toContain(VALUE);
    expect(shown).toContain(MASK);
  });

  test('it has no field that could be read or copied by chance', () => {
    expect(Object.keys(secret)).toEqual([]);
    expect(Reflect.ownKeys(secret)).toEqual([]);
    expect(JSON.stringify(Object.assign({}, secret))).toBe('{}');
    expect(JSON.stringify(structuredClone({ secret }))).not.toContain(VALUE);
  });

  test('it is revealed where it is asked for', () => {
    expect(secret.reveal()).toBe(VALUE);
    expect(new Secret('').reveal()).toBe('');
  });
});
