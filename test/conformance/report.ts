import { unreachable } from '../../src/base/never.js';
import { type Counts, isBad, type Outcome, type Verdict } from './verdict.js';

/** The result of one scenario at one protocol version. */
export interface Result extends Verdict {
  readonly scenario: string;
  readonly revision: string;
  readonly attempts: number;
  readonly ms: number;
  /** Why the scenario is in `notYet`, or was not run. */
  readonly reason: string | undefined;
}

const words: Readonly<Record<Outcome, string>> = {
  passed: 'ok',
  failed: 'FAIL',
  empty: 'EMPTY',
  'not-yet': 'not yet',
  stale: 'STALE',
  'not-applicable': '-',
};

/** One line, and below an unexpected outcome its faults. */
export function toLine(result: Result): string {
  const { scenario, revision, outcome, faults } = result;
  const head = `${words[outcome].padEnd(8)} ${revision.padEnd(10)} ${scenario.padEnd(45)} ${describe(result)}`;
  if (!isBad(outcome)) return `${head.trimEnd()}\n`;
  return `${head.trimEnd()}\n${faults.map((fault) => `         ${cut(fault).replaceAll('\n', '\n         ')}\n`).join('')}`;
}

/** A table of outcomes by protocol version, and the ones that decide the exit code. */
export function toSummary(results: readonly Result[]): string {
  const revisions = [...new Set(results.map(({ revision }) => revision))].toSorted();
  const outcomes: readonly Outcome[] = ['passed', 'failed', 'empty', 'stale', 'not-yet', 'not-applicable'];
  const rows = outcomes.map((outcome) => {
    const numbers = revisions.map((revision) => {
      return results.filter((one) => one.outcome === outcome && one.revision === revision).length;
    });
    return [outcome, ...numbers.map(String)];
  });
  const checks = revisions.map((revision) => {
    const passed = results.filter((one) => one.outcome === 'passed' && one.revision === revision);
    return `${passed.reduce((sum, { counts }) => sum + counts.passed, 0)}`;
  });
  const table = toTable(['scenarios', ...revisions], [...rows, ['checks passed', ...checks]]);
  const bad = results.filter(({ outcome }) => isBad(outcome));
  const verdict = bad.map(({ scenario, revision, outcome }) => `${words[outcome]} ${revision} ${scenario}\n`).join('');
  return `${table}\n${verdict === '' ? 'Nothing unexpected.\n' : verdict}`;
}

function describe({ outcome, counts, attempts, ms, reason }: Result): string {
  switch (outcome) {
    case 'not-applicable':
      return reason ?? 'the suite skips it';
    case 'not-yet':
      return `${reason ?? ''} (${toNumbers(counts)})`;
    case 'stale':
      return 'it passes: take it off the list in test/conformance/not-yet.ts';
    case 'empty':
    case 'failed':
    case 'passed':
      return `${toNumbers(counts)}, ${ms} ms${attempts > 1 ? `, attempt ${attempts}` : ''}`;
    default:
      return unreachable(outcome);
  }
}

function toNumbers({ passed, failed, warnings, skipped }: Counts): string {
  const rest = [warnings > 0 ? `, ${warnings} warnings` : '', skipped > 0 ? `, ${skipped} skipped` : ''];
  return `${passed}/${passed + failed} checks${rest.join('')}`;
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const toRow = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map((cells) => `${toRow(cells)}\n`).join('');
}

function cut(text: string): string {
  return text.length > FAULT_LIMIT ? `${text.slice(0, FAULT_LIMIT)} ...` : text;
}

const FAULT_LIMIT = 1_500; // a fault may quote a whole message
