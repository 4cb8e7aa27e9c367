import * as actions from '../../actions/servers/doctor.js';
import { toHostVerb } from '../start/host-verb.js';
import { usageError } from '../input/usage-error.js';

export const doctorVerb = toHostVerb(actions.doctor, {
  usage: '[SERVER] [--all] [--no-connect]',
  completes: 'server',
  findsOddities: true,
  examples: ['plugboard doctor', 'plugboard doctor github --json', 'plugboard doctor --timeout 5000'],
  checkWords({ positionals }) {
    if (positionals.length > 1) throw usageError('doctor takes one server at most');
  },
});
