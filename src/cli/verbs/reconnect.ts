import * as actions from '../../actions/servers/reconnect.js';
import { toVerb } from '../start/action-verb.js';

export const reconnectVerb = toVerb(actions.reconnect, {
  starts: true,
  examples: ['plugboard reconnect github', 'plugboard reconnect github --timeout 5000'],
});
