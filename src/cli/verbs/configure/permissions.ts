import * as actions from '../../../actions/calls/permissions.js';
import { toVerb } from '../../start/action-verb.js';

export const permissionsVerb = toVerb(actions.permissions, {
  usage: '[TOOL]',
  completes: 'tool',
  examples: [
    'plugboard permissions',
    'plugboard permissions mcp__github__create_issue',
    'plugboard permissions Read --json',
  ],
  problems: (all) => all.filter(({ field = '' }) => /\b(?:permissions|hooks)\b/u.test(field)),
});
