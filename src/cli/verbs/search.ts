import * as actions from '../../actions/calls/search.js';
import { toHostVerb } from '../start/host-verb.js';

export const searchVerb = toHostVerb(actions.search, {
  usage: 'WORDS [URL | -- COMMAND ARGS]',
  takesServer: true,
  examples: [
    'plugboard search create an issue',
    "plugboard search '+github pull request'",
    'plugboard search select:mcp__github__get_issue --json',
  ],
});
