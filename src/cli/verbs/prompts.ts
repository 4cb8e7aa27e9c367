import * as actions from '../../actions/calls/prompts.js';
import { toListVerb } from '../start/action-verb.js';

export const promptsVerb = toListVerb(actions.prompts, [
  'plugboard prompts',
  'plugboard prompts github --json',
  'plugboard prompts -- npx -y @modelcontextprotocol/server-everything',
]);
