import * as actions from '../../actions/calls/search.js';
import { toVerb, withExitCode } from '../start/action-verb.js';

const search = toVerb(actions.search, {
  usage: 'WORDS [URL | -- COMMAND ARGS] [--exit-code]',
  takesServer: 'command',
  examples: [
    'plugboard search create an issue',
    "plugboard search '+github pull request'",
    'plugboard search select:mcp__github__get_issue --json',
  ],
});

export const searchVerb = withExitCode(search, 'exit 3 when a server is missing');
