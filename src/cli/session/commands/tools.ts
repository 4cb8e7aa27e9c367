import { search } from '../../../actions/calls/search.js';
import * as actions from '../../../actions/calls/tools.js';
import type { Command } from '../command.js';
import { runActionCommand } from '../action-command.js';
import { completeServer } from '../completion/complete-tools.js';

export const toolsCommand: Command = {
  name: 'tools',
  usage: '[SERVER | words]',
  summary: 'Show the tools of all servers or of one, or find some by words',
  completes: completeServer,
  run(context, words) {
    const [first] = words;
    const servers = context.session.host.servers();
    const isServer = words.length === 1 && servers.some(({ name }) => name === first);
    if (words.length > 0 && !isServer) return runActionCommand(search, context, words, { values: { limit: ['20'] } });
    return runActionCommand(actions.tools, context, words, { more: ': /tools WORDS finds them' });
  },
};
