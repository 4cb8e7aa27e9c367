import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { openOneServer } from '../auth-fixtures.js';
import type { DeviceSignIn, SignIn } from '../sign-in.js';

describe('by a code on another machine', () => {
  test('somebody signs in, and the authorization server is asked no more often than it wants', async () => {
    const { signIns, target, issuer, clock, signedIn } = await openOneServer(new FakeClock(), { grant: 'device_code' });
    const signIn = onDevice(await signIns.begin(target));
    expect([signIn.userCode, signIn.url]).toEqual(['ABCD-EFGH', `${issuer.server.origin}/activate`]);
    await clock.pass(4999);
    expect(issuer.asked('device_code')).toHaveLength(0);
    issuer.instead.push({
      status: 400,
      body: '{"error":"slow_down"}',
      headers: { 'content-type': 'application/json' },
    });
    await clock.pass(1);
    await until(() => clock.timers === 1);
    issuer.approveDevice();
    await clock.pass(9999);
    expect(issuer.asked('device_code')).toHaveLength(1);
    await clock.pass(1);
    expect(await signIn.done).toEqual({ kind: 'signed-in' });
    expect(signedIn).toEqual(['db']);
    expect(issuer.accepts(await signIns.credentialsFor(target).present())).toBe(true);
  });

  test('nobody types it in, or somebody gives up', async () => {
    const { signIns, target, clock } = await openOneServer(new FakeClock());
    const signIn = onDevice(await signIns.begin(target, { way: 'device' }));
    signIn.cancel();
    expect(await signIn.done).toEqual({ kind: 'cancelled' });
    expect(clock.timers).toBe(0);
  });
});

function onDevice(signIn: SignIn): DeviceSignIn {
  if (signIn.kind !== 'device') throw new Error(JSON.stringify(signIn));
  return signIn;
}

/** Waits for a real socket, which a fake clock cannot speed up. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
