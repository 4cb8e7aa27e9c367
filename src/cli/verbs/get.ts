import * as actions from '../../actions/servers/get.js';
import { toVerb } from '../start/action-verb.js';

export const getVerb = toVerb(actions.get, {
  usage: 'NAME | URL [--no-connect]',
  takesServer: 'url',
  examples: ['plugboard get github', 'plugboard get github --no-connect', 'plugboard get github --json --reveal'],
});
