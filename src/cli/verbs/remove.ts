import type { EditableScope } from '../../config/manage.js';
import { onlyName } from '../arguments.js';
import { openRun } from '../load.js';
import { dryRunOption, scopeOption } from '../options.js';
import type { Verb } from '../verb.js';

export const remove: Verb = {
  name: 'remove',
  aliases: ['rm'],
  usage: 'NAME [-s local|project|user]',
  summary: 'Take a server out of its file',
  options: [scopeOption, dryRunOption],
  completes: 'server',
  examples: ['plugboard remove github', 'plugboard remove github -s project --dry-run'],
  async run(invocation, io) {
    const name = onlyName(invocation);
    const { removeServer } = await import('../../config/manage.js');
    const { editOutcome } = await import('../edit-outcome.js');
    const given = invocation.value('scope') as EditableScope | undefined;
    const context = await openRun(invocation, io);
    const edit = await removeServer(context, {
      name,
      ...(given && { scope: given }),
      dryRun: invocation.has('dry-run'),
    });
    const done = `Removed MCP server ${given === undefined ? `"${name}"` : name} from ${edit.scope} config`;
    return editOutcome({ invocation, context, server: name, scope: edit.scope, edits: [edit], done });
  },
};
