// Responses that are too large for memory and have their id at the end, as several SDKs write them, while other requests
// are in flight.
import { expect, test } from 'vitest';
import { MemorySpill } from '../../test/memory-spill.js';
import { systemClock } from '../edge/clock.js';
import { type LargeResponseTaker, type ListRoom, Spilled } from '../model/spilled.js';
import { InFlight, NO_DEADLINE } from './in-flight.js';
import { MessageReader, type ReadOutcome } from './message-reader.js';

const TOOLS = 2;
const OTHERS = [3, 17]; // the table of requests is looked at by the last four bits: one after TOOLS, one before
const room = (key: string, items = 10_001): ListRoom => ({ key, items });

/** Reads a message while these requests are in flight. */
async function read(text: string, inFlight: readonly (readonly [number, LargeResponseTaker])[]): Promise<ReadOutcome> {
  const requests = new InFlight({ clock: systemClock, expire: () => {} });
  const ended = { resolve: () => {}, reject: () => {} };
  for (const [id, spill] of inFlight) requests.add(id, { ...NO_DEADLINE, method: 'any', ended, spill });
  const reader = new MessageReader({
    clock: systemClock,
    spillFor: (id) => (id === undefined ? requests.anySpill() : requests.get(Number(id))?.spill),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 65_536) await reader.push(bytes.subarray(at, at + 65_536));
  return reader.end();
}

test('a result of a call is saved, whatever lists are asked for meanwhile', async () => {
  const text = 'x'.repeat(20_000_000);
  for (const call of OTHERS) {
    const store = new MemorySpill();
    const message = { result: { _meta: { a: [1] }, content: [{ type: 'text', text }] }, jsonrpc: '2.0', id: call };
    const outcome = await read(JSON.stringify(message), [
      [TOOLS, room('tools')],
      [call, store],
    ]);
    if (outcome.kind !== 'message') throw new Error(outcome.refusal.reason);
    const { content } = (outcome.message as { result: { content: { text: unknown }[] } }).result;
    expect(content[0]!.text).toBeInstanceOf(Spilled);
    expect(store.textOf((content[0]!.text as Spilled).place)).toHaveLength(text.length);
  }
});

test('a list is read, whatever calls are in flight meanwhile', async () => {
  const tools = Array.from({ length: 9_000 }, (_, at) => ({ name: `tool_${at}`, description: 'd'.repeat(2_000) }));
  const message = JSON.stringify({ result: { _meta: {}, tools }, jsonrpc: '2.0', id: TOOLS });
  for (const call of OTHERS) {
    const outcome = await read(message, [
      [TOOLS, room('tools')],
      [call, new MemorySpill()],
    ]);
    if (outcome.kind !== 'message') throw new Error(outcome.refusal.reason);
    expect((outcome.message as { result: { tools: unknown[] } }).result.tools).toHaveLength(9_000);
  }
});

test('a list has its own bound of items, and not that of another list', async () => {
  const tools = Array.from({ length: 9_000 }, (_, at) => ({ name: `tool_${at}`, description: 'd'.repeat(2_000) }));
  const message = JSON.stringify({ result: { tools }, jsonrpc: '2.0', id: TOOLS });
  for (const other of OTHERS) {
    const outcome = await read(message, [
      [TOOLS, room('tools')],
      [other, room('resources', 2)],
    ]);
    if (outcome.kind !== 'message') throw new Error(outcome.refusal.reason);
    expect((outcome.message as { result: { tools: unknown[] } }).result.tools).toHaveLength(9_000);
  }
});

test('a list with a text that is far too long is refused under its id', async () => {
  const tools = [{ name: 'long', description: 'x'.repeat(17_000_000) }];
  const message = JSON.stringify({ result: { tools }, jsonrpc: '2.0', id: TOOLS });
  const outcome = await read(message, [
    [TOOLS, room('tools')],
    [OTHERS[0]!, room('resources')],
  ]);
  expect(outcome).toMatchObject({
    kind: 'refused',
    refusal: { code: 'answer-too-large', ids: [TOOLS], reason: 'a text in its list has more than 8 MB' },
  });
});

test.each([
  ['an error', (id: number) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: 'm', data: DATA } })],
  ['a batch', (id: number) => JSON.stringify([{ jsonrpc: '2.0', id, result: { content: [], tools: [] }, data: DATA }])],
  ['neither result nor error', (id: number) => JSON.stringify({ jsonrpc: '2.0', id, data: DATA })],
])('a message of more than 16 MB that is %s arrives, for a list as for a call', async (_, write) => {
  for (const spill of [room('tools'), new MemorySpill()]) {
    const text = write(TOOLS);
    const outcome = await read(text, [[TOOLS, spill]]);
    expect(outcome.kind === 'message' && JSON.stringify(outcome.message) === text).toBe(true);
  }
});

const DATA = Array.from({ length: 20 }, () => 'x'.repeat(900_000));
