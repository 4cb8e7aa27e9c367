import type { EditableScope } from '../../config/manage.js';
import type { Toggle, Toggled } from '../../config/toggle.js';
import { onlyName } from '../arguments.js';
import { openRun } from '../load.js';
import { dryRunOption, scopeOption } from '../options.js';
import type { ConfigContext } from '../../config/context.js';
import type { Verb } from '../verb.js';

export const disable = toggleVerb({
  name: 'disable',
  summary: 'Switch a server off without forgetting it',
  done: 'Disabled',
  change: async (context, toggle) => (await import('../../config/toggle.js')).disableServer(context, toggle),
});

export const enable = toggleVerb({
  name: 'enable',
  summary: 'Switch a server on again',
  done: 'Enabled',
  change: async (context, toggle) => (await import('../../config/toggle.js')).enableServer(context, toggle),
});

interface ToggleVerb {
  readonly name: string;
  readonly summary: string;
  readonly done: string;
  readonly change: (context: ConfigContext, toggle: Toggle) => Promise<Toggled>;
}

function toggleVerb({ name, summary, done, change }: ToggleVerb): Verb {
  return {
    name,
    usage: 'NAME [-s local|project|user]',
    summary,
    options: [scopeOption, dryRunOption],
    completes: 'server',
    examples: [`plugboard ${name} github`],
    async run(invocation, io) {
      const server = onlyName(invocation);
      const { editOutcome } = await import('../edit-outcome.js');
      const given = invocation.value('scope') as EditableScope | undefined;
      const context = await openRun(invocation, io);
      const { scope, edits } = await change(context, {
        name: server,
        ...(given && { scope: given }),
        dryRun: invocation.has('dry-run'),
      });
      const sentence =
        edits.length === 0 ? `MCP server ${server} is ${done.toLowerCase()} already` : `${done} MCP server ${server}`;
      return editOutcome({ invocation, context, server, scope, edits, done: sentence });
    },
  };
}
