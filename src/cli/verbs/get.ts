import * as actions from '../../actions/servers/get.js';
import { toHostVerb } from '../start/host-verb.js';

export const getVerb = toHostVerb(actions.get, {
  usage: 'NAME [--no-connect]',
  completes: 'server',
  examples: ['plugboard get github', 'plugboard get github --no-connect', 'plugboard get github --json --reveal'],
});
