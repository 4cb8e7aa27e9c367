import * as actions from '../../actions/servers/reconnect.js';
import { toVerb } from '../start/action-verb.js';

export const reconnectVerb = toVerb(actions.reconnect, {
  examples: ['plugboard reconnect github', 'plugboard reconnect github --timeout 5000'],
});
