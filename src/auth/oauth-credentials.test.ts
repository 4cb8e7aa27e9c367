import { EventEmitter, once } from 'node:events';
import { describe, expect, test } from 'vitest';
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
} from './auth-fixtures.js';
import { DpopKey } from './tokens/dpop-key.js';
import type { OAuthCredentials } from './oauth-credentials.js';
import type { SignInTarget } from './sign-in-target.js';

const REFUSED: CredentialsRefusal = { status: 401, challenge: 'Bearer error="invalid_token"' };
const HOUR = 3_600_000;

interface Scene extends TestProgram {
  readonly issuer: TestIssuer;
  readonly target: SignInTarget;
  readonly credentials: OAuthCredentials;
  readonly clock: FakeClock;
  readonly folder: string;
  /** A second program over the same folder. */
  readonly another: () => OAuthCredentials;
}

/** A program that has signed in. */
async function openScene(): Promise<Scene> {
  const issuer = await openIssuer();
  const folder = newFolder();
  const clock = new FakeClock();
  const target = targetAt(issuer);
  const program = openProgram(storeIn(folder), { clock });
  await signInAs(program, target);
  const another = (): OAuthCredentials => openProgram(storeIn(folder), { clock }).signIns.credentialsFor(target);
  return { ...program, issuer, target, clock, folder, credentials: program.signIns.credentialsFor(target), another };
}

describe('what is presented', () => {
  test('nothing without a sign-in, and nobody is asked', async () => {
    const issuer = await openIssuer();
    const { signIns } = openProgram(storeIn(newFolder()));
    expect(await signIns.credentialsFor(targetAt(issuer)).present()).toBeUndefined();
    expect(issuer.server.received).toEqual([]);
  });

  test('the token, and the same object as long as it is the same token', async () => {
    const { credentials, issuer } = await openScene();
    const first = await credentials.present();
    expect(issuer.accepts(first)).toBe(true);
    expect(await credentials.present()).toBe(first);
    expect(issuer.asked('refresh_token')).toHaveLength(0);
  });

  test('a new one in the last minute of the old', async () => {
    const { credentials, issuer, jump } = await openScene();
    const old = await credentials.present();
    jump(HOUR - 30_000);
    const fresh = await Promise.all(Array.from({ length: 20 }, () => credentials.present()));
    expect(new Set(fresh.map(tokenOf)).size).toBe(1);
    expect(tokenOf(fresh[0])).not.toBe(tokenOf(old));
    expect(issuer.asked('refresh_token')).toHaveLength(1);
  });

  test('the old one, while it holds and no new one is to be had', async () => {
    const { credentials, issuer, jump } = await openScene();
    const old = await credentials.present();
    jump(HOUR - 30_000);
    issuer.instead.push({ status: 503, body: '<h1>down</h1>' });
    expect(tokenOf(await credentials.present())).toBe(tokenOf(old));
    expect(issuer.asked('refresh_token')).toHaveLength(1);
  });

  test('the old one, while it holds and the authorization server takes its time', async () => {
    const { credentials, issuer, jump, clock } = await openScene();
    const old = await credentials.present();
    jump(HOUR - 30_000);
    const { asked, answer } = issuer.holdNext();
    const presenting = credentials.present();
    await asked;
    await clock.pass(5000);
    expect(tokenOf(await presenting)).toBe(tokenOf(old));
    answer();
    expect(issuer.accepts(await credentials.present())).toBe(true);
    expect(issuer.asked('refresh_token')).toHaveLength(1);
  });

  test.each([
    ['an hour ahead', HOUR],
    ['an hour back', -HOUR],
    ['ten years ahead', 10 * 365 * 24 * HOUR],
  ])('at most one refresh when the date jumps %s, and back', async (_, ms) => {
    const { credentials, issuer, jump } = await openScene();
    jump(ms);
    for (let round = 0; round < 5; round++) await credentials.present();
    jump(-ms);
    for (let round = 0; round < 5; round++) await credentials.present();
    expect(issuer.accepts(await credentials.present())).toBe(true);
    expect(issuer.asked('refresh_token').length).toBeLessThanOrEqual(1);
  });
});

