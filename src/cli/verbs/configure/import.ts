import * as actions from '../../../actions/servers/import.js';
import { toVerb } from '../../start/action-verb.js';

export const importServersVerb = toVerb(actions.importServers, {
  usage: '[HOST ...] [--all] [--link] [--file FILE] [-s SCOPE] [--dry-run]',
  completes: 'host',
  examples: [
    'plugboard import',
    'plugboard import cursor --dry-run',
    'plugboard import claude-code codex',
    'plugboard import vscode --link',
  ],
});
