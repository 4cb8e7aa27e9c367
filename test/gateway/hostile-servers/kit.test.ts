import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mode } from '../../../src/testing/mode.js';
import { modes } from '../../../src/testing/modes.js';
import { onDisk } from '../../on-disk.js';
import { KitGateway } from './kit-gateway.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const AT_ONCE = 12; // servers; each has clients of both eras
/** Those that have found something here, and one that only a deadline ends. */
const FINDERS: ReadonlySet<string> = new Set([
  'rpc-error-null',
  'rpc-error-elicit',
  'http-modern-input-nothing',
  'http-modern-task-failed',
  'ws-never',
]);

let gateway: KitGateway;
const rows: string[] = [];
onDisk();
beforeAll(async () => {
  gateway = await KitGateway.start();
});
afterAll(async () => {
  if (process.env['PLUGBOARD_TABLE'] !== undefined) process.stdout.write(`${rows.join('\n')}\n`);
  await gateway[Symbol.asyncDispose]();
});

/** One mode for each way in which a server can end what was asked of it, over each channel; test:full runs them all. */
function isTried(mode: Mode): boolean {
  return FULL || FINDERS.has(mode.name) || modes.find((other) => kindOf(other) === kindOf(mode)) === mode;
}

function kindOf({ channel, era, expect: expected }: Mode): string {
  const { connect } = expected;
  if (connect !== 'ok') return [channel, era, connect === 'sign-in' ? connect : connect.kind].join(' ');
  // Servers over stdio have a process for each client: fewer of them say enough.
  if (channel === 'stdio')
    return [channel, era, expected.call.kind === 'untried' ? 'answers' : expected.call.kind].join(' ');
  const call = channel === 'http' ? expected.call.kind : '';
  return [channel, era, expected.list.kind, call, expected.next].join(' ');
}

const tried = modes.filter(isTried);
const batches = Array.from({ length: Math.ceil(tried.length / AT_ONCE) }, (_, at) =>
  tried.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
);

test.each(batches.map((batch) => ({ names: batch.map(({ name }) => name).join(', '), batch })))(
  'a neighbour notices nothing of $names, and their own clients are told',
  async ({ batch }) => {
    const faults = await gateway.suffer(batch);
    rows.push(toRow(batch));
    expect(faults).toEqual([]);
  },
);

test('at the end nothing is left', async () => expect(await gateway.end()).toEqual([]));

function toRow(batch: readonly Mode[]): string {
  const times = gateway.times.toSorted((one, other) => one - other);
  const [median = 0, worst = 0] = [times[times.length >> 1], times.at(-1)];
  const figures = `${times.length} calls of neighbours, median ${median.toFixed(1)} ms, worst ${worst.toFixed(0)} ms`;
  return `${batch[0]!.name} to ${batch.at(-1)!.name}: ${figures}; ${gateway.peakMb} MB`;
}