describe('a token that is refused', () => {
  test('is refreshed once for 100 calls', async () => {
    const { credentials, issuer } = await openScene();
    const sent = await credentials.present();
    issuer.forgetAccess();
    const renewals = await Promise.all(Array.from({ length: 100 }, () => credentials.renew(sent, REFUSED)));
    expect(new Set(renewals.map(tokenOf)).size).toBe(1);
    expect(issuer.accepts(await credentials.present())).toBe(true);
    expect(issuer.asked('refresh_token')).toHaveLength(1);
    expect(issuer.asked('refresh_token')[0]?.get('resource')).toBe(issuer.url);
  });

  test('is refreshed once for several programs, and nobody loses anything', async () => {
    const { credentials, issuer, another } = await openScene();
    const all = [credentials, another(), another(), another(), another()];
    const sent = await Promise.all(all.map((one) => one.present()));
    issuer.forgetAccess();
    const calls = all.flatMap((one, index) => Array.from({ length: 20 }, () => one.renew(sent[index], REFUSED)));
    expect(new Set((await Promise.all(calls)).map(tokenOf)).size).toBe(1);
    expect(issuer.asked('refresh_token')).toHaveLength(1);
    for (const one of all) expect(issuer.accepts(await one.present())).toBe(true);
  });

  test('is not refreshed for a call that was sent with an older one', async () => {
    const { credentials, issuer } = await openScene();
    const sent = await credentials.present();
    issuer.forgetAccess();
    const renewed = await credentials.renew(sent, REFUSED);
    expect(tokenOf(await credentials.renew(sent, REFUSED))).toBe(tokenOf(renewed));
    expect(issuer.asked('refresh_token')).toHaveLength(1);
  });

  test('is not refreshed because the one after it is about to expire', async () => {
    const { credentials, issuer, jump } = await openScene();
    const sent = await credentials.present();
    issuer.forgetAccess();
    const renewed = await credentials.renew(sent, REFUSED);
    jump(HOUR - 30_000);
    expect(tokenOf(await credentials.renew(sent, REFUSED))).toBe(tokenOf(renewed));
    expect(issuer.asked('refresh_token')).toHaveLength(1);
  });

  test('after a new sign-in is refreshed at once, whatever went wrong before it', async () => {
    const { credentials, issuer, signIns, target, problems, signedIn, jump } = await openScene();
    issuer.instead.push({ status: 503, body: '' });
    expect((await credentials.renew(await credentials.present(), REFUSED)).kind).toBe('failed');
    await signInAs({ signIns, problems, signedIn, jump }, target);
    issuer.forgetAccess();
    expect((await credentials.renew(await credentials.present(), REFUSED)).kind).toBe('renewed');
  });

  test('is given up when its successor is refused at once', async () => {
    const { credentials, issuer, clock } = await openScene();
    const renewed = await credentials.renew(await credentials.present(), REFUSED);
    expect(renewed.kind).toBe('renewed');
    expect(await credentials.renew(await credentials.present(), REFUSED)).toEqual({
      kind: 'sign-in',
      hint: 'plugboard login db',
    });
    expect(issuer.asked('refresh_token')).toHaveLength(1);
    await clock.pass(60_000);
    expect((await credentials.renew(await credentials.present(), REFUSED)).kind).toBe('renewed');
  });

  test.each([
    ['invalid_grant', { status: 400, body: '{"error":"invalid_grant"}' }],
    ['with status 200 and a name of its own', { status: 200, body: '{"error":"invalid_refresh_token"}' }],
  ])('needs a person when the refresh token is refused: %s', async (_, instead) => {
    const { credentials, issuer, signIns, target, folder } = await openScene();
    issuer.instead.push({ ...instead, headers: { 'content-type': 'application/json' } });
    const renewal = await credentials.renew(await credentials.present(), REFUSED);
    expect(renewal).toMatchObject({
      kind: 'sign-in',
      hint: 'Run: plugboard login db',
      cause: { code: 'unauthorized' },
    });
    expect(await signIns.credentialsFor(target).present()).toBeUndefined();
    const kept = await storeIn(folder).load({ server: target.url, account: '' });
    expect(kept?.client.clientId).toMatch(/^client-/);
    expect(kept?.tokens).toBeUndefined();
    expect((await credentials.renew(undefined, REFUSED)).kind).toBe('sign-in');
    expect(issuer.asked('refresh_token')).toHaveLength(1);
  });

  test.each([
    ['500', { status: 500, body: '{"error":"server_error"}' }],
    ['a page', { status: 200, body: '<html>maintenance</html>', headers: { 'content-type': 'text/html' } }],
    ['nothing', (_: unknown, response: { destroy(): unknown }) => void response.destroy()],
  ])('costs nobody a sign-in when the token endpoint answers %s, and it is not hammered', async (_, instead) => {
    const { credentials, issuer, signIns, target, clock } = await openScene();
    const sent = await credentials.present();
    issuer.instead.push(instead, instead);
    const renewals = await Promise.all(Array.from({ length: 100 }, () => credentials.renew(sent, REFUSED)));
    for (const renewal of renewals) {
      expect(renewal.kind).toBe('failed');
      const error = renewal.kind === 'failed' ? renewal.error : undefined;
      expect(error).toMatchObject({ code: 'sign-in-failed', detail: { kind: 'oauth', isTransient: true } });
    }
    expect(issuer.asked('refresh_token')).toHaveLength(1);
    expect(await signIns.credentialsFor(target).present()).toBeDefined();
    await clock.pass(1000);
    expect((await credentials.renew(sent, REFUSED)).kind).toBe('failed');
    await clock.pass(1999);
    expect((await credentials.renew(sent, REFUSED)).kind).toBe('failed');
    expect(issuer.asked('refresh_token')).toHaveLength(2);
    await clock.pass(1);
    expect((await credentials.renew(sent, REFUSED)).kind).toBe('renewed');
    expect(issuer.asked('refresh_token')).toHaveLength(3);
  });

  test('is taken from whoever signed in meanwhile, in another program', async () => {
    const { credentials, issuer, folder, target } = await openScene();
    const sent = await credentials.present();
    issuer.forgetAll();
    await signInAs(openProgram(storeIn(folder)), target);
    const renewal = await credentials.renew(sent, REFUSED);
    expect(renewal.kind === 'renewed' && issuer.accepts(renewal.presented)).toBe(true);
    expect(issuer.asked('refresh_token')).toHaveLength(0);
  });

  test('does not keep a caller who has given up, and is refreshed for the others', async () => {
    const { credentials, issuer } = await openScene();
    const sent = await credentials.present();
    const { asked, answer } = issuer.holdNext();
    const leaving = new AbortController();
    const [left, stays] = [credentials.renew(sent, REFUSED, leaving.signal), credentials.renew(sent, REFUSED)];
    await asked;
    leaving.abort();
    expect(await left).toMatchObject({ kind: 'failed', error: { code: 'cancelled' } });
    answer();
    expect((await stays).kind).toBe('renewed');
    expect(issuer.asked('refresh_token')).toHaveLength(1);
  });
});

