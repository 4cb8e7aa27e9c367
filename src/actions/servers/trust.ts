import { shellWord } from '../../base/shell-word.js';
import type { ConfigContext } from '../../config/context.js';
import type { TrustDecision } from '../../config/approval/folder-trust.js';
import { showLine, showPath } from '../../model/show.js';
import { usageError } from '../usage-error.js';
import { type Action, defineAction } from '../action.js';
import { configOf } from '../action-place.js';
import { dryRunArgument } from '../shared-arguments.js';
import type { ToldPart } from '../told.js';

const args = {
  folder: { kind: 'word', noun: 'a folder', isOptional: true },
  list: { kind: 'flag', summary: 'list every folder that you decided about' },
  remove: { kind: 'flag', summary: 'forget your decision about the folder' },
  dryRun: dryRunArgument,
} as const;

type Trusting =
  | { readonly kind: 'list'; readonly folders: readonly TrustDecision[] }
  | {
      readonly kind: 'trusted' | 'forgotten';
      readonly folder: string;
      /** The trust applies to this folder only, not to folders below it. */
      readonly isWide: boolean;
      /** The changed file; undefined on a dry run. */
      readonly file: string | undefined;
    };

export const trust: Action<typeof args, Trusting> = defineAction({
  name: 'trust',
  label: 'trust',
  doing: 'trusting',
  summary: 'Let your own servers start in a folder and all below it',
  args,
  needs: 'files',
  async run(on, { folder: given, list, remove, dryRun }, { now }) {
    const config = configOf(on);
    const { folderToTrust, isWide } = await import('../../config/approval/folder-trust.js');
    const { listTrust, rememberTrust, toFolder } = await import('../../config/approval/trust-edit.js');
    if (list) return { kind: 'list', folders: listTrust(config) };
    if (remove) {
      const folder = given === undefined ? folderToTrust(config) : await nameOf(given, config.cwd);
      return { kind: 'forgotten', folder, isWide: false, file: dryRun ? undefined : await forget(config, folder) };
    }
    const folder = given === undefined ? folderToTrust(config) : toFolder(given, config.cwd);
    const decided = { folder, decision: 'trusted', at: now().toISOString() } as const;
    const file = dryRun ? undefined : (await rememberTrust(config, decided)).file;
    return { kind: 'trusted', folder, isWide: isWide(folder, config.places.home), file };
  },
  json(trusting) {
    if (trusting.kind === 'list') return { folders: trusting.folders };
    const { kind, folder, file } = trusting;
    const decision = kind === 'trusted' ? kind : null;
    if (file !== undefined) return { file, folder, decision };
    return { folder, ...(decision !== null && { decision }), dryRun: true };
  },
  tell(trusting) {
    if (trusting.kind === 'list') return { tone: 'done', parts: rowsOf(trusting.folders) };
    const { kind, folder, isWide, file } = trusting;
    const isDone = file !== undefined;
    const covers = isWide ? 'itself, not what is below it' : 'and all below it';
    const text =
      kind === 'trusted'
        ? `${isDone ? 'Trusted' : 'Would trust'}: ${showPath(folder)} ${covers}`
        : `${isDone ? 'Forgot' : 'Would forget'} your decision about ${showPath(folder)}`;
    const edits = isDone ? [{ kind: 'edits', files: [showLine(file)] } as const] : [];
    return { tone: isDone ? 'done' : 'note', parts: [{ kind: 'sentence', text: showLine(text) }, ...edits] };
  },
});

async function forget(config: ConfigContext, folder: string): Promise<string> {
  const { decideTrust } = await import('../../config/approval/folder-trust.js');
  const { forgetTrust, listTrust } = await import('../../config/approval/trust-edit.js');
  const { file, isForgotten } = await forgetTrust(config, folder);
  if (isForgotten) return file;
  const decided = decideTrust(config, listTrust(config));
  // The decision may be about a folder above this one, and then is the one to forget.
  const isAbove = decided.kind !== 'undecided' && decided.by !== '--trust-folder';
  throw usageError(`you have decided nothing about ${folder}`, {
    hint: isAbove ? `plugboard trust --remove ${shellWord(decided.by)}` : 'plugboard trust --list',
  });
}

/** The folder's path; also for a folder that no longer exists, so that its decision can be forgotten. */
async function nameOf(given: string, cwd: string): Promise<string> {
  const { toFolder } = await import('../../config/approval/trust-edit.js');
  try {
    return toFolder(given, cwd);
  } catch {
    return process.getBuiltinModule('node:path').resolve(cwd, given);
  }
}

function rowsOf(folders: readonly TrustDecision[]): readonly ToldPart[] {
  if (folders.length === 0) return [{ kind: 'sentence', text: 'You have decided about no folder yet' }];
  return folders.map(({ folder, decision, at }) => ({
    kind: 'sentence',
    text: showLine(`${decision.padEnd('untrusted'.length)}  ${showPath(folder)}  (${at.slice(0, 10)})`),
  }));
}
