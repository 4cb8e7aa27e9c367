import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Harness, type HarnessOptions, type Scenario } from './harness.js';
import { findReason, listedScenarios } from './not-yet.js';
import { type Result, toLine, toSummary } from './report.js';
import { mainServer } from './server/server-main.js';
import { isBad, judge } from './verdict.js';

/** The last revision of each era. */
const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
const USAGE = `Usage: npm run conformance -- [--scenario NAME]... [--revision ${REVISIONS.join('|')}] [--json FILE]
       npm run conformance -- --server --help
`;

/** Runs every client scenario at both protocol versions, one after the other. Returns the exit code. */
export async function main(args: readonly string[], world: HarnessOptions): Promise<number> {
  if (args.includes('--server')) return mainServer(args, world);
  const flags = readFlags(args);
  if (typeof flags === 'string') return stop(flags);
  if (flags.help) return (process.stdout.write(USAGE), 0);
  const harness = await Harness.open(world);
  const all = await harness.list();
  const names = flags.scenario ?? all.map(({ name }) => name);
  const unknown = names.find((name) => all.every((one) => one.name !== name));
  if (unknown !== undefined) {
    return stop(`There is no scenario "${unknown}". There are:\n${all.map(({ name }) => `  ${name}\n`).join('')}`);
  }
  const gone = listedScenarios().find((name) => all.every((one) => one.name !== name));
  if (gone !== undefined)
    return stop(`The suite has no "${gone}" any more: take it off test/conformance/not-yet.ts.\n`);
  const chosen = all.filter(({ name }) => names.includes(name));
  print(
    `@modelcontextprotocol/conformance ${harness.version}: scenarios for clients, Node ${process.versions.node}\n\n`,
  );
  const results: Result[] = [];
  for (const { name, revision, isApplicable } of plan(chosen, flags.revision)) {
    const result = isApplicable ? await tryTwice(harness, name, revision) : notApplicable(name, revision);
    results.push(result);
    print(toLine(result));
  }
  print(`\n${toSummary(results)}`);
  if (flags.json !== undefined) {
    const suite = { version: harness.version, node: process.versions.node, date: new Date().toISOString() };
    writeFileSync(flags.json, `${JSON.stringify({ suite, results }, null, 2)}\n`);
  }
  return results.some(({ outcome }) => isBad(outcome)) ? 1 : 0;
}

interface Step {
  readonly name: string;
  /** Undefined: the protocol version that the suite chooses. */
  readonly revision: string | undefined;
  readonly isApplicable: boolean;
}

function plan(scenarios: readonly Scenario[], only: string | undefined): readonly Step[] {
  return scenarios.flatMap(({ name, revisions }): Step[] => {
    // Extensions belong to no protocol version, and some scenarios only to older ones: the suite chooses.
    if (!REVISIONS.some((one) => revisions.includes(one))) return [{ name, revision: undefined, isApplicable: true }];
    return REVISIONS.filter((one) => only === undefined || one === only).map((revision) => {
      return { name, revision, isApplicable: revisions.includes(revision) };
    });
  });
}

/** Runs a failed scenario once more: on a busy machine the suite now and then loses a connection. */
async function tryTwice(harness: Harness, name: string, revision: string | undefined): Promise<Result> {
  const reason = findReason(name);
  for (let attempt = 1; ; attempt++) {
    const run = await harness.run(name, revision);
    const verdict = judge(run, { isListed: reason !== undefined });
    if (attempt < ATTEMPTS && verdict.outcome === 'failed') continue;
    return { scenario: name, revision: revision ?? OWN, ...verdict, attempts: attempt, ms: run.ms, reason };
  }
}

function notApplicable(scenario: string, revision: string | undefined): Result {
  const counts = { passed: 0, failed: 0, warnings: 0, skipped: 0 };
  const reason = 'that revision does not have it';
  return {
    scenario,
    revision: revision ?? OWN,
    outcome: 'not-applicable',
    counts,
    faults: [],
    attempts: 0,
    ms: 0,
    reason,
  };
}

const ATTEMPTS = 2;
const OWN = 'any';

interface Flags {
  readonly scenario?: readonly string[] | undefined;
  readonly revision?: string | undefined;
  readonly json?: string | undefined;
  readonly help: boolean;
}

/** Returns a message when the flags are wrong. */
function readFlags(args: readonly string[]): Flags | string {
  const options = {
    scenario: { type: 'string', multiple: true },
    revision: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { values } = parseArgs({ args: [...args], options });
    const isKnown = values.revision === undefined || REVISIONS.some((one) => one === values.revision);
    return isKnown ? values : `There is no revision "${values.revision}" to run at.\n${USAGE}`;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${USAGE}`;
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

function stop(message: string): number {
  process.stderr.write(message);
  return 2;
}
