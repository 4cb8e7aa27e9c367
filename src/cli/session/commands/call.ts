import * as actions from '../../../actions/calls/call.js';
import type { CompletionItem } from '../../terminal/screen.js';
import type { Command } from '../command.js';
import { argumentItems, toolItems } from '../completion/complete-tools.js';
import { runActionCommand } from '../action-command.js';

export const callCommand: Command = {
  name: 'call',
  usage: 'TOOL [name=value | name:=json | name=@file]...',
  summary: 'Call a tool by hand',
  completes: ({ session: { host } }, { before, last }): readonly CompletionItem[] => {
    const [tool, ...given] = before;
    return tool === undefined ? toolItems(host, last) : argumentItems(host, { tool, given, last });
  },
  run: (context, words) => runActionCommand(actions.call, context, words, { usage: callCommand.usage }),
};
