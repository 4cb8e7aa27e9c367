import { expect, test } from 'vitest';
import { type FaultProxy, type Faults, openFaultProxy } from './fault-proxy.js';
import { JournalClient, type WriteOptions, type Written } from './journal-client.js';
import { type FaultyTransport, inEvents, transports } from './journal-transports.js';
import { Journal } from './journal.js';

const isFull = Boolean(process.env['PLUGBOARD_FULL']);

interface Scenario {
  /** Ends the sentence "every call ends in time, and nothing is done twice, ...". */
  readonly when: string;
  readonly faults: Faults;
  /** The faults come and go. */
  readonly flaps?: true;
  /** How calls may end during the faults. */
  readonly outcomes: readonly string[];
  /** Which calls the server may have run during the faults, on transports whose requests travel apart. */
  readonly done: 'nothing' | 'everything' | 'anything';
  /** Extra characters in each response. */
  readonly padding?: number;
  /** The faults leave idle connections dead without a sign, so a later call may still use one. */
  readonly strands?: true;
}

const LATE = ['call-timeout', 'connect-timeout'];
const BROKEN = ['http-failed', 'connection-closed', 'connect-failed'];

const scenarios: readonly Scenario[] = [
  { when: 'when the network is slow', faults: { latencyMs: 20 }, outcomes: ['ok'], done: 'everything' },
  { when: 'when it is slower than anybody waits', faults: { latencyMs: 60_000 }, outcomes: LATE, done: 'nothing' },
  { when: 'when little passes', faults: { bytesPerSecond: 20_000 }, outcomes: ['ok'], done: 'everything' },
  {
    when: 'when an answer takes longer to pass than anybody waits',
    faults: { bytesPerSecond: 20_000 },
    padding: 100_000,
    outcomes: LATE,
    done: 'everything',
  },
  {
    when: 'when the connection ends within a request',
    faults: { cut: { direction: 'up', after: 20, by: 'end' } },
    outcomes: BROKEN,
    done: 'nothing',
  },
  {
    when: 'when the connection is reset within a request',
    faults: { cut: { direction: 'up', after: 20, by: 'reset' } },
    outcomes: BROKEN,
    done: 'nothing',
  },
  {
    when: 'when the connection ends before the answer',
    faults: { cut: { direction: 'down', after: 0, by: 'end' } },
    outcomes: BROKEN,
    done: 'everything',
  },
  {
    when: 'when the connection is reset before the answer',
    faults: { cut: { direction: 'down', after: 0, by: 'reset' } },
    outcomes: BROKEN,
    done: 'everything',
  },
  {
    when: 'when the connection is reset within the answer',
    faults: { cut: { direction: 'down', after: 100, by: 'reset' } },
    padding: 500,
    outcomes: BROKEN,
    done: 'everything',
  },
  { when: 'when answers get lost', faults: { lose: 'down' }, outcomes: LATE, done: 'everything' },
  { when: 'when requests get lost', faults: { lose: 'up' }, outcomes: LATE, done: 'nothing' },
  { when: 'when everything gets lost', faults: { lose: 'both' }, outcomes: LATE, done: 'nothing' },
  {
    when: 'when a router has forgotten the connections and nobody takes new ones',
    faults: { open: 'stranded', door: 'silent' },
    strands: true,
    outcomes: LATE,
    done: 'nothing',
  },
  { when: 'when the server is down', faults: { open: 'reset', door: 'refuse' }, outcomes: BROKEN, done: 'nothing' },
  { when: 'when connections are reset', faults: { open: 'reset', door: 'reset' }, outcomes: BROKEN, done: 'nothing' },
  {
    when: 'when the answers on every second connection get lost',
    faults: (connection) => (connection % 2 === 0 ? { lose: 'down' } : {}),
    outcomes: ['ok', ...LATE],
    done: 'everything',
  },
  {
    when: 'when the network comes and goes',
    faults: { open: 'reset', door: 'refuse' },
    flaps: true,
    outcomes: ['ok', ...BROKEN],
    done: 'anything',
  },
  {
    when: 'when the network stalls again and again',
    faults: { latencyMs: 120 },
    flaps: true,
    outcomes: ['ok'],
    done: 'everything',
  },
];

const DEADLINE = isFull ? 1_000 : 4_000; // for calls that are to time out; leaves time to reach the server
const TIMEOUT = 300_000; // for calls that are not to time out
const SLACK = isFull ? 1_000 : Infinity; // other tests run on this machine in `npm test`
const RECOVERY = isFull ? 5_000 : TIMEOUT;
const ROUNDS = isFull ? 25 : 1;
const AT_ONCE = 4;
const FLAP_MS = 25;
const THROTTLE_MS = 20;

for (const scenario of scenarios) {
  test.concurrent(`every call ends in time, and nothing is done twice, ${scenario.when}`, async () => {
    const neighbour = await openNeighbour();
    const complaints = await Promise.all(transports.map((transport) => suffer(transport, scenario)));
    expect(complaints.flat()).toEqual([]);
    expect(await neighbour.leave()).toEqual([]);
  });
}

