import * as actions from '../../../actions/servers/trust.js';
import { toVerb } from '../../start/action-verb.js';
import { usageError } from '../../input/usage-error.js';

export const trustVerb = toVerb(actions.trust, {
  usage: '[DIR] [--remove] | --list',
  examples: ['plugboard trust', 'plugboard trust ~/code', 'plugboard trust --list', 'plugboard trust --remove ~/code'],
  details: [
    'Hooks, headersHelpers and the servers of your user config, of linked files, plugins, connectors and the administrator start in a trusted folder. In any other folder they start in private folders, so that node_modules, .npmrc, Python files or .env of a repository cannot run as you.',
    'Without DIR, the folder is the git root of this folder. Your home folder and / are trusted without the folders below them. Trust does not approve servers of a repository: see plugboard approve. For one run: --trust-folder.',
  ],
  parse({ invocation }) {
    const [folder, ...more] = invocation.positionals;
    const [list, remove] = [invocation.has('list'), invocation.has('remove')];
    if (more.length > 0) throw usageError('trust takes one folder', { hint: 'plugboard trust DIR' });
    if (list && (folder !== undefined || remove)) {
      throw usageError('--list must be used alone', { hint: 'plugboard trust --list' });
    }
    if (folder === '') throw usageError('the folder is empty', { hint: 'plugboard trust DIR' });
    return { folder, list, remove, dryRun: invocation.has('dry-run') };
  },
});
