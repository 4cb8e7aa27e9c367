import * as actions from '../../../actions/calls/prompts.js';
import type { Command } from '../command.js';
import { runHere } from '../run-here.js';

export const promptsCommand: Command = {
  name: 'prompts',
  usage: '',
  summary: 'Show the prompts of all servers',
  run: (context) => runHere(actions.prompts, context, []),
};