describe('when something goes wrong in between', () => {
  test('a program that was killed before it could save costs the next one a request, and then a sign-in', async () => {
    const { issuer, another, folder, target } = await openScene();
    const store = storeIn(folder);
    const ending = new EventEmitter();
    const saving = once(ending, 'saving');
    const save = async (): Promise<never> => {
      ending.emit('saving');
      await once(ending, 'killed');
      throw new HostError('write-failed', 'killed');
    };
    const killed = openProgram({
      load: (key) => store.load(key),
      alone: async (key, work) => work({ current: await store.load(key), save, remove: save }),
    }).signIns.credentialsFor(target);
    const sent = await killed.present();
    const last = killed.renew(sent, REFUSED);
    await saving;
    const next = another();
    expect(tokenOf(await next.present())).toBe(tokenOf(sent));
    expect((await next.renew(sent, REFUSED)).kind).toBe('sign-in');
    expect((await next.renew(undefined, REFUSED)).kind).toBe('sign-in');
    expect(issuer.asked('refresh_token')).toHaveLength(2);
    ending.emit('killed');
    await last;
  });

  test("a loser never wipes the winner's tokens, even one who did not wait for a turn", async () => {
    const issuer = await openIssuer();
    const folder = newFolder();
    const target = targetAt(issuer);
    const clock = new FakeClock();
    await signInAs(openProgram(storeIn(folder)), target);
    const store = storeIn(folder);
    const key = { server: target.url, account: '' };
    const old = await store.load(key);
    // This program believes that it has the lock, which the winner ignores.
    const loser = openProgram(
      {
        load: (one) => store.load(one),
        alone: (_, work) => work({ current: old, save: overwrite, remove: overwrite }),
      },
      { clock },
    ).signIns.credentialsFor(target);
    const winner = openProgram(storeIn(folder), { clock }).signIns.credentialsFor(target);
    const sent = await winner.present();
    const won = await winner.renew(sent, REFUSED);
    expect(tokenOf(await loser.renew(sent, REFUSED))).toBe(tokenOf(won));
  });
});

