import * as actions from '../../actions/servers/get.js';
import { toVerb } from '../start/action-verb.js';

export const getVerb = toVerb(actions.get, {
  usage: 'NAME [--no-connect]',
  examples: ['plugboard get github', 'plugboard get github --no-connect', 'plugboard get github --json --reveal'],
});
