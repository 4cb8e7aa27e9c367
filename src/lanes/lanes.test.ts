import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.js';
import { testCaller } from '../../test/eras/test-caller.js';
import { ConnectionFactory } from '../connection/connection-factory.js';
import { RECONNECT_LIMITS } from '../model/status.js';
import { fakeServer } from '../testing/fake-server.js';
import type { LaneServer } from './lane.js';
import { Lanes, type LanesOptions } from './lanes.js';

/** Lanes to servers inside this process, on a clock that the test moves. */
function laneScene(options: Omit<LanesOptions, 'clock'> = {}): {
  readonly lanes: Lanes;
  readonly clock: FakeClock;
  readonly server: (name?: string) => LaneServer;
} & AsyncDisposable {
  const clock = new FakeClock();
  const embedded = new Map([['fake', fakeServer({})]]);
  const connectionFactory = new ConnectionFactory({
    env: {},
    platform: process.platform,
    cwd: '/',
    state: undefined,
    clock,
    embedded,
  });
  const lanes = new Lanes({ clock, ...options });
  return {
    lanes,
    clock,
    server: (name = 's') => ({
      name,
      line: {
        server: { name, config: { type: 'in-process', name: 'fake' } },
        connectionFactory,
        clock,
        random: () => 0.5,
        limits: RECONNECT_LIMITS,
        timeoutMs: 10_000,
        takeSlot: async () => ({ received: () => {}, release: () => {} }),
        onWarning: () => {},
      },
      declares: ({ capabilities }) => capabilities,
      traits: () => [],
      onListsChanged: () => {},
    }),
    async [Symbol.asyncDispose]() {
      await lanes[Symbol.asyncDispose]();
      await connectionFactory[Symbol.asyncDispose]();
    },
  };
}

const owner = (lane: string, principal = 'p'): ReturnType<typeof testCaller> => testCaller(principal, { lane });
const owners = (lanes: Lanes): string[] => lanes.states().map((state) => state.owner);

test('a lane that nobody uses is closed after half an hour, and its owner is told when it is opened anew', async () => {
  await using scene = laneScene();
  const { lanes, clock } = scene;
  const server = scene.server();
  const [ann, ben] = [owner('a'), owner('b')];
  const first = lanes.use(server, ann);
  expect(first.lane.takeAnew()).toBe(false);
  first[Symbol.dispose]();
  await clock.pass(1_000_000);
  lanes.use(server, ben)[Symbol.dispose]();
  await clock.pass(800_001);
  expect(owners(lanes)).toEqual(['b']);
  await clock.pass(1_000_000);
  expect(owners(lanes)).toEqual([]);
  using again = lanes.use(server, ann);
  expect([again.lane.takeAnew(), again.lane.takeAnew()]).toEqual([true, false]);
});

test('a lane stays while its owner is connected or has a call, and half an hour longer', async () => {
  await using scene = laneScene();
  const { lanes, clock } = scene;
  const server = scene.server();
  const connected = lanes.attend('a');
  lanes.use(server, owner('a'))[Symbol.dispose]();
  const call = lanes.use(server, owner('b'));
  await clock.pass(10_000_000);
  expect(owners(lanes)).toEqual(['a', 'b']);
  connected[Symbol.dispose]();
  connected[Symbol.dispose]();
  call[Symbol.dispose]();
  await clock.pass(1_799_000);
  expect(owners(lanes)).toEqual(['a', 'b']);
  await clock.pass(2_000);
  expect(owners(lanes)).toEqual([]);
});

test('the lane that was idle longest makes room, first among those whose owners are away', async () => {
  await using scene = laneScene({ limit: 3 });
  const { lanes, clock } = scene;
  const server = scene.server();
  using _ = lanes.attend('a');
  for (const lane of ['a', 'b', 'c']) {
    lanes.use(server, owner(lane, lane))[Symbol.dispose]();
    await clock.pass(1_000);
  }
  const held = [lanes.use(server, owner('d', 'd'))];
  expect(owners(lanes)).toEqual(['a', 'c', 'd']);
  held.push(lanes.use(server, owner('e', 'e')), lanes.use(server, owner('f', 'f')));
  expect(owners(lanes)).toEqual(['d', 'e', 'f']);
  expect(() => lanes.use(server, owner('g', 'g'))).toThrow(/all 3 connections of all clients are in use/u);
  for (const use of held) use[Symbol.dispose]();
});

