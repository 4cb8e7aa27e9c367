// F14 and F15: the wall clock is changed while the user is signed in.
import { expect, test } from 'vitest';
import { FAILING } from '../auth/token-fault.js';
import { openSignedIn, openStrictScene } from './auth-scene.js';
import { SkippingClock } from './skipping-clock.js';

const HOUR = 3_600_000;
const YEARS = 10 * 365 * 24 * HOUR;

/** Records timers with a negative, infinite or NaN delay. */
class StrictClock extends SkippingClock {
  readonly odd: number[] = [];

  override after(ms: number, run: () => void): Disposable {
    if (!(ms >= 0 && Number.isFinite(ms))) this.odd.push(ms);
    return super.after(ms, run);
  }
}

test('F14: a clock that is set an hour or ten years forwards or back costs one refresh each time at most', async () => {
  const strict = await openStrictScene({ tokenSeconds: 7_200 });
  const { authority } = strict;
  let skew = 0;
  const clock = new StrictClock();
  const { host } = await openSignedIn(strict, { ports: { clock, wall: () => Date.now() + skew } });
  const refreshes = (): number => authority.tally.tokens['refresh_token'] ?? 0;
  for (const jump of [HOUR, -HOUR, YEARS, 0, -YEARS, YEARS]) {
    const before = refreshes();
    skew = jump;
    for (let calls = 0; calls < 5; calls++) {
      expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
    }
    expect(refreshes() - before, `refreshes after a jump to ${jump} ms`).toBeLessThanOrEqual(1);
  }
  authority.expire();
  clock.skip(60_000);
  skew = 0;
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(authority.tally.tokens['authorization_code']).toBe(1);
  expect(clock.odd).toEqual([]);
});

test.each([YEARS, -YEARS, HOUR])(
  'F14: a host that starts when the clock is off by %i ms is signed in',
  async (skew) => {
    const strict = await openStrictScene();
    const { scene, authority } = strict;
    const { host: first } = await openSignedIn(strict);
    await first[Symbol.asyncDispose]();
    const clock = new StrictClock();
    const { host } = await scene.open({ watch: false, ports: { clock, wall: () => Date.now() + skew } });
    await host.settled();
    expect(host.server('srv')).toMatchObject({ status: 'connected' });
    expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
    expect(authority.tally.tokens['refresh_token'] ?? 0).toBeLessThanOrEqual(1);
    expect(clock.odd).toEqual([]);
  },
);

test.each([YEARS, -YEARS])(
  'F15: a clock that is set by %i ms while a refresh waits for its next try changes nothing',
  async (jump) => {
    const strict = await openStrictScene();
    const { authority } = strict;
    let skew = 0;
    const clock = new StrictClock();
    const { host } = await openSignedIn(strict, { ports: { clock, wall: () => Date.now() + skew } });
    authority.expire();
    authority.fault = FAILING;
    for (let calls = 0; calls < 20; calls++) {
      expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'error' });
    }
    // The backoff bounds the requests, however many calls are made.
    expect(authority.tally.tokens['refresh_token']).toBeLessThanOrEqual(5);
    authority.fault = undefined;
    skew = jump;
    clock.skip(60_000);
    expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
    expect(authority.tally.tokens['authorization_code']).toBe(1);
    expect(clock.odd).toEqual([]);
  },
);
