import * as actions from '../../actions/servers/doctor.js';
import { toVerb } from '../start/action-verb.js';
import { usageError } from '../input/usage-error.js';

export const doctorVerb = toVerb(actions.doctor, {
  usage: '[SERVER | URL | -- COMMAND] [--all] [--no-connect] [--fix [--dry-run]]',
  takesServer: 'command',
  reportsWarnings: true,
  examples: [
    'plugboard doctor',
    'plugboard doctor github --json',
    'plugboard doctor -- npx -y @modelcontextprotocol/server-memory',
    'plugboard doctor --fix --dry-run',
  ],
  checkWords({ positionals }) {
    if (positionals.length > 1) throw usageError('doctor takes one server at most');
  },
});
