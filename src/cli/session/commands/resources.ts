import * as actions from '../../../actions/calls/resources.js';
import type { Command } from '../command.js';
import { serverItems } from '../completion/complete-tools.js';
import { runActionCommand } from '../action-command.js';

export const resourcesCommand: Command = {
  name: 'resources',
  usage: '[SERVER]',
  summary: 'Show the resources of all servers, or of one',
  completes: ({ session: { host } }, { before, last }) => (before.length === 0 ? serverItems(host, last) : []),
  run: (context, words) => runActionCommand(actions.resources, context, words),
};
