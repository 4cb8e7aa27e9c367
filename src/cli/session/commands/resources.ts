import * as actions from '../../../actions/calls/resources.js';
import type { Command } from '../command.js';
import { completeServer } from '../completion/complete-tools.js';
import { runActionCommand } from '../action-command.js';

export const resourcesCommand: Command = {
  name: 'resources',
  usage: '[SERVER]',
  summary: 'Show the resources of all servers, or of one',
  completes: completeServer,
  run: (context, words) => runActionCommand(actions.resources, context, words),
};
