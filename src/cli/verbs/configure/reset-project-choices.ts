import * as actions from '../../../actions/servers/reset-project-choices.js';
import { toVerb } from '../../start/action-verb.js';
import { refuseNames } from '../../input/arguments.js';

export const resetProjectChoicesVerb = toVerb(actions.resetProjectChoices, {
  parse({ invocation }) {
    refuseNames(invocation, 'It forgets all of them. To change one: plugboard approve NAME [--reject]');
    return {};
  },
});
