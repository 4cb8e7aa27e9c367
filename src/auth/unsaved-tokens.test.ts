import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.js';
import { HostError } from '../base/errors.js';
import type { CredentialsRefusal } from '../model/credentials.js';
import {
  newFolder,
  openIssuer,
  openProgram,
  type TestProgram,
  signInAs,
  storeIn,
  targetAt,
  type TestIssuer,
  tokenOf,
  visit,
} from './auth-fixtures.js';
import type { CredentialStore } from './store/credential-store.js';
import type { OAuthCredentials } from './oauth-credentials.js';
import type { SignInTarget } from './sign-in-target.js';

const REFUSED: CredentialsRefusal = { status: 401, challenge: 'Bearer error="invalid_token"' };

interface Scene extends TestProgram {
  readonly issuer: TestIssuer;
  readonly target: SignInTarget;
  readonly credentials: OAuthCredentials;
  readonly clock: FakeClock;
  readonly folder: string;
  /** A second program over the same folder, whose disk has room. */
  readonly another: () => OAuthCredentials;
}

/** A program that has signed in, on this disk. */
async function openScene(disk: Disk = fillable()): Promise<Scene> {
  const issuer = await openIssuer();
  const folder = newFolder();
  const clock = new FakeClock();
  const target = targetAt(issuer);
  const program = openProgram(disk.wrap(storeIn(folder)), { clock });
  await signInAs(program, target);
  const another = (): OAuthCredentials => openProgram(storeIn(folder), { clock }).signIns.credentialsFor(target);
  return { ...program, issuer, target, clock, folder, credentials: program.signIns.credentialsFor(target), another };
}

test('new tokens are used though the disk is full, the user is told once, and they are saved when there is room', async () => {
  const disk = fillable();
  const { credentials, issuer, problems, clock, folder, target } = await openScene(disk);
  disk.fill(true);
  for (let round = 0; round < 3; round++) {
    const sent = await credentials.present();
    issuer.forgetAccess();
    const renewal = await credentials.renew(sent, REFUSED);
    expect(renewal.kind === 'renewed' && issuer.accepts(renewal.presented)).toBe(true);
    await clock.pass(60_000);
  }
  expect(issuer.asked('refresh_token')).toHaveLength(3);
  expect(problems).toEqual([
    'The sign-in to "db" could not be saved and lasts only until this program ends: no space left on the disk',
  ]);
  disk.fill(false);
  const sent = await credentials.present();
  issuer.forgetAccess();
  const renewal = await credentials.renew(sent, REFUSED);
  const kept = await storeIn(folder).load({ server: target.url, account: '' });
  expect(tokenOf(renewal)).toBe(`Bearer ${kept?.tokens?.accessToken.reveal()}`);
});

test('a sign-in for which not even the lock fits on the disk holds, whatever another program kept before', async () => {
  const { another, issuer, folder, target, clock } = await openScene();
  const disk = fillable();
  const late = openProgram(disk.wrap(storeIn(folder)), { clock });
  const signIn = await late.signIns.begin(target);
  // Another program refreshes the record that is to be replaced, and then the disk is full.
  const other = another();
  await other.renew(await other.present(), REFUSED);
  disk.fill('lock');
  await visit(signIn);
  expect(signIn.kind === 'browser' && (await signIn.done)).toMatchObject({ kind: 'signed-in' });
  expect(late.problems).toEqual([expect.stringContaining('lasts only until this program ends')]);
  const mine = late.signIns.credentialsFor(target);
  const sent = await mine.present();
  expect(issuer.accepts(sent)).toBe(true);
  issuer.forgetAccess();
  expect(await mine.renew(sent, REFUSED)).toMatchObject({ kind: 'failed', error: { code: 'sign-in-failed' } });
  expect(issuer.asked('refresh_token')).toHaveLength(1);
  disk.fill(false);
  const renewal = await mine.renew(sent, REFUSED);
  expect(renewal.kind === 'renewed' && issuer.accepts(renewal.presented)).toBe(true);
  const kept = await storeIn(folder).load({ server: target.url, account: '' });
  expect(`Bearer ${kept?.tokens?.accessToken.reveal()}`).toBe(tokenOf(renewal));
});

test('tokens that could not be saved are not given up because another program has lost the old ones', async () => {
  const disk = fillable();
  const { credentials, issuer, another, clock } = await openScene(disk);
  disk.fill(true);
  issuer.forgetAccess();
  const renewal = await credentials.renew(await credentials.present(), REFUSED);
  const other = another();
  issuer.instead.push({ status: 400, body: '{"error":"invalid_grant"}' });
  expect((await other.renew(await other.present(), REFUSED)).kind).toBe('sign-in');
  disk.fill(false);
  issuer.forgetAccess();
  await clock.pass(20_000);
  const next = await credentials.renew(renewal.kind === 'renewed' ? renewal.presented : undefined, REFUSED);
  expect(next.kind === 'renewed' && issuer.accepts(next.presented)).toBe(true);
  expect(issuer.accepts(await another().present())).toBe(true);
});

test('tokens that could not be saved are given up when somebody signs out in another program', async () => {
  const disk = fillable();
  const { credentials, issuer, folder, target, clock } = await openScene(disk);
  disk.fill(true);
  issuer.forgetAccess();
  await credentials.renew(await credentials.present(), REFUSED);
  expect(await openProgram(storeIn(folder)).signIns.signOut(target)).toMatchObject({ kind: 'signed-out' });
  disk.fill(false);
  await clock.pass(30_000);
  const renewal = await credentials.renew(await credentials.present(), REFUSED);
  expect([renewal.kind, await credentials.present()]).toEqual(['sign-in', undefined]);
  expect(await storeIn(folder).load({ server: target.url, account: '' })).toBeUndefined();
});

test.each([
  ['half a minute later', ({ clock }: Scene) => clock.pass(30_000)],
  ['when the program ends', ({ signIns }: Scene) => signIns[Symbol.asyncDispose]()],
])('tokens that could not be saved are saved if there is room %s', async (_, passes) => {
  const disk = fillable();
  const scene = await openScene(disk);
  const { credentials, issuer, another, clock } = scene;
  disk.fill(true);
  issuer.forgetAccess();
  await credentials.renew(await credentials.present(), REFUSED);
  expect(issuer.accepts(await another().present())).toBe(false);
  await clock.pass(30_000);
  disk.fill(false);
  await passes(scene);
  await expect.poll(async () => issuer.accepts(await another().present())).toBe(true);
  expect(clock.timers).toBe(0);
});

interface Disk {
  readonly wrap: (store: CredentialStore) => CredentialStore;
  /** `lock`: so full that there is no room for a lock file either. */
  fill(isFull: boolean | 'lock'): void;
}

const FULL = 'no space left on the disk';

function fillable(): Disk {
  let isFull: boolean | 'lock' = false;
  const wrap = (store: CredentialStore): CredentialStore => ({
    load: (key) => store.load(key),
    alone: async (key, work, options) => {
      if (isFull === 'lock') throw new HostError('write-failed', FULL);
      return store.alone(
        key,
        (held) =>
          work({
            current: held.current,
            remove: () => held.remove(),
            async save(record) {
              if (isFull) throw new HostError('write-failed', FULL);
              return held.save(record);
            },
          }),
        options,
      );
    },
  });
  return { wrap, fill: (value) => void (isFull = value) };
}
