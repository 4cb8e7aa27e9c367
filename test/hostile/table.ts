import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignInWanted, When } from '../../src/testing/expectation.js';
import type { Channel, Mode, StdioMode } from '../../src/testing/mode.js';
import type { ServedMode } from '../../src/testing/loopback.js';
import { modes } from '../../src/testing/modes.js';
import { serveMode } from '../../src/testing/serve-mode.js';
import { type Bundle, bundle, bundleStdioServer } from './bundle.js';
import type { Figures, Job } from './figures.js';
import { processesLeft } from './processes.js';
import { startHost, type SufferingHost } from './suffering-host.js';
import { type Bounds, faultsOf } from './verdict.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
/** On a quiet machine, and on one that has other things to do. */
const bounds: Bounds = {
  stallMs: FULL ? 50 : 250,
  atOnceMs: FULL ? 150 : 500,
  growthMb: 64,
  closeMs: 5000,
  neighbourMs: FULL ? 250 : 1000,
  slackMs: FULL ? 100 : 500,
};
const SHORT_MS = 200; // for what only a deadline ends
const LONG_MS = 15_000; // for what must not need one
/** A host that has grown by this much begins afresh: memory that it has already would hide the next one's. */
const FRESH_MB = 32;

/**
 * Every mode of a channel in turn, beside a healthy neighbour that is called throughout. The table of the figures is
 * printed when something is wrong, or when PLUGBOARD_TABLE is set.
 */
export function testTable(channel: Channel): void {
  let folder: string;
  let bundles: readonly [server: Bundle, host: Bundle];
  let host: SufferingHost | undefined;
  let good: ServedMode | undefined;
  const rows: string[] = [];

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-hostile-')));
    bundles = await Promise.all([bundleStdioServer(), bundle(`import './host.js';`, import.meta.dirname)]);
    if (channel !== 'stdio') good = await serveMode(goodMode(channel));
  });
  afterAll(async () => {
    await host?.end();
    await good?.[Symbol.asyncDispose]();
    const isWorthShowing = rows.some((row) => !row.endsWith(GOOD)) || process.env['PLUGBOARD_TABLE'] !== undefined;
    if (isWorthShowing) process.stdout.write(`${[HEADING, ...rows].join('\n')}\n`);
    for (const one of bundles) one[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const check = async (mode: Mode): Promise<void> => {
    const mark = `${process.pid}-${mode.name}`;
    const expected = mode.expect as Walked;
    const deadlines = deadlinesOf(expected);
    const [server, program] = bundles;
    const known = good && channel !== 'stdio' ? { channel, url: good.url } : undefined;
    const suffer = (): Promise<Figures | undefined> => {
      host ??= startHost({ folder, host: program.script, server: server.script, good: known });
      return host.suffer(mode, { mark, deadlines });
    };
    let figures = await suffer();
    // Where cores are short the collector may come late, once; what is really held is held the second time as well.
    if (!FULL && figures && figures.growthMb > bounds.growthMb) {
      await host?.end();
      host = undefined;
      figures = await suffer();
    }
    const left = mode.channel === 'stdio' ? await processesLeft(mark) : [];
    const faults = [
      ...(figures ? faultsOf(expected, figures, { deadlines, bounds }) : ['the host died']),
      ...left.map((command) => `left behind: ${command}`),
    ];
    rows.push(toRow(mode.name, figures, faults));
    if (!figures || figures.growthMb > FRESH_MB) {
      await host?.end();
      host = undefined;
    }
    expect(faults).toEqual([]);
  };

  const own = modes
    .filter((mode) => mode.channel === channel)
    // Nobody signs in here: that is another table.
    .filter(({ expect: expected }) => expected.connect !== 'sign-in')
    .filter(isTried);
  const cases = own.filter(({ needs }) => needs === undefined).map((mode) => [mode.name, mode.summary, mode] as const);
  // What only a sandbox can stop is tried in one, where there is one to be had.
  const confined = own.filter(({ needs }) => needs === 'sandbox');
  test.each(confined)('$name, in a sandbox: the host does what is right when a server $summary', async (mode) => {
    await check(mode);
  });
  test.each(cases)('%s: the host does what is right when a server %s', async (_name, _summary, mode) => {
    await check(mode);
  });
}

/**
 * What several channels have is tried over one of them, each in its turn, and of what only stdio has every second; all of it over every channel in
 * test:full. Modes of several channels have the name of the one over stdio, behind that of their channel.
 */
function isTried({ name, channel }: Mode): boolean {
  const base = baseOf(name);
  const channels = channelsOf.get(base)!;
  const at = bases.indexOf(base);
  if (FULL) return true;
  return channels.length === 1 && channel === 'stdio' ? at % 2 === 0 : channels[at % channels.length] === channel;
}

function baseOf(name: string): string {
  return name.replace(/^(?:http|sse-legacy|ws)-/u, '');
}

const bases: readonly string[] = [...new Set(modes.map(({ name }) => baseOf(name)))];
const channelsOf: ReadonlyMap<string, readonly Channel[]> = new Map(
  bases.map((base) => [base, modes.filter(({ name }) => baseOf(name) === base).map(({ channel }) => channel)]),
);

function goodMode(channel: Channel): Exclude<Mode, StdioMode> {
  return modes.find((mode) => mode.channel === channel && mode.name.startsWith('good-')) as Exclude<Mode, StdioMode>;
}

type Walked = Exclude<Mode['expect'], SignInWanted>;

function deadlinesOf(expected: Walked): Job['deadlines'] {
  if (expected.connect !== 'ok') {
    return { connect: toDeadline(expected.connect.when), list: LONG_MS, call: LONG_MS, next: LONG_MS };
  }
  const { list, call, next } = expected;
  return {
    connect: LONG_MS,
    list: toDeadline(list.when),
    call: call.kind === 'untried' ? LONG_MS : toDeadline(call.when),
    next: next === 'unanswered' ? SHORT_MS : LONG_MS,
  };
}

function toDeadline(when: When): number {
  return when === 'at the deadline' || when === 'by the deadline' ? SHORT_MS : LONG_MS;
}

const GOOD = 'ok';
const NAME_WIDTH = Math.max(...modes.map(({ name }) => name.length));
const HEADING = `${'mode'.padEnd(NAME_WIDTH)} connect   list   call   next close stall delay    MB   neighbour`;

function toRow(name: string, figures: Figures | undefined, faults: readonly string[]): string {
  const verdict = faults.length === 0 ? GOOD : faults.join('; ').slice(0, 400);
  if (!figures) return `${name.padEnd(NAME_WIDTH)} ${verdict}`;
  const { connect, list, call, next, closeMs, stallMs, delayMs, growthMb, neighbour } = figures;
  const steps = [connect, list, call, next].map((step) => String(step?.ms ?? '-').padStart(6));
  const numbers = [closeMs, stallMs, delayMs, growthMb].map((value) => String(value).padStart(5));
  const beside = `${String(neighbour.calls).padStart(5)} x ${String(neighbour.slowestMs).padStart(4)} ms`;
  return `${name.padEnd(NAME_WIDTH)}  ${steps.join(' ')} ${numbers.join(' ')} ${beside}  ${verdict}`;
}
