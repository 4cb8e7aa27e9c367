import { DONE } from './done.js';

/** One check of the suite. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The result of one run of one scenario. */
export interface Run {
  /** The suite exited with 0. */
  readonly isContent: boolean;
  /** The suite did not run the scenario, because the protocol version does not have it. */
  readonly isSkipped: boolean;
  readonly isTimedOut: boolean;
  readonly checks: readonly Check[];
  /** Undefined where a server is tested. */
  readonly driver?: { readonly stdout: string; readonly stderr: string };
  /** The suite's own output. */
  readonly suite: string;
  readonly ms: number;
}

/**
 * `empty`: the suite checked nothing, which it counts as passed. `not-yet`: fails and is in `notYet`. `stale`: passes
 * and is in `notYet`. `not-applicable`: the protocol version does not have the scenario.
 */
export type Outcome = 'passed' | 'failed' | 'empty' | 'not-yet' | 'stale' | 'not-applicable';

export interface Verdict {
  readonly outcome: Outcome;
  readonly counts: Counts;
  /** Why the scenario did not pass, one line for each reason. */
  readonly faults: readonly string[];
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  readonly skipped: number;
}

/** Whether the outcome is unexpected, so that the whole run fails. */
export function isBad(outcome: Outcome): boolean {
  return outcome === 'failed' || outcome === 'empty' || outcome === 'stale';
}

export function judge(run: Run, { isListed }: { readonly isListed: boolean }): Verdict {
  const counts = count(run.checks);
  if (run.isSkipped) return { outcome: 'not-applicable', counts, faults: [] };
  const faults = findFaults(run);
  if (faults.length > 0) return { outcome: isListed ? 'not-yet' : 'failed', counts, faults };
  if (counts.passed === 0) {
    return { outcome: isListed ? 'not-yet' : 'empty', counts, faults: ['the suite looked at nothing'] };
  }
  return { outcome: isListed ? 'stale' : 'passed', counts, faults };
}

function findFaults({ isContent, isTimedOut, checks, driver, suite }: Run): readonly string[] {
  if (isTimedOut) return ['it was not over in time'];
  const faults = checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, name, status, errorMessage, description = '' }) => {
      return `${status} ${id} (${name}): ${errorMessage ?? description}`;
    });
  const words = driver?.stderr.trim() ?? '';
  if (driver && !driver.stdout.includes(DONE))
    faults.push(`the driver did not finish${words === '' ? '' : `: ${words}`}`);
  if (!isContent && faults.length === 0) faults.push(`the suite is not content: ${suite.trim().slice(-SUITE_WORDS)}`);
  return faults;
}

const SUITE_WORDS = 1_000;

function count(checks: readonly Check[]): Counts {
  const number = (status: Check['status']): number => checks.filter((check) => check.status === status).length;
  return {
    passed: number('SUCCESS'),
    failed: number('FAILURE'),
    warnings: number('WARNING'),
    skipped: number('SKIPPED'),
  };
}
