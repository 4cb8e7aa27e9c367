import * as actions from '../../../actions/calls/permissions.js';
import type { Command } from '../command.js';
import { toolItems } from '../completion/complete-tools.js';
import { runActionCommand } from '../action-command.js';

export const permissionsCommand: Command = {
  name: 'permissions',
  usage: '[TOOL]',
  summary: actions.permissions.summary,
  completes: ({ session: { host } }, { before, last }) => (before.length === 0 ? toolItems(host, last) : []),
  run: (context, words) => runActionCommand(actions.permissions, context, words),
};
