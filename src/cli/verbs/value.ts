import * as actions from '../../actions/value/value.js';
import { toVerb } from '../start/action-verb.js';
import { usageError } from '../input/usage-error.js';

export const valueVerb = toVerb(actions.value, {
  usage: '[SERVER] [--days N]',
  examples: ['plugboard value', 'plugboard value github', 'plugboard value --days 7 --json'],
  details: [
    'The figures come from the ledger of all your hosts: what the tools of a server took in each turn of a model, what its results took, calls and errors.',
    'A server costs more than it brings that was told for 7 days or in 20 turns and never called, or that fails in most of its calls. docs/value.md says how this is counted.',
  ],
  problems: () => [],
  checkWords({ positionals }) {
    if (positionals.length > 1) throw usageError('value takes one server at most');
  },
});
