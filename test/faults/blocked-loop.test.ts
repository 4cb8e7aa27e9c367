// F32: something in the host's process blocks the event loop for two seconds; what arrived meanwhile is in time.
import { expect, test } from 'vitest';
import { nextTurn, systemClock } from '../../src/edge/clock.js';
import type { Clock } from '../../src/model/clock.js';
import { HeldClock } from '../held-clock.js';
import type { Host } from '../../src/host/host.js';
import type { CallResult } from '../../src/host/host-options.js';
import { openScene, type Scene } from '../host/scene.js';
import { type Crowd, openCrowd, tallyOf, tallyOnStdio } from './crowd.js';
import { IS_FULL, tell } from './load-figures.js';

const BLOCK_MS = 2_000;
const SERVERS = ['local', 'remote'];
const SHORTEST_MS = 200; // at most as long as any deadline here or its extension, so that the clock holds them all
const LONG_MS = 10_000;
/** All end within the block, some just before its end. */
const DEADLINES = [300, 1_000, 1_500, 1_900, 1_980];
/** Turns of the event loop between the calls and the block. */
const BEFORE = IS_FULL ? [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89] : [3];

/**
 * Blocks the event loop, as a hook does that computes or reads a remote file. In npm test a block of 200 ms counts as 2
 * s, and deadlines that were extended for it do not run out, because how much happens in them depends on the machine.
 */
function block(clock: HeldClock | undefined): void {
  clock?.skip(BLOCK_MS);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, clock ? 200 : BLOCK_MS);
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

async function openBusyHost(scene: Scene, crowd: Crowd, clock: Clock): Promise<Host> {
  scene.configure({ local: tallyOnStdio(), remote: crowd.entry('mcp'), mortal: scene.journaling() });
  const { host } = await scene.open({ watch: false, ports: { random: () => 1, clock } });
  await host.settled();
  return host;
}

/** A host whose servers are still connecting, with this timeout. */
async function openHastyHost(scene: Scene, timeoutMs: number, clock: Clock): Promise<Host> {
  const env = { ...scene.env, MCP_TIMEOUT: String(timeoutMs) };
  const { host } = await scene.open({ watch: false, env, ports: { clock } });
  return host;
}

test.each(BEFORE)(
  'a host that was blocked takes nothing for late that came in time (after %i turns)',
  async (before) => {
    await using crowd = await openCrowd();
    await using scene = openScene();
    const held = IS_FULL ? undefined : new HeldClock(SHORTEST_MS);
    const clock = held ?? systemClock;
    const host = await openBusyHost(scene, crowd, clock);
    // Opens a connection for each later call: opening one takes turns that a blocked event loop does not have.
    const asMany = Array.from({ length: DEADLINES.length + 1 }, () => host.call({ name: 'mcp__remote__read' }));
    expect((await Promise.all(asMany)).map(({ outcome }) => outcome)).not.toContain('error');
    await host.call({ name: 'mcp__mortal__die' });

    const hasty = await openHastyHost(scene, 1_000, clock);
    let key = 0;
    const call = (server: string, timeoutMs: number, ms = 50): Promise<CallResult> =>
      host.call({ name: `mcp__${server}__append`, input: { key: key++, ms }, timeoutMs });
    const calls = SERVERS.flatMap((server) => DEADLINES.map((timeoutMs) => call(server, timeoutMs)));
    const late = SERVERS.map((server) => call(server, 1_700, 600_000));
    const waiting = host.call({ name: 'mcp__mortal__read', timeoutMs: 1_000 });
    await turns(before);
    block(held);
    const freed = performance.now();

    const ends = (await Promise.all(calls)).map(({ outcome, error }) => error?.message ?? outcome);
    const answeredMs = performance.now() - freed;
    const { outcome, error: wait } = await waiting;
    await hasty.settled();
    const states = hasty.servers().map(({ status, error }) => error?.message ?? status);
    expect({ ends, waited: wait?.message ?? outcome, states }).toEqual({
      ends: calls.map(() => 'ok'),
      waited: 'ok',
      states: states.map(() => 'connected'),
    });
    const connectedMs = performance.now() - freed;
    // The extension ends too, for servers that never respond.
    held?.skip(LONG_MS);
    for (const result of await Promise.all(late)) expect(result).toMatchObject({ error: { code: 'call-timeout' } });
    const lateMs = performance.now() - freed;
    expect(lateMs).toBeLessThan(IS_FULL ? BLOCK_MS : Infinity);
    let [lost, duplicated] = [key, 0];
    for (const server of SERVERS) {
      const { ran, twice } = await tallyOf(host, server);
      lost -= ran;
      duplicated += twice;
    }
    expect({ lost, duplicated }).toEqual({ lost: 0, duplicated: 0 });
    tell('F32', { before, calls: key, lost, duplicated, falseTimeouts: 0, answeredMs, connectedMs, lateMs });
  },
);
