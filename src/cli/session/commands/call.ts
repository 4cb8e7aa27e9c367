import * as actions from '../../../actions/calls/call.js';
import { toolOfCall } from '../../../model/source/call-expression.js';
import { splitWords } from '../../../model/view/prompt-commands.js';
import type { CompletionItem } from '../../terminal/screen.js';
import type { Command } from '../command.js';
import { argumentItems, toolItems } from '../completion/complete-tools.js';
import { runActionCommand } from '../action-command.js';

export const callCommand: Command = {
  name: 'call',
  usage: 'TOOL [name=value | name:=json | name=@file]... | TOOL(name: value) [--force]',
  summary: 'Call a tool by hand',
  split: splitCall,
  completes: ({ session: { host } }, { before, last }): readonly CompletionItem[] => {
    const [tool, ...given] = before.filter((word) => word !== FORCE);
    return tool === undefined ? toolItems(host, last) : argumentItems(host, { tool, given, last });
  },
  run(context, words) {
    const given = words.filter((word) => word !== FORCE);
    const values = given.length < words.length ? { force: [''] } : {};
    return runActionCommand(actions.call, context, given, { usage: callCommand.usage, values });
  },
};

const FORCE = '--force';

/** `f(a: "b c")` is one word, with its quotes. */
function splitCall(rest: string): readonly string[] {
  const typed = rest.trim();
  const isBefore = typed.startsWith(`${FORCE} `);
  const isAfter = typed.endsWith(` ${FORCE}`);
  const text = typed.slice(isBefore ? FORCE.length : 0, isAfter ? -FORCE.length : undefined).trim();
  if (toolOfCall(text) === undefined) return splitWords(rest);
  return isBefore || isAfter ? [text, FORCE] : [text];
}
