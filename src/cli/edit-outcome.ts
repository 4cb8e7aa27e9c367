import { type EditReportOptions, reportEdits } from '../actions/edit-report.js';
import type { Invocation } from './arguments.js';
import { print } from './run-action.js';
import type { Outcome } from './verb.js';

/** What a verb that changes a file answers, where it is no action yet. */
export async function editOutcome({
  invocation,
  ...edited
}: Omit<EditReportOptions, 'isDryRun' | 'reveal'> & { readonly invocation: Invocation }): Promise<Outcome> {
  const isDryRun = invocation.has('dry-run');
  return print(await reportEdits({ ...edited, isDryRun, reveal: invocation.has('reveal') }));
}
