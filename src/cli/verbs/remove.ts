import type { ConfigContext } from '../../actions/action-place.js';
import type { EditableScope } from '../../config/manage.js';
import { onlyName } from '../arguments.js';
import { openRun } from '../load.js';
import { dryRunOption, scopeOption } from '../options.js';
import { showName } from '../../model/show.js';
import type { Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

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
    await refuseAccount(name, context);
    const edit = await removeServer(context, {
      name,
      ...(given && { scope: given }),
      dryRun: invocation.has('dry-run'),
    });
    const done = `Removed MCP server ${given === undefined ? `"${name}"` : name} from ${edit.scope} config`;
    return editOutcome({ invocation, io, config: context, server: name, scope: edit.scope, edits: [edit], done });
  },
};

/** An account is in no file of servers: who signs out of it is rid of it. */
async function refuseAccount(name: string, context: ConfigContext): Promise<void> {
  const { loadConfig } = await import('../../config/load.js');
  const accountOf = (await loadConfig(context)).servers.find((server) => server.name === name)?.accountOf;
  if (accountOf === undefined) return;
  throw usageError(`"${name}" is an account of "${accountOf}" and has no entry of its own`, {
    hint: `plugboard logout ${showName(name)}`,
  });
}
