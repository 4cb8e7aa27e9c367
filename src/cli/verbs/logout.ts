import * as actions from '../../actions/servers/logout.js';
import { toVerb } from '../start/action-verb.js';

export const logoutVerb = toVerb(actions.logout, {
  usage: 'NAME[@ACCOUNT] | URL',
  takesUrl: true,
  examples: ['plugboard logout github', 'plugboard logout github@work'],
});
