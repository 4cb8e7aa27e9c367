import * as actions from '../../../actions/value/value.js';
import type { Command } from '../command.js';
import { serverItems } from '../completion/complete-tools.js';
import { runActionCommand } from '../action-command.js';

export const valueCommand: Command = {
  name: 'value',
  usage: '[SERVER]',
  summary: actions.value.summary,
  completes: ({ session: { host } }, { before, last }) => (before.length === 0 ? serverItems(host, last) : []),
  run: (context, words) => runActionCommand(actions.value, context, words),
};
