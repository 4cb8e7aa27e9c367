import type { Edit } from '../config/edit-file.js';
import { localFile } from '../config/scopes/local.js';
import type { ConfigContext } from '../config/context.js';
import type { Invocation } from './arguments.js';
import { showDiff } from '../config/show-diff.js';
import { showLine } from '../model/show.js';
import type { Outcome } from './verb.js';

export interface EditReport {
  readonly invocation: Invocation;
  readonly context: ConfigContext;
  readonly server: string;
  readonly scope: string;
  readonly edits: readonly Edit[];
  /** The sentence for a person once it is done. */
  readonly done: string;
}

/** What every verb that changes a file answers: the file, the server, the scope, and on a dry run the difference. */
export function editOutcome({ invocation, context, server, scope, edits, done }: EditReport): Outcome {
  const dryRun = invocation.has('dry-run');
  const file = edits[0]?.file ?? null;
  const diff = edits.map((edit) => showDiff(edit, { reveal: invocation.has('reveal') })).join('\n');
  const data = { file, server, scope, changed: edits.some((edit) => edit.changed), ...(dryRun && { dryRun, diff }) };
  if (dryRun) return { data, text: diff === '' ? 'Nothing would change' : diff };
  return { data, text: [showLine(done), ...edits.map((edit) => modified(edit.file, context))].join('\n') };
}

/** A local file is named by a hash, so the project it belongs to is told beside it. */
function modified(file: string, context: ConfigContext): string {
  const project = file === localFile(context) ? ` [project: ${context.projectRoot}]` : '';
  return showLine(`File modified: ${file}${project}`);
}
