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
import { onDisk } from '../on-disk.js';
import { processesLeft } from './processes.js';
import { startHost, type SufferingHost } from './suffering-host.js';
import { type Bounds, faultsOf } from './verdict.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const bounds: Bounds = {
  stallMs: FULL ? 50 : 250,
  atOnceMs: 150,
  inTimeMs: 15_000,
  growthMb: 64,
  closeMs: 5000,
  neighbourMs: FULL ? 250 : 1000,
  slackMs: 5000, // the host extends a deadline by the time that its own event loop was late
};
const SHORT_MS = 200; // for modes that only a deadline ends
const LONG_MS = 300_000; // for modes that must not need a deadline
/** A host that has grown by this much is replaced: memory that it has already would hide later growth. */
const FRESH_MB = 32;

/**
 * Runs every mode of a channel in turn, while a healthy neighbour is called throughout. The table of figures is printed
 * when something is wrong, or when PLUGBOARD_TABLE is set.
 */
export function testTable(channel: Channel): void {
  let folder: string;
  let bundles: readonly [server: Bundle, host: Bundle];
  let host: SufferingHost | undefined;
  let good: ServedMode | undefined;
  const rows: string[] = [];

  onDisk();
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
    host ??= startHost({ folder, host: program.script, server: server.script, good: known });
    const figures = await host.suffer(mode, { mark, deadlines });
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
    // Sign-in modes have their own table.
    .filter(({ expect: expected }) => expected.connect !== 'sign-in')
    .filter(isTried);
  const cases = own.filter(({ needs }) => needs === undefined).map((mode) => [mode.name, mode.summary, mode] as const);
  // Attacks that only a sandbox can stop run in one, where it is available.
  const confined = own.filter(({ needs }) => needs === 'sandbox');
  test.each(confined)('$name, in a sandbox: the host does what is right when a server $summary', async (mode) => {
    await check(mode);
  });
  test.each(cases)('%s: the host does what is right when a server %s', async (_name, _summary, mode) => {
    await check(mode);
  });
}

/**
 * test:full runs every mode. Otherwise, of each family over stdio and HTTP one mode for each way a call can end, and
 * over the other channels only families that exist nowhere else, because the code below is shared.
 */
function isTried(mode: Mode): boolean {
  const isFirst = (): boolean => modes.find((other) => kindOf(other) === kindOf(mode)) === mode;
  return (
    FULL || mode.name.startsWith('good-') || (isFirst() && (isCommon(mode) || !commonFamilies.has(familyOf(mode))))
  );
}

function isCommon({ channel }: Mode): boolean {
  return channel === 'stdio' || channel === 'http';
}

/** Modes of several channels have the name of the stdio one after their channel's; its first word is the family. */
function kindOf(mode: Mode): string {
  return [mode.channel, familyOf(mode), mode.needs, ...outcomesOf(mode.expect)].join(' ');
}

function familyOf({ name }: Mode): string {
  return name.replace(/^(?:http|sse-legacy|ws)-/u, '').split('-')[0]!;
}

const commonFamilies = new Set(modes.filter(isCommon).map(familyOf));

function outcomesOf(expected: Mode['expect']): readonly unknown[] {
  if (expected.connect === 'sign-in') return [];
  if (expected.connect !== 'ok') return ['refused', expected.connect.when];
  return [expected.list.kind, expected.call.kind, expected.next];
}

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
const HEADING = `${'mode'.padEnd(NAME_WIDTH)}    connect       list       call       next      close stall    MB   neighbour  (milliseconds: passed/waited for)`;

function toRow(name: string, figures: Figures | undefined, faults: readonly string[]): string {
  const verdict = faults.length === 0 ? GOOD : faults.join('; ').slice(0, 400);
  if (!figures) return `${name.padEnd(NAME_WIDTH)} ${verdict}`;
  const { connect, list, call, next, close, stallMs, growthMb, neighbour } = figures;
  const steps = [connect, list, call, next, close].map((step) =>
    (step ? `${step.ms}/${step.waitedMs}` : '-').padStart(10),
  );
  const numbers = [stallMs, growthMb].map((value) => String(value).padStart(5));
  const beside = `${String(neighbour.calls).padStart(5)} x ${String(neighbour.busiestMs).padStart(4)} ms`;
  return `${name.padEnd(NAME_WIDTH)}  ${steps.join(' ')} ${numbers.join(' ')} ${beside}  ${verdict}`;
}
