import * as actions from '../../actions/calls/resources.js';
import { toListVerb } from '../start/action-verb.js';

export const resourcesVerb = toListVerb(actions.resources, [
  'plugboard resources',
  'plugboard resources docs --json',
  'plugboard resources -- npx -y @modelcontextprotocol/server-everything',
]);
