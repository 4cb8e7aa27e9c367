import * as actions from '../../actions/calls/prompt.js';
import { toVerb } from '../start/action-verb.js';

export const promptVerb = toVerb(actions.prompt, {
  usage: 'NAME [name=value]... [URL | -- COMMAND ARGS]',
  takesServer: 'command',
  examples: [
    'plugboard prompt github.review number=12',
    'plugboard prompt /mcp__github__review 12 --json',
    'plugboard prompt args-prompt city=Ulm -- npx -y @modelcontextprotocol/server-everything',
  ],
});
