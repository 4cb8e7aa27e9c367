import { type EditReportOptions, reportEdits } from '../actions/edit-report.js';
import { print } from './run-action.js';
import type { Outcome, Run } from './verb.js';

/** What a verb that changes a file answers, where it is no action yet. */
export async function editOutcome({
  invocation,
  io,
  ...edited
}: Omit<EditReportOptions, 'isDryRun' | 'reveal'> & Run): Promise<Outcome> {
  const isDryRun = invocation.has('dry-run');
  return print(await reportEdits({ ...edited, isDryRun, reveal: invocation.has('reveal') }), { invocation, io });
}
