import type { ConfigContext } from '../../config/context.js';
import { showName } from '../../model/show.js';
import { usageError } from '../usage-error.js';
import { type Action, defineAction } from '../action.js';
import { configOf } from '../action-place.js';
import { type EditReport, reportEdits } from './edit-report.js';
import { dryRunArgument, scopeArgument } from '../shared-arguments.js';

const args = { server: { kind: 'server' }, scope: scopeArgument, dryRun: dryRunArgument } as const;

export const remove: Action<typeof args, EditReport> = defineAction({
  name: 'remove',
  label: 'remove',
  doing: 'removing',
  summary: 'Remove a server from its file',
  args,
  needs: 'files',
  async run(on, { server: name, scope: given, dryRun }, { reveal = false }) {
    const config = configOf(on);
    await refuseAccount(name, config);
    const { removeServer } = await import('../../config/edit/manage.js');
    const edit = await removeServer(config, { name, ...(given && { scope: given }), dryRun });
    const { scope } = edit;
    const done = `Removed MCP server ${given === undefined ? `"${name}"` : name} from ${scope} config`;
    return reportEdits({ config, server: name, scope, edits: [edit], isDryRun: dryRun, reveal, done });
  },
  json: ({ json }) => json,
  tell: ({ told }) => told,
});

/** Throws `usage` for an account: it has no entry to remove, and signing out of it removes it. */
async function refuseAccount(name: string, config: ConfigContext): Promise<void> {
  const { loadHostConfig } = await import('../../config/load.js');
  const accountOf = (await loadHostConfig(config)).servers.find((server) => server.name === name)?.accountOf;
  if (accountOf === undefined) return;
  throw usageError(`"${name}" is an account of "${accountOf}" and has no entry of its own`, {
    hint: `plugboard logout ${showName(name)}`,
  });
}