describe('a proof of possession', () => {
  const NONCE: CredentialsRefusal = { status: 401, challenge: 'DPoP error="use_dpop_nonce"', nonce: 'n-1' };

  test('has the nonce that the server wants on every connection, and costs nobody a refresh', async () => {
    const { issuer, target, folder } = await openScene();
    const store = storeIn(folder);
    await store.alone({ server: target.url, account: '' }, (held) =>
      held.save({
        ...held.current!,
        tokens: { ...held.current!.tokens!, type: 'DPoP' },
        dpopKey: DpopKey.create().secret,
      }),
    );
    const { signIns } = openProgram(store);
    const [one, two] = [signIns.credentialsFor(target), signIns.credentialsFor(target)];
    const sent = await one.present();
    const renewals = [await one.renew(sent, NONCE), await two.renew(sent, NONCE)];
    for (const renewal of renewals) {
      const credentials = renewal.kind === 'renewed' ? renewal.presented : undefined;
      const [, proof = ''] = credentials?.prove?.({ method: 'POST', url: target.url }) ?? [];
      expect(JSON.parse(Buffer.from(proof.split('.')[1]!, 'base64url').toString())).toMatchObject({ nonce: 'n-1' });
    }
    expect(issuer.asked('refresh_token')).toHaveLength(0);
    const again = renewals[0]?.kind === 'renewed' ? renewals[0].presented : undefined;
    await one.renew(again, NONCE);
    expect(issuer.asked('refresh_token')).toHaveLength(1); // the server refuses for another reason
  });
});

describe('a refusal for lack of rights', () => {
  const SCOPE: CredentialsRefusal = {
    status: 403,
    challenge: 'Bearer error="insufficient_scope", scope="write admin"',
  };

  test('tells which rights to sign in for, together with those that were there', async () => {
    const { credentials, signIns, target, issuer } = await openScene();
    const sent = await credentials.present();
    expect(await credentials.renew(sent, SCOPE)).toMatchObject({
      kind: 'sign-in',
      hint: 'plugboard login db --scope "read write admin"',
      cause: { message: 'it requires these additional rights: write, admin' },
    });
    expect(signIns.missingScopes(target)).toEqual(['read', 'write', 'admin']);
    expect(issuer.asked('refresh_token')).toHaveLength(0);
    const signIn = await signIns.begin(target);
    expect(signIn.kind === 'browser' && signIn.scopes).toEqual(['read', 'write', 'admin']);
  });

  test('never becomes a command that a shell would run', async () => {
    const { credentials } = await openScene();
    const denial = { status: 403, challenge: 'Bearer error="insufficient_scope", scope="$(id) `id`"' };
    expect(await credentials.renew(await credentials.present(), denial)).toMatchObject({
      kind: 'sign-in',
      hint: "plugboard login db --scope 'read $(id) `id`'",
    });
  });

  test('is over when somebody has got more rights in another program', async () => {
    const { credentials, folder, target, issuer } = await openScene();
    const sent = await credentials.present();
    await signInAs(openProgram(storeIn(folder)), target);
    const renewal = await credentials.renew(sent, SCOPE);
    expect(renewal.kind === 'renewed' && issuer.accepts(renewal.presented)).toBe(true);
  });

  test('that names none says that it is the account', async () => {
    const { credentials } = await openScene();
    const renewal = await credentials.renew(await credentials.present(), { status: 403 });
    expect(renewal).toMatchObject({ kind: 'sign-in', hint: expect.stringContaining('Sign in with another') as string });
  });
});

function overwrite(): never {
  throw new Error('this would have wiped the tokens of somebody else');
}
