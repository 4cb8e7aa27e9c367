import { showLine } from '../../model/show.js';
import type { ConfigContext } from '../../config/context.js';
import type { Edit } from '../../config/edit/edit-file.js';
import type { Told } from '../told.js';

export interface EditReportOptions {
  readonly config: ConfigContext;
  readonly server: string;
  readonly scope: string;
  readonly edits: readonly Edit[];
  readonly isDryRun: boolean;
  readonly reveal: boolean;
  /** The sentence for the user after the edit. */
  readonly done: string;
}

/** The result of every action that edits a file: file, server, scope, and on a dry run the difference. */
export interface EditReport {
  readonly json: {
    readonly file: string | null;
    readonly server: string;
    readonly scope: string;
    readonly changed: boolean;
    readonly dryRun?: true;
    readonly diff?: string;
  };
  readonly told: Told;
}

export async function reportEdits(options: EditReportOptions): Promise<EditReport> {
  const { config, server, scope, edits, isDryRun, reveal, done } = options;
  const json = { file: edits[0]?.file ?? null, server, scope, changed: edits.some((edit) => edit.changed) };
  if (isDryRun) {
    const { showDiff } = await import('../../config/show-diff.js');
    const diff = edits.map((edit) => showDiff(edit, { reveal })).join('\n');
    const part =
      diff === ''
        ? { kind: 'sentence' as const, text: 'Nothing would change' }
        : { kind: 'quote' as const, lines: diff.split('\n') };
    return { json: { ...json, dryRun: true, diff }, told: { tone: 'note', parts: [part] } };
  }
  const { localFile } = await import('../../config/scopes/local.js');
  const local = localFile(config);
  // The name of a local file is a hash, so the project is shown beside it.
  const files = edits.map(({ file }) => showLine(file === local ? `${file} [project: ${config.projectRoot}]` : file));
  const parts = [
    { kind: 'sentence', text: showLine(done) },
    ...(files.length > 0 ? [{ kind: 'edits', files } as const] : []),
  ] as const;
  return { json, told: { tone: 'done', parts } };
}
