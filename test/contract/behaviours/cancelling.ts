import { type Behaviour, onEach, overHttp, said } from '../behaviour.js';
import { textOf } from '../clients/contract-client.js';
import type { Stage } from '../stage.js';

const SHORT = 1_000; // a hundred times the delay until the server has the call

export const cancelling: readonly Behaviour[] = [
  {
    title: 'whoever cancels a call is free at once, and the server hears of it',
    run: async (stage) => {
      const outcome = await cancelled(stage, 'given up');
      return [outcome, await stage.call('cancelled', { key: 'given up' })];
    },
    expected: [{ error: 'cancelled' }, said('cancelled')],
  },
  {
    title: 'a server hears of it once: in the new era over HTTP by the end of the stream, anywhere else by a note',
    eras: ['modern'],
    run: async (stage) => {
      const before = await counted(stage, 'notifications/cancelled');
      await cancelled(stage, 'once');
      await stage.call('cancelled', { key: 'once' });
      return (await counted(stage, 'notifications/cancelled')) - before;
    },
    expected: 1,
    expectedOn: onEach(overHttp, 0),
  },
  {
    title: 'an answer that comes after all is dropped, and the connection goes on',
    run: async (stage) => {
      const outcome = await cancelled(stage, 'late');
      await stage.call('cancelled', { key: 'late' });
      await stage.call('release', { key: 'late' });
      return [outcome, await stage.call('echo', { text: 'next' })];
    },
    expected: [{ error: 'cancelled' }, said('next')],
  },
  {
    title: 'a call that is cancelled beforehand is never sent',
    run: async (stage) => {
      const before = await counted(stage, 'tools/call');
      const outcome = await stage.call('wait', { key: 'never' }, { signal: AbortSignal.abort() });
      return [outcome, (await counted(stage, 'tools/call')) - before];
    },
    // Counting is itself one call.
    expected: [{ error: 'cancelled' }, 1],
  },
  {
    title: 'a signal that fires after the answer cancels nothing',
    run: async (stage) => {
      const before = await counted(stage, 'notifications/cancelled');
      const controller = new AbortController();
      const outcome = await stage.call('echo', { text: 'in time' }, { signal: controller.signal });
      controller.abort();
      return [outcome, (await counted(stage, 'notifications/cancelled')) - before];
    },
    expected: [said('in time'), 0],
  },
  {
    title: 'a call that takes too long ends, and the server hears of it',
    run: async (stage) => {
      const outcome = await stage.call('wait', { key: 'too long' }, { timeoutMs: SHORT });
      return [outcome, await stage.call('cancelled', { key: 'too long' })];
    },
    expected: [{ error: 'timeout' }, said('cancelled')],
  },
  {
    title: 'an answer after the deadline is dropped, and the connection goes on',
    run: async (stage) => {
      const outcome = await stage.call('wait', { key: 'overdue' }, { timeoutMs: SHORT });
      await stage.call('arrived', { key: 'overdue' });
      await stage.call('release', { key: 'overdue' });
      return [outcome, await stage.call('echo', { text: 'next' })];
    },
    expected: [{ error: 'timeout' }, said('next')],
  },
  {
    title: 'cancelling one call leaves the others alone',
    run: async (stage) => {
      const other = stage.call('wait', { key: 'other' });
      await stage.call('arrived', { key: 'other' });
      const outcome = await cancelled(stage, 'one');
      await stage.call('release', { key: 'other' });
      return [outcome, await other];
    },
    expected: [{ error: 'cancelled' }, said('released other')],
  },
];

/** Calls `wait`, and cancels the call once the server has it. */
async function cancelled(stage: Stage, key: string): Promise<unknown> {
  const controller = new AbortController();
  const outcome = stage.call('wait', { key }, { signal: controller.signal });
  await stage.call('arrived', { key });
  controller.abort();
  return outcome;
}

/** How many messages with this method the server has received. */
async function counted(stage: Stage, method: string): Promise<number> {
  return Number(textOf(await stage.call('count', { method })));
}
