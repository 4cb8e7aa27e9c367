import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isGroupRunning, killGroupNow, signalGroup } from './process-group.js';
import { openWorkshop, type Workshop } from './process-fixtures.js';
import { DIAGNOSED } from '../../../test/wait-limits.js';

let workshop: Workshop;
beforeEach(() => {
  workshop = openWorkshop();
});
afterEach(() => workshop[Symbol.dispose]());

/** Starts a group whose leader exits; returns the group's number. */
async function leaderless(script: string): Promise<number> {
  const leader: ChildProcess = spawn('/bin/bash', ['-c', script], {
    env: workshop.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(leader, 'exit');
  return leader.pid!;
}

test('a group lives while one of its members does, and one signal reaches all', async () => {
  const group = await leaderless('sleep 60 & sleep 60 &');
  expect([isGroupRunning(group), workshop.survivors().length]).toEqual([true, 2]);
  signalGroup(group, 'SIGTERM');
  await vi.waitFor(() => expect([isGroupRunning(group), workshop.survivors()]).toEqual([false, []]), DIAGNOSED);
});

test('at the last moment a stubborn group is killed', async () => {
  const group = await leaderless(`(trap '' INT TERM; sleep 60; sleep 60) &`);
  signalGroup(group, 'SIGINT');
  killGroupNow(group);
  await vi.waitFor(() => expect([isGroupRunning(group), workshop.survivors()]).toEqual([false, []]), DIAGNOSED);
});

test('a dead member that nobody waits for does not count', async (context) => {
  if (process.platform !== 'linux') context.skip('needs /proc to tell a zombie');
  // One child ends at once; its parent leaves the group and execs a program that never waits for children.
  const group = await leaderless('(sleep 0 & exec setsid sleep 60) &');
  await vi.waitFor(() => expect(isGroupRunning(group)).toBe(false), DIAGNOSED);
  expect(process.kill(-group, 0)).toBe(true); // a signal still reaches the zombie
});

test('a group that is gone is left alone', async () => {
  const group = await leaderless(':');
  expect(isGroupRunning(group)).toBe(false);
  signalGroup(group, 'SIGKILL');
  expect(() => killGroupNow(group)).not.toThrow();
});
