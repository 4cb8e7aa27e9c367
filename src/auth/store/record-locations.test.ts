import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import {
  KEY,
  openStoreScene,
  save,
  signedIn,
  type StoreScene,
  ToldKeychain,
  tokenOf,
} from '../../../test/auth/store-scene.js';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import type { OpenedCredentialStore } from './open-credential-store.js';

interface Homes extends StoreScene {
  readonly keychain: ToldKeychain;
  readonly clock: FakeClock;
  /** Another program that uses the same folder and keychain. */
  next(): OpenedCredentialStore;
}

function openHomes(limit?: number): Homes {
  const scene = openStoreScene();
  const keychain = new ToldKeychain(limit);
  const clock = new FakeClock();
  return { ...scene, keychain, clock, next: () => scene.open({ keychain, clock }) };
}

/** The token in the file, and in the keychain. */
function homesOf({ file, keychain }: Homes): { file: string | undefined; keychain: string | undefined } {
  const [entry] = keychain.entries.values();
  return { file: existsSync(file) ? tokenIn(readFileSync(file, 'utf8')) : undefined, keychain: tokenIn(entry) };
}

function tokenIn(text: string | undefined): string | undefined {
  return text === undefined ? text : (JSON.parse(text) as { tokens: { accessToken: string } }).tokens.accessToken;
}

test('where there is a keychain the tokens are in it, and in no file', async () => {
  const homes = openHomes();
  await save(homes.next(), 'one');
  expect(homesOf(homes)).toEqual({ file: undefined, keychain: 'one' });
  expect(readdirSync(homes.folder)).toEqual([basename(homes.marker)]);
  expect(readFileSync(homes.marker, 'utf8')).not.toContain('one');
  expect(tokenOf(await homes.next().load(KEY))).toBe('one');
  await homes.next().alone(KEY, (held) => held.remove());
  expect(homes.keychain.entries.size).toBe(0);
  expect(readdirSync(homes.folder)).toEqual([]);
  expect(homes.problems).toEqual([]);
});

test('for somebody who never signed in the keychain is not asked', async () => {
  const homes = openHomes();
  expect(await homes.next().load(KEY)).toBeUndefined();
  expect(homes.keychain.asked).toBe(0);
});

test('two folders share a keychain and no sign-in: each has a lock of its own', async () => {
  const [one, two] = [openHomes(), openHomes()];
  await save(one.open({ keychain: one.keychain }), 'one');
  await save(two.open({ keychain: one.keychain }), 'two');
  expect(one.keychain.entries.size).toBe(2);
  expect(tokenOf(await one.next().load(KEY))).toBe('one');
});

test.each(['locked', 'absent'] as const)(
  'with a keychain that is %s the file has them, and the user is told once',
  async (mood) => {
    const homes = openHomes();
    homes.keychain.mood = mood;
    const store = homes.next();
    await save(store, 'one');
    await homes.clock.pass(60_000);
    await save(store, 'two');
    expect(homesOf(homes)).toEqual({ file: 'two', keychain: undefined });
    expect(readdirSync(homes.folder)).toEqual([basename(homes.file)]);
    expect(homes.problems).toEqual([
      expect.stringContaining(`Sign-ins are kept in ${homes.folder}, readable by you alone`),
    ]);
    expect(tokenOf(await homes.next().load(KEY))).toBe('two');
  },
);

test('with a keychain that never answers a sign-in is saved after 2 s, and the next ones at once', async () => {
  const homes = openHomes();
  homes.keychain.mood = 'silent';
  const store = homes.next();
  const saved = save(store, 'one');
  while (homes.keychain.asked === 0) await turn();
  await homes.clock.pass(2_000);
  expect(await saved).toMatchObject({ revision: 1 });
  await save(store, 'two');
  expect(homes.keychain.asked).toBe(1);
  expect(homesOf(homes)).toEqual({ file: 'two', keychain: undefined });
  expect(homes.problems).toEqual([expect.stringContaining('did not answer within 2000 ms')]);
});

test('tokens move from the file to the keychain when it works again, and the copy in the file goes', async () => {
  const homes = openHomes();
  homes.keychain.mood = 'locked';
  await save(homes.next(), 'one');
  homes.keychain.mood = 'works';
  expect(tokenOf(await homes.next().load(KEY))).toBe('one');
  expect(homes.keychain.asked).toBe(1);
  expect(await save(homes.next(), 'two')).toMatchObject({ revision: 2 });
  expect(homesOf(homes)).toEqual({ file: undefined, keychain: 'two' });
});

test('a sign-in in a keychain that is locked is not lost: nobody is sent to sign in again', async () => {
  const homes = openHomes();
  await save(homes.next(), 'one');
  homes.keychain.mood = 'locked';
  const wanted = {
    code: 'sign-in-failed',
    message: expect.stringMatching(
      /^The sign-in for https:\/\/mcp\.example\.com\/v1 as work is in the keychain, which is locked/u,
    ),
    hint: expect.stringContaining('Unlock the keychain'),
    detail: { kind: 'oauth', isTransient: true },
  };
  const store = homes.next();
  await expect(store.load(KEY)).rejects.toMatchObject(wanted);
  await expect(save(store, 'two')).rejects.toMatchObject(wanted);
  await expect(store.alone(KEY, (held) => held.remove())).rejects.toMatchObject(wanted);
  homes.keychain.mood = 'works';
  await homes.clock.pass(30_000);
  expect(tokenOf(await store.load(KEY))).toBe('one');
});