/** Runs one scenario over one transport and returns what went wrong. */
async function suffer(transport: FaultyTransport, scenario: Scenario): Promise<string[]> {
  const journal = new Journal(transport.era);
  await using serving = await transport.serve(journal);
  await using proxy = await openFaultProxy({ port: serving.port });
  await using client = new JournalClient(transport.toConfig(proxy.port));
  const { padding = 0, strands } = scenario;
  const isTimedOut = scenario.outcomes.includes(LATE[0]!);
  const timeoutMs = isTimedOut ? DEADLINE : TIMEOUT;
  const before = await writeMany(client, 'before', { timeoutMs: TIMEOUT });

  await proxy.set(scenario.faults);
  const flapping = scenario.flaps && flap(proxy, scenario.faults);
  const during: Written[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    during.push(...(await writeMany(client, `during-${round}`, { timeoutMs, padding })));
  }
  await flapping?.[Symbol.asyncDispose]();
  const done = journal.written.filter((word) => word.startsWith('during'));
  await proxy.set({});
  const recovery = await recover(client, strands ? DEADLINE : RECOVERY);
  await proxy.set({ open: 'reset', door: 'refuse' });

  // A transport with one connection for all calls finds after a while that the connection is dead.
  const outcomes = isTimedOut && !transport.isApart ? [...scenario.outcomes, 'connection-closed'] : scenario.outcomes;
  const [least, most] = toBounds(scenario.done, transport);
  return [
    ...before.filter(({ outcome }) => outcome !== 'ok').map((call) => `before any fault ${tell(call)}`),
    ...during.filter(({ outcome }) => !outcomes.includes(outcome)).map(tell),
    ...during.filter(({ tookMs }) => tookMs > timeoutMs + SLACK).map((call) => `late: ${tell(call)}`),
    ...during
      .filter(({ word, outcome }) => outcome === 'ok' && !done.includes(word))
      .map((call) => `not done: ${tell(call)}`),
    ...journal.written
      .filter((word, index, all) => all.indexOf(word) !== index)
      .map((word) => `${word} was done twice`),
    ...(done.length < least * during.length || done.length > most * during.length ? [`${done.length} were done`] : []),
    ...(recovery.tookMs > RECOVERY ? [`no call was answered within ${RECOVERY} ms after the fault`] : []),
    ...(transport.isApart && !strands && recovery.tries > 1
      ? [`only call ${recovery.tries} was answered after the fault`]
      : []),
  ].map((complaint) => `${transport.name}: ${complaint}`);
}

/** A client whose server has no faults; `leave` returns which of its calls failed. */
async function openNeighbour(): Promise<{ leave(): Promise<string[]> }> {
  const serving = await inEvents.serve(new Journal());
  const client = new JournalClient(inEvents.toConfig(serving.port));
  const leaving = new AbortController();
  const write = async (): Promise<string[]> => {
    const failed: string[] = [];
    for (let index = 0; !leaving.signal.aborted; index++) {
      const written = await client.write(`neighbour-${index}`, { timeoutMs: TIMEOUT });
      if (written.outcome !== 'ok') failed.push(tell(written));
      await new Promise((resolve) => setTimeout(resolve, THROTTLE_MS));
    }
    return failed;
  };
  const writing = write();
  return {
    async leave() {
      leaving.abort();
      const failed = await writing;
      await client[Symbol.asyncDispose]();
      await serving[Symbol.asyncDispose]();
      return failed;
    },
  };
}

function tell({ word, outcome, message, tookMs }: Written): string {
  return `${word} ended as ${outcome} after ${Math.round(tookMs)} ms ${message}`;
}

/**
 * The least and greatest share of calls that may have run; on a shared connection the first fault may stop the rest.
 */
function toBounds(done: Scenario['done'], { isApart }: FaultyTransport): [number, number] {
  if (done === 'nothing') return [0, 0];
  return done === 'everything' && isApart ? [1, 1] : [0, 1];
}

function writeMany(client: JournalClient, word: string, options: WriteOptions): Promise<Written[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, index) => client.write(`${word}-${index}`, options)));
}

/** Calls until one succeeds; returns the number of calls and the time. */
async function recover(client: JournalClient, timeoutMs: number): Promise<{ tries: number; tookMs: number }> {
  const began = performance.now();
  for (let tries = 1; performance.now() - began < RECOVERY; tries++) {
    const { outcome } = await client.write(`after-${tries}`, { timeoutMs });
    if (outcome === 'ok') return { tries, tookMs: performance.now() - began };
  }
  return { tries: Infinity, tookMs: Infinity };
}

/** Switches the faults on and off until disposed. */
function flap(proxy: FaultProxy, faults: Faults): AsyncDisposable {
  let turn = 0;
  let changing = Promise.resolve();
  const timer = setInterval(() => {
    changing = changing.then(() => proxy.set(turn++ % 2 === 0 ? {} : faults));
  }, FLAP_MS);
  return {
    [Symbol.asyncDispose]() {
      clearInterval(timer);
      return changing;
    },
  };
}
