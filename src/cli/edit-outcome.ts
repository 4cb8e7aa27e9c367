import type { Edit } from '../config/edit-file.js';
import type { Invocation } from './arguments.js';
import { showDiff } from './diff.js';
import type { Outcome } from './verb.js';

export interface EditReport {
  readonly invocation: Invocation;
  readonly server: string;
  readonly scope: string;
  readonly edits: readonly Edit[];
  /** The sentence for a person once it is done. */
  readonly done: string;
}

/** What every verb that changes a file answers: the file, the server, the scope, and on a dry run the difference. */
export function editOutcome({ invocation, server, scope, edits, done }: EditReport): Outcome {
  const dryRun = invocation.has('dry-run');
  const file = edits[0]?.file ?? null;
  const diff = edits.map((edit) => showDiff(edit, { reveal: invocation.has('reveal') })).join('\n');
  const data = { file, server, scope, changed: edits.length > 0, ...(dryRun && { dryRun, diff }) };
  if (dryRun) return { data, text: diff === '' ? 'Nothing would change' : diff };
  return { data, text: [done, ...edits.map((edit) => `File modified: ${edit.file}`)].join('\n') };
}
