import * as actions from '../../../actions/servers/remove.js';
import { toVerb } from '../../start/action-verb.js';

export const removeVerb = toVerb(actions.remove, {
  aliases: ['rm'],
  usage: 'NAME [-s local|project|user]',
  examples: ['plugboard remove github', 'plugboard remove github -s project --dry-run'],
});
