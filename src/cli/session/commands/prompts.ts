import * as actions from '../../../actions/calls/prompts.js';
import type { Command } from '../command.js';
import { runActionCommand } from '../action-command.js';

export const promptsCommand: Command = {
  name: 'prompts',
  usage: '',
  summary: 'Show the prompts of all servers',
  run: (context) => runActionCommand(actions.prompts, context, []),
};
