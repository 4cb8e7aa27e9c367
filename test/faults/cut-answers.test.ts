import { expect, test } from 'vitest';
import { openFaultProxy } from './fault-proxy.js';
import { JournalClient, type Written } from './journal-client.js';
import { type FaultyTransport, inEvents, modern, resumable, transports } from './journal-transports.js';
import { Journal } from './journal.js';

const isFull = Boolean(process.env['PLUGBOARD_FULL']);

/** One call whose response is cut off after this many bytes. */
interface Cut extends Written {
  readonly after: number;
  readonly timesDone: number;
  /** The event ids after which the client resumed. */
  readonly resumed: readonly string[];
}

const TIMEOUT = 20_000; // no call waits this long: a response that can no longer arrive fails its call at once
const AT_ONCE_MS = TIMEOUT / 2; // a busy machine takes seconds for what takes it milliseconds when it is quiet

test('an answer in events that is cut off anywhere fails its call at once, and is not asked for again', async () => {
  const whole = await measure(inEvents);
  const answered = whole.text.lastIndexOf('\n\n') + 2;
  const cuts = await cutEverywhere(inEvents, whole.bytes, { by: 'end', step: 1 });
  expect(cuts).toHaveLength(whole.bytes + 1);
  expect(misdone(cuts)).toEqual([]);
  expect(cuts.filter(({ resumed }) => resumed.length > 0)).toEqual([]);
  expect(cuts.filter(({ outcome, after }) => outcome !== (after < answered ? 'http-failed' : 'ok'))).toEqual([]);
});

test('an answer whose events have ids is picked up wherever it was cut off', async () => {
  const whole = await measure(resumable);
  const ends = [...whole.text.matchAll(/\n\n/gu)].map(({ index }) => Buffer.byteLength(whole.text.slice(0, index)) + 2);
  const cuts = await cutEverywhere(resumable, whole.bytes, { by: 'end', step: 1 });
  expect(ends).toHaveLength(3);
  expect(misdone(cuts)).toEqual([]);
  for (const { after, outcome, resumed } of cuts) {
    const seen = ends.filter((end) => end <= after).length;
    const expected = seen === 0 ? ['http-failed', []] : ['ok', seen === 3 ? [] : [`2-${seen - 1}`]];
    expect([after, outcome, resumed]).toEqual([after, ...expected]);
  }
});

test('an answer of the new era is not picked up, whatever ids its events have', async () => {
  const whole = await measure(modern);
  const answered = Buffer.byteLength(whole.text.slice(0, whole.text.lastIndexOf('\n\n') + 2));
  const cuts = await cutEverywhere(modern, whole.bytes, { by: 'end', step: isFull ? 1 : 11 });
  expect(misdone(cuts)).toEqual([]);
  expect(cuts.filter(({ resumed }) => resumed.length > 0)).toEqual([]);
  expect(cuts.filter(({ outcome, after }) => outcome !== (after < answered ? 'http-failed' : 'ok'))).toEqual([]);
});

test.each(transports)(
  'a reset that cuts an answer off anywhere neither leaves its call hanging nor repeats it ($name)',
  async (transport) => {
    const whole = await measure(transport);
    const cuts = await cutEverywhere(transport, whole.bytes, { by: 'reset', step: isFull ? 1 : 23 });
    expect(misdone(cuts)).toEqual([]);
    expect(cuts.filter(({ outcome }) => !['ok', 'http-failed', 'connection-closed'].includes(outcome))).toEqual([]);
  },
);

/** Calls that took too long, or that the server did not run exactly once. */
function misdone(cuts: readonly Cut[]): Cut[] {
  return cuts.filter(({ tookMs, timesDone }) => tookMs > AT_ONCE_MS || timesDone !== 1);
}

/** The bytes of one complete response. */
async function measure(transport: FaultyTransport): Promise<{ readonly bytes: number; readonly text: string }> {
  const pieces: Buffer[] = [];
  await using serving = await transport.serve(new Journal(transport.era));
  const watch = (bytes: Buffer, direction: string): void => void (direction === 'down' && pieces.push(bytes));
  await using proxy = await openFaultProxy({ port: serving.port, watch });
  await using client = new JournalClient(transport.toConfig(proxy.port));
  await client.write('hello', { timeoutMs: TIMEOUT });
  await serving.listened;
  // When this response has arrived, the server's response to the GET has arrived too.
  await client.write('again', { timeoutMs: TIMEOUT });
  pieces.length = 0;
  await client.write('word', { timeoutMs: TIMEOUT });
  // The end of the stream may come after the response in it, but not after the next response.
  await client.write('after', { timeoutMs: TIMEOUT });
  const all = Buffer.concat(pieces).toString('utf8');
  const next = all.indexOf('HTTP/1.1', 1);
  const text = next === -1 ? all.slice(0, all.length / 2) : all.slice(0, next);
  return { bytes: Buffer.byteLength(text), text };
}

interface CutOptions {
  readonly by: 'end' | 'reset';
  readonly step: number;
}

/** Cuts at every place, several at a time, each with its own server, proxy and client. */
async function cutEverywhere(transport: FaultyTransport, bytes: number, { by, step }: CutOptions): Promise<Cut[]> {
  const places = Array.from({ length: Math.floor(bytes / step) + 1 }, (_, index) => index * step);
  const cuts: Cut[] = [];
  const walk = async (): Promise<void> => {
    for (let after = places.shift(); after !== undefined; after = places.shift())
      cuts.push(await cut(transport, after, by));
  };
  // A client waits 100 ms before it resumes a stream, so many cuts can run at a time.
  await Promise.all(Array.from({ length: transport === resumable ? 24 : 4 }, walk));
  return cuts;
}

async function cut(transport: FaultyTransport, after: number, by: CutOptions['by']): Promise<Cut> {
  const journal = new Journal(transport.era);
  await using serving = await transport.serve(journal);
  await using proxy = await openFaultProxy({ port: serving.port });
  await using client = new JournalClient(transport.toConfig(proxy.port));
  await client.write('hello', { timeoutMs: TIMEOUT });
  await serving.listened;
  // When this response has arrived, the server's response to the GET has arrived too.
  await client.write('again', { timeoutMs: TIMEOUT });
  const shaken = proxy.taken;
  // The response comes on one of the idle connections. A resumed stream comes on a new connection, which has no fault.
  await proxy.set((connection) => (connection < shaken ? { cut: { direction: 'down', after, by } } : {}));
  const written = await client.write('word', { timeoutMs: TIMEOUT });
  const timesDone = journal.written.filter((word) => word === 'word').length;
  return { ...written, after, timesDone, resumed: serving.resumed ?? [] };
}
