import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { OpenStreams } from './open-streams.js';

test('responses become streams after the time that is set, and no later than one that is set while they wait', async () => {
  const clock = new FakeClock();
  let ms = 10_000;
  using streams = new OpenStreams(clock, () => ms);
  const begun: string[] = [];
  const wait = (name: string): void => {
    const startStream = (): void => void begun.push(name);
    if (streams.isImmediate) return startStream();
    streams.wait({ isStream: false, isStanding: false, startStream, keepAlive: () => {} });
  };
  wait('first');
  await clock.pass(9_500);
  wait('second');
  ms = 1_000;
  wait('third');
  await clock.pass(500);
  expect(begun).toEqual(['first']);
  await clock.pass(500);
  expect(begun).toEqual(['first', 'second', 'third']);
  ms = 20_000;
  wait('fourth');
  ms = 0;
  wait('fifth');
  expect(begun.slice(3)).toEqual(['fifth']);
  await clock.pass(20_000);
  expect(begun.slice(3)).toEqual(['fifth', 'fourth']);
});
