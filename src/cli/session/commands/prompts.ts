import * as actions from '../../../actions/calls/prompts.js';
import type { Command } from '../command.js';
import { runActionCommand } from '../action-command.js';
import { completeServer } from '../completion/complete-tools.js';

export const promptsCommand: Command = {
  name: 'prompts',
  usage: '[SERVER]',
  summary: 'Show the prompts of all servers, or of one',
  completes: completeServer,
  run: (context, words) => runActionCommand(actions.prompts, context, words),
};
