import * as actions from '../../actions/calls/search.js';
import { toVerb } from '../start/action-verb.js';

export const searchVerb = toVerb(actions.search, {
  usage: 'WORDS [URL | -- COMMAND ARGS]',
  takesServer: 'command',
  examples: [
    'plugboard search create an issue',
    "plugboard search '+github pull request'",
    'plugboard search select:mcp__github__get_issue --json',
  ],
});