test('tokens that a keychain takes no longer, once it has been read, go to the file, and that copy holds', async () => {
  const homes = openHomes();
  await save(homes.next(), 'one');
  await homes.next().alone(KEY, async (held) => {
    homes.keychain.mood = 'locked';
    expect(await held.save(signedIn('two'))).toMatchObject({ revision: 2 });
  });
  expect(homesOf(homes)).toEqual({ file: 'two', keychain: 'one' });
  expect(tokenOf(await homes.next().load(KEY))).toBe('two'); // although the keychain is locked
  homes.keychain.mood = 'works';
  expect(tokenOf(await homes.next().load(KEY))).toBe('two');
  expect(await save(homes.next(), 'three')).toMatchObject({ revision: 3 });
  expect(homesOf(homes)).toEqual({ file: undefined, keychain: 'three' });
});

test('PLUGBOARD_KEYCHAIN=off is the way out of a keychain that is gone, and what was in it never comes back', async () => {
  const homes = openHomes();
  for (const token of ['one', 'two', 'three']) await save(homes.next(), token);
  homes.keychain.mood = 'absent';
  const off = homes.open({ keychain: homes.keychain, env: { PLUGBOARD_KEYCHAIN: 'off' } });
  const asked = homes.keychain.asked;
  expect(await off.load(KEY)).toBeUndefined();
  expect(await save(off, 'four')).toMatchObject({ revision: 4 });
  expect(homes.keychain.asked).toBe(asked);
  expect(tokenOf(await homes.next().load(KEY))).toBe('four');
  homes.keychain.mood = 'works';
  expect(tokenOf(await homes.next().load(KEY))).toBe('four');
  await homes.next().alone(KEY, (held) => held.remove());
  expect(await homes.next().load(KEY)).toBeUndefined();
  expect(homes.keychain.entries.size).toBe(0);
});

test('signing out with the keychain turned off says that a copy may be left there', async () => {
  const homes = openHomes();
  await save(homes.next(), 'one');
  await homes.open({ keychain: 'off' }).alone(KEY, (held) => held.remove());
  expect(homes.problems).toEqual([expect.stringContaining('may still be in the keychain')]);
  expect(readdirSync(homes.folder)).toEqual([]);
});

test('signing out while the keychain says no is told, and can be done again', async () => {
  const homes = openHomes();
  await save(homes.next(), 'one');
  const refused = homes.next().alone(KEY, async (held) => {
    homes.keychain.mood = 'locked';
    await held.remove();
  });
  await expect(refused).rejects.toMatchObject({
    code: 'write-failed',
    message: expect.stringContaining('still in the keychain'),
  });
  homes.keychain.mood = 'works';
  expect(tokenOf(await homes.next().load(KEY))).toBe('one');
});

test('a record that is too long for the keychain of Windows goes to a file, and comes back when it is short', async () => {
  const homes = openHomes(2_560);
  const store = homes.next();
  await save(store, 'short');
  await save(store, 'x'.repeat(3_000));
  expect(homesOf(homes)).toEqual({ file: 'x'.repeat(3_000), keychain: undefined });
  expect(readdirSync(homes.folder)).toEqual([basename(homes.file)]);
  expect(homes.problems).toEqual([expect.stringContaining('takes 2560 bytes at most')]);
  await save(store, 'brief');
  expect(homesOf(homes)).toEqual({ file: undefined, keychain: 'brief' });
});

test.each(['', '{"rev', 'null', '{"revision":"x"}'])('a marker with %j still leads to the keychain', async (text) => {
  const homes = openHomes();
  await save(homes.next(), 'one');
  writeFileSync(homes.marker, text, { mode: 0o600 });
  expect(tokenOf(await homes.next().load(KEY))).toBe('one');
  expect(await save(homes.next(), 'two')).toMatchObject({ revision: 2 });
});

test('nonsense in the keychain is told of, and replaced by the next sign-in', async () => {
  const homes = openHomes();
  await save(homes.next(), 'one');
  const [name] = homes.keychain.entries.keys();
  homes.keychain.entries.set(name!, '{"half');
  expect(await homes.next().load(KEY)).toBeUndefined();
  expect(homes.problems).toEqual([expect.stringContaining('in the keychain cannot be read: it is not complete JSON')]);
  await save(homes.next(), 'two');
  expect(tokenOf(await homes.next().load(KEY))).toBe('two');
});

test('tokens that move to the file while the keychain is asked for them are found there', async () => {
  const homes = openHomes();
  await save(homes.next(), 'one');
  homes.keychain.meanwhile = async () => {
    Object.assign(homes.keychain, { limit: 10 });
    await save(homes.next(), 'two');
  };
  expect(tokenOf(await homes.next().load(KEY))).toBe('two');
  expect(homesOf(homes)).toEqual({ file: 'two', keychain: undefined });
});

test('whoever reads while tokens move between the homes always finds them', async () => {
  const homes = openHomes();
  await save(homes.next(), '0');
  const done = new AbortController();
  const [reader, writer] = [homes.next(), homes.next()];
  const waiting: (() => void)[] = [];
  /** Waits for the reader's next read, so that it takes part however the two are scheduled. */
  const nextRead = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  const reading = (async () => {
    const seen = new Set<number>();
    while (!done.signal.aborted) {
      const found = await reader.load(KEY);
      if (!found) throw new Error('the sign-in was gone for a moment');
      seen.add(found.revision);
      for (const received of waiting.splice(0)) received();
      await turn();
    }
    return seen.size;
  })();
  for (let round = 1; round <= 60; round++) {
    // As a keychain with a low limit does: long records go to the file, short ones to the keychain.
    Object.assign(homes.keychain, { limit: round % 2 === 0 ? undefined : 10 });
    await save(writer, `${round}`);
    if (round % 10 === 0) await nextRead();
  }
  done.abort();
  expect(await reading).toBeGreaterThan(5);
});
