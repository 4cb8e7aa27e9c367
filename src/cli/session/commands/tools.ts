import { search } from '../../../actions/calls/search.js';
import * as actions from '../../../actions/calls/tools.js';
import type { Command } from '../command.js';
import { runActionCommand } from '../action-command.js';

export const toolsCommand: Command = {
  name: 'tools',
  usage: '[words]',
  summary: 'Show the tools of all servers, or find some by words',
  run: (context, words) =>
    words.length > 0
      ? runActionCommand(search, context, words, { values: { limit: ['20'] } })
      : runActionCommand(actions.tools, context, [], { more: ': /tools WORDS finds them' }),
};
