import * as actions from '../../actions/toggle.js';
import { toVerb } from '../action-verb.js';

const usage = 'NAME [-s local|project|user]';

export const disable = toVerb(actions.disable, { usage, examples: ['plugboard disable github'] });
export const enable = toVerb(actions.enable, { usage, examples: ['plugboard enable github'] });
