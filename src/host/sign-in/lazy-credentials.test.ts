import { expect, test } from 'vitest';
import { Secret } from '../../base/secret.js';
import type { Credentials, RequestCredentials, Renewal } from '../../model/credentials.js';
import { LazyCredentials, type LazyCredentialsOptions } from './lazy-credentials.js';

const sentCredentials: RequestCredentials = { headers: { authorization: new Secret('Bearer a') } };

function known(renewal: Renewal): Credentials {
  return { hint: 'h', renewsAt: [401], present: async () => sentCredentials, renew: async () => renewal };
}

function late(options: Partial<LazyCredentialsOptions>): LazyCredentials {
  return new LazyCredentials({
    hint: 'h',
    renewsAt: [401],
    mayHaveCredentials: () => true,
    load: async () => known({ kind: 'sign-in', hint: 'h' }),
    ...options,
  });
}

test('those who need them together have them loaded once', async () => {
  let loads = 0;
  const credentials = late({
    async load() {
      loads++;
      return known({ kind: 'sign-in', hint: 'h' });
    },
  });
  await Promise.all([credentials.present(), credentials.renew(undefined, { status: 401 }), credentials.present()]);
  expect(loads).toBe(1);
});

test('what cannot be loaded has nothing to say, says why when it is refused, and is tried again', async () => {
  let isBroken = true;
  const credentials = late({
    async load() {
      if (isBroken) throw new Error('no such file');
      return known({ kind: 'renewed', presented: sentCredentials });
    },
  });
  expect(await credentials.present()).toBeUndefined();
  const renewal = await credentials.renew(undefined, { status: 401 });
  expect(renewal).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('no such file') } });
  isBroken = false;
  expect(await credentials.renew(undefined, { status: 401 })).toMatchObject({ kind: 'renewed' });
});

test('whether a person can sign in is said as it was given: not at all is another thing than no', () => {
  expect(late({}).canSignIn).toBeUndefined();
  expect(late({ canSignIn: false }).canSignIn).toBe(false);
  expect(late({ canSignIn: true }).canSignIn).toBe(true);
});
