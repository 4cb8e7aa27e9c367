import * as actions from '../../actions/doctor.js';
import { toReportVerb } from '../host-verb.js';
import { usageError } from '../usage-error.js';

export const doctor = toReportVerb(actions.doctor, {
  usage: '[SERVER] [--all] [--no-connect]',
  completes: 'server',
  findsOddities: true,
  options: [{ name: 'no-connect', summary: 'look at the files and this machine, and start no server' }],
  examples: ['plugboard doctor', 'plugboard doctor github --json', 'plugboard doctor --timeout 5000'],
  parse({ invocation }) {
    const [server, ...more] = invocation.positionals;
    if (more.length > 0) throw usageError('doctor takes one server at most');
    return { server, all: invocation.has('all') };
  },
});
