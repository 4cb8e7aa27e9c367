import { expect, test } from 'vitest';
import { ToldKeychain } from '../../../test/auth/store-scene.js';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import { BoundedKeychain } from './keychain.js';

interface Scene {
  readonly told: ToldKeychain;
  readonly clock: FakeClock;
  readonly keychain: BoundedKeychain;
}

function open(): Scene {
  const told = new ToldKeychain();
  const clock = new FakeClock();
  return { told, clock, keychain: new BoundedKeychain(told, clock) };
}

test('a keychain that never answers is given up after 2 s, and one that has answered before after 5 s', async () => {
  const { told, clock, keychain } = open();
  for (const [limit, pause] of [
    [2_000, 30_000],
    [5_000, 0],
  ] as const) {
    told.mood = 'silent';
    const outcome = Promise.allSettled([keychain.read('a')]);
    await turn();
    await clock.pass(limit - 1);
    expect(told.abandoned).toBe(limit === 2_000 ? 0 : 1);
    await clock.pass(1);
    const message = expect.stringContaining(`within ${limit} ms`);
    expect(await outcome).toMatchObject([{ reason: { trouble: 'slow', message } }]);
    expect(told.abandoned).toBe(limit === 2_000 ? 1 : 2);
    if (pause === 0) break;
    await clock.pass(pause);
    told.mood = 'works';
    expect(await keychain.read('a')).toBeUndefined();
  }
  expect(clock.timers).toBe(0);
});

test('a hundred that ask a silent keychain wait for it once, together', async () => {
  const { told, clock, keychain } = open();
  told.mood = 'silent';
  const all = Promise.allSettled(Array.from({ length: 100 }, (_, at) => keychain.read(`${at}`)));
  await turn();
  await clock.pass(2_000);
  expect((await all).every(({ status }) => status === 'rejected')).toBe(true);
  expect(told.asked).toBe(1);
});

test('a locked keychain is asked again half a minute later', async () => {
  const { told, clock, keychain } = open();
  await keychain.write('a', 'secret');
  told.mood = 'locked';
  await expect(keychain.read('a')).rejects.toMatchObject({ trouble: 'refused', message: /dismissed/u });
  told.mood = 'works';
  await expect(keychain.read('a')).rejects.toMatchObject({ trouble: 'refused' });
  expect(told.asked).toBe(2);
  await clock.pass(30_000);
  expect(await keychain.read('a')).toBe('secret');
  expect(await keychain.read('a')).toBe('secret');
});

test('a keychain that is not there is asked once in a run', async () => {
  const { told, clock, keychain } = open();
  told.mood = 'absent';
  await expect(keychain.read('a')).rejects.toMatchObject({ trouble: 'absent' });
  await clock.pass(86_400_000);
  await expect(keychain.remove('a')).rejects.toMatchObject({ trouble: 'absent' });
  expect(told.asked).toBe(1);
});
