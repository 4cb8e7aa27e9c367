import * as actions from '../../../actions/servers/reset-project-choices.js';
import { toVerb } from '../../start/action-verb.js';
import { refuseNames } from '../../input/arguments.js';

export const resetProjectChoicesVerb = toVerb(actions.resetProjectChoices, {
  parse({ invocation }) {
    refuseNames(invocation, 'The command forgets all choices. To change one: plugboard approve NAME [--reject]');
    return {};
  },
});
