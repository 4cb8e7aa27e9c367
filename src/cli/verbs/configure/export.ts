import * as actions from '../../../actions/files/export.js';
import { toVerb } from '../../start/action-verb.js';

export const exportServersVerb = toVerb(actions.exportServers, {
  usage: 'HOST [SERVER ...] [--project | --out FILE] [--replace] [--dry-run]',
  completes: 'host',
  completesRest: 'server',
  examples: [
    'plugboard export cursor --dry-run',
    'plugboard export codex github notes',
    'plugboard export vscode --project',
    'plugboard export zed --out -',
  ],
  details: [
    'All servers that may run are written, or those that you name. The rest of the file stays as it is.',
    'Variables stay variables, in the syntax of the host. Sign-ins stay here. What the format of the host cannot hold is named for each server.',
  ],
});
