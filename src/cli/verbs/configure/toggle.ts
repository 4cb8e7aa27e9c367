import * as actions from '../../../actions/servers/toggle.js';
import { toVerb } from '../../start/action-verb.js';

const usage = 'NAME [-s local|project|user]';

export const disableVerb = toVerb(actions.disable, { usage, examples: ['plugboard disable github'] });
export const enableVerb = toVerb(actions.enable, { usage, examples: ['plugboard enable github'] });
