import { shellWord } from '../../base/shell-word.js';
import type { FolderTrust } from '../../config/folder-trust.js';
import type { Invocation } from '../arguments.js';
import type { Io } from '../io.js';
import { openRun } from '../load.js';
import { dryRunOption } from '../options.js';
import { showLine } from '../../model/show.js';
import type { Outcome, Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

export const trust: Verb = {
  name: 'trust',
  usage: '[DIR] [--remove] | --list',
  summary: 'Let your own servers start in a folder and all below it',
  options: [
    { name: 'list', summary: 'show every folder that was decided about' },
    { name: 'remove', summary: 'forget what was decided about the folder' },
    dryRunOption,
  ],
  examples: ['plugboard trust', 'plugboard trust ~/code', 'plugboard trust --list', 'plugboard trust --remove ~/code'],
  details: [
    'Servers of your user config, of linked files, plugins, connectors and the administrator, hooks and headersHelpers start in a trusted folder. In any other they start in private folders, so that node_modules, .npmrc, Python files or .env of a repository cannot run as you.',
    'Without DIR it is the git root of this folder. Your home folder and / are trusted without what is below them. Trust approves no server of a repository: see plugboard approve. For one run: --trust-folder.',
  ],
  async run(invocation, io) {
    const [given, ...more] = invocation.positionals;
    if (more.length > 0) throw usageError('trust takes one folder', { hint: 'plugboard trust DIR' });
    if (invocation.has('list')) {
      if (given !== undefined || invocation.has('remove'))
        throw usageError('--list goes alone', { hint: 'plugboard trust --list' });
      return list(invocation, io);
    }
    if (given === '') throw usageError('the folder is empty', { hint: 'plugboard trust DIR' });
    const context = await openRun(invocation, io);
    const { decideTrust, folderToTrust, isWide } = await import('../../config/folder-trust.js');
    const { forgetTrust, listTrust, rememberTrust, toFolder } = await import('../../config/trust-edit.js');
    const dryRun = invocation.has('dry-run');
    if (invocation.has('remove')) {
      const folder = given === undefined ? folderToTrust(context) : toName(given, context.cwd, toFolder);
      if (dryRun) return { data: { folder, dryRun }, text: showLine(`Would forget what was decided about ${folder}`) };
      const { file, isForgotten } = await forgetTrust(context, folder);
      if (!isForgotten) {
        throw usageError(`nothing was decided about ${folder}`, {
          hint: removeHint(decideTrust(context, listTrust(context))),
        });
      }
      return {
        data: { file, folder, decision: null },
        text: `${showLine(`Forgot what was decided about ${folder}`)}\nFile modified: ${showLine(file)}`,
      };
    }
    const folder = given === undefined ? folderToTrust(context) : toFolder(given, context.cwd);
    const covers = isWide(folder, context.places.home) ? 'itself, not what is below it' : 'and all below it';
    const text = showLine(`${dryRun ? 'Would trust' : 'Trusted'}: ${folder} ${covers}`);
    if (dryRun) return { data: { folder, decision: 'trusted', dryRun }, text };
    const { file } = await rememberTrust(context, { folder, decision: 'trusted', at: io.now().toISOString() });
    return { data: { file, folder, decision: 'trusted' }, text: `${text}\nFile modified: ${showLine(file)}` };
  },
};

/** Below a folder that was decided about, it is that decision which can be forgotten. */
function removeHint(decided: FolderTrust): string {
  const isAbove = decided.kind !== 'undecided' && decided.by !== '--trust-folder';
  return isAbove ? `plugboard trust --remove ${shellWord(decided.by)}` : 'plugboard trust --list';
}

/** A folder that is gone can still be forgotten. */
function toName(given: string, cwd: string, toFolder: (path: string, cwd: string) => string): string {
  try {
    return toFolder(given, cwd);
  } catch {
    return process.getBuiltinModule('node:path').resolve(cwd, given);
  }
}

async function list(invocation: Invocation, io: Io): Promise<Outcome> {
  const { listTrust } = await import('../../config/trust-edit.js');
  const folders = listTrust(await openRun(invocation, io));
  const rows = folders.map(({ folder, decision, at }) =>
    showLine(`${decision === 'trusted' ? 'trusted  ' : 'untrusted'}  ${folder}  (${at.slice(0, 10)})`),
  );
  return { data: { folders }, text: rows.length === 0 ? 'No folder was decided about yet' : rows.join('\n') };
}
