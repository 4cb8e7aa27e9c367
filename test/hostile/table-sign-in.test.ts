import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signsIn, type SignInWanted } from '../../src/testing/expectation.js';
import type { ServedMode } from '../../src/testing/loopback.js';
import type { HttpMode } from '../../src/testing/mode.js';
import { findMode, modes } from '../../src/testing/modes.js';
import { serveMode } from '../../src/testing/serve-mode.js';
import { type Bundle, bundle } from './bundle.js';
import { type SignInHost, startSignInHost } from './signing-host.js';
import type { SignInFigures } from './sign-in-figures.js';
import { signInFaults } from './sign-in-verdict.js';
import type { Judging } from './verdict.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const SHORT_MS = 300; // for modes that only a deadline ends
const PAGE_MS = 10_000; // for modes that only a deadline ends, after a page that must have been visited by then
const LONG_MS = 300_000; // for modes that must not need a deadline
const bounds: Judging['bounds'] = {
  stallMs: 250,
  atOnceMs: 150,
  inTimeMs: 15_000,
  growthMb: 64,
  closeMs: 5000,
  neighbourMs: FULL ? 2000 : Infinity, // when many sign in at once, CPU time cannot be attributed to one
  slackMs: 5000, // the host extends a deadline by the time that its own event loop was late
};

interface SignInMode extends HttpMode {
  readonly expect: SignInWanted;
}
const cases = modes
  .filter((mode): mode is SignInMode => mode.expect.connect === 'sign-in')
  .map((mode) => [mode.name, mode.summary, mode] as const);

let folder: string;
let program: Bundle;
let host: SignInHost;
let good: ServedMode;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-sign-in-')));
  program = await bundle(`import './sign-in-host.js';`, import.meta.dirname);
  good = await serveMode(findMode('good-http-json') as HttpMode);
  host = startSignInHost(program.script);
  // Warms the host up: what it loads for its first sign-in is not counted.
  for (const round of [1, 2, 3]) await check(`warm-up-${round}`, findMode('oauth-baseline') as SignInMode);
  await host.toll();
});
afterAll(async () => {
  await host.end();
  const isWorthShowing = rows.some((row) => !row.endsWith(GOOD)) || process.env['PLUGBOARD_TABLE'] !== undefined;
  if (isWorthShowing) process.stdout.write(`${rows.join('\n')}\n`);
  await good[Symbol.asyncDispose]();
  program[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function check(name: string, mode: SignInMode, oauth?: Record<string, unknown>): Promise<readonly string[]> {
  await using served = await serveMode(mode);
  const home = join(folder, name);
  mkdirSync(home);
  const deadlineMs = deadlineOf(mode.expect.signIn);
  const figures = await host.suffer({
    mode: name,
    url: served.url,
    good: good.url,
    folder: home,
    deadlineMs,
    ...(oauth && { oauth }),
  });
  if (!figures) return ['the host died'];
  const deadlines = { connect: deadlineMs, list: LONG_MS, call: LONG_MS, next: LONG_MS };
  const faults = signInFaults(
    mode.expect,
    figures,
    { counts: served.counts(), log: served.log },
    { deadlines, bounds },
  );
  rows.push(
    `${name.padEnd(NAME_WIDTH)} ${toRow(figures)}  ${faults.length === 0 ? GOOD : faults.join('; ').slice(0, 600)}`,
  );
  return faults;
}

function deadlineOf(wanted: SignInWanted['signIn']): number {
  if (wanted.when !== 'by the deadline') return LONG_MS;
  return 'page' in wanted && wanted.page === 'seen' ? PAGE_MS : SHORT_MS;
}

/** Printed when something is wrong, or when PLUGBOARD_TABLE is set. */
const rows: string[] = [];
const GOOD = 'ok';
const NAME_WIDTH = 36;

function toRow({ signIn, call, next, end, page, neighbour }: SignInFigures): string {
  const times = [signIn, call, next].map((step) => String(step?.ms ?? '-').padStart(6));
  const beside = `${String(neighbour.calls).padStart(4)} x ${String(neighbour.busiestMs).padStart(4)} ms`;
  return `${times.join(' ')} ${beside} ${end}${page === undefined ? ', no page' : ''} ${signIn.error?.message.slice(0, 160) ?? ''}`;
}

// Concurrent, because the modes mostly wait. One by one in the full run, to attribute a stall to its mode.
test.each(cases)(
  '%s: the host does what is right when a server %s',
  { concurrent: !FULL },
  async (_name, _summary, mode) => {
    expect(await check(mode.name, mode)).toEqual([]);
    if (FULL) await checkToll(mode.name, bounds.growthMb);
  },
);

test('all of them together neither stop the host nor fill its memory', async () => {
  await checkToll('all of them', 2 * bounds.growthMb);
});

async function checkToll(who: string, growth: number): Promise<void> {
  const { stallMs, growthMb, isPolluted } = await host.toll();
  rows.push(`${who}: stall ${stallMs} ms, growth ${growthMb} MB  ${GOOD}`);
  expect(stallMs).toBeLessThanOrEqual(bounds.stallMs);
  expect(growthMb).toBeLessThanOrEqual(growth);
  expect(isPolluted).toBe(false);
}

test.each([
  ['oauth-as-no-pkce', { allowMissingPkce: true }],
  ['oauth-as-issuer-slash', { allowIssuerMismatch: true }],
])('a user who says of a server that %s is all right there signs in', async (name, oauth) => {
  const mode = findMode(name) as SignInMode;
  expect(await check(`${name}-allowed`, { ...mode, expect: signsIn() }, oauth)).toEqual([]);
});
