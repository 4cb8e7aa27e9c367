import * as actions from '../../actions/calls/tools.js';
import { toListVerb } from '../start/action-verb.js';

export const toolsVerb = toListVerb(actions.tools, [
  'plugboard tools',
  'plugboard tools github --json',
  'plugboard tools github --schema',
  'plugboard tools https://mcp.example.com/mcp',
  'plugboard tools -- npx -y @modelcontextprotocol/server-memory',
]);