test('of a server that asks, a client that may be several has one call on each lane, and further lanes go soon', async () => {
  await using scene = laneScene();
  const { lanes, clock } = scene;
  const server = scene.server();
  const group = testCaller('p', { lane: 'a', mayBeSeveral: true });
  const call = (): ReturnType<typeof testCaller> => testCaller('p', { lane: 'a', group });
  using _ = lanes.attend('a');
  // Due in half an hour: the lane that goes in a minute does not wait for that.
  lanes.use(server, owner('b'))[Symbol.dispose]();
  const [first, second] = [lanes.use(server, call()), lanes.use(server, call())];
  expect(second.lane).toBe(first.lane);
  first.lane.ambiguous();
  const third = call();
  const apart = lanes.use(server, third);
  expect([apart.lane === first.lane, apart.lane.takeAnew()]).toEqual([false, true]);
  // A task stays where its call was, a watch with the client.
  using task = lanes.hold(server, third);
  apart[Symbol.dispose]();
  using status = lanes.use(server, third);
  using watch = lanes.hold(server, group);
  expect([task.lane, status.lane, watch.lane]).toEqual([apart.lane, apart.lane, first.lane]);
  for (const use of [first, second, task, status]) use[Symbol.dispose]();
  using later = lanes.use(server, call());
  expect(later.lane).toBe(first.lane);
  await clock.pass(60_000);
  expect(owners(lanes)).toEqual(['b', 'a']);
});

test('a further lane takes the place of no other: beyond the limits its calls go to the first one', async () => {
  await using scene = laneScene({ principalLimit: 3 });
  const { lanes } = scene;
  const server = scene.server();
  lanes.use(server, owner('kept'))[Symbol.dispose]();
  const group = testCaller('p', { lane: 'a', mayBeSeveral: true });
  const call = (): ReturnType<typeof testCaller> => testCaller('p', { lane: 'a', group });
  using first = lanes.use(server, call());
  first.lane.ambiguous();
  using second = lanes.use(server, call());
  using third = lanes.use(server, call());
  expect([second.lane === first.lane, third.lane === first.lane]).toEqual([false, true]);
  expect(owners(lanes)).toEqual(['kept', 'a', 'a']);
});

test('lanes of a server that ends go after their calls, and at the latest after half a minute', async () => {
  await using scene = laneScene();
  const { lanes, clock } = scene;
  const server = scene.server();
  const [short, long] = [lanes.use(server, owner('a')), lanes.use(server, owner('b'))];
  lanes.use(server, owner('c'))[Symbol.dispose]();
  lanes.closeServer(server);
  expect(lanes.states()).toEqual([]);
  expect([short.lane.line.isClosed, long.lane.line.isClosed]).toEqual([false, false]);
  short[Symbol.dispose]();
  expect([short.lane.line.isClosed, long.lane.line.isClosed]).toEqual([true, false]);
  await clock.pass(30_001);
  expect(long.lane.line.isClosed).toBe(true);
});

test('one owner has a lane to each server, all of which close with the owner', async () => {
  await using scene = laneScene();
  const { lanes } = scene;
  const [one, other] = [scene.server('one'), scene.server('other')];
  for (const server of [one, other, one]) lanes.use(server, owner('a'))[Symbol.dispose]();
  lanes.use(other, owner('b'))[Symbol.dispose]();
  expect(lanes.states().map((state) => [state.server, state.owner])).toEqual([
    ['one', 'a'],
    ['other', 'a'],
    ['other', 'b'],
  ]);
  await lanes.close('a');
  expect(owners(lanes)).toEqual(['b']);
});
