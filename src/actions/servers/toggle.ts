import type { Action } from '../action.js';
import { defineAction } from '../action.js';
import { configOf, type ActionPlace, serverOf } from '../action-place.js';
import { refuseShadowed } from '../barrier.js';
import { type EditReport, reportEdits } from './edit-report.js';
import { dryRunArgument, scopeArgument } from '../shared-arguments.js';

const args = { server: { kind: 'server' }, scope: scopeArgument, dryRun: dryRunArgument } as const;

export const disable: Action<typeof args, EditReport> = toggleAction({
  name: 'disable',
  doing: 'disabling',
  summary: 'Switch a server off, but keep its entry',
  done: 'Disabled',
  isOffered: ({ status, server }) =>
    status !== 'disabled' && (server.standing.kind === 'ready' || server.standing.kind === 'unapproved'),
});

export const enable: Action<typeof args, EditReport> = toggleAction({
  name: 'enable',
  doing: 'enabling',
  summary: 'Switch a server on again',
  done: 'Enabled',
  isOffered: ({ status }) => status === 'disabled',
});

type Toggle = Pick<Action<typeof args>, 'doing' | 'summary' | 'isOffered'> & {
  readonly name: 'disable' | 'enable';
  readonly done: string;
};

function toggleAction({ name: word, done, ...action }: Toggle): Action<typeof args, EditReport> {
  return defineAction({
    ...action,
    name: word,
    label: word,
    args,
    needs: 'files',
    barrier: refuseShadowed,
    async run(on, { server, scope: given, dryRun }, { reveal = false }) {
      if (on.kind === 'host' && !dryRun && given === undefined && (await isOfSession(word, on, server))) {
        on.host[word](server);
        const { scope } = await serverOf(on, server);
        const text = `${done} MCP server ${server} for this session`;
        return {
          json: { file: null, server, scope, changed: true },
          told: { tone: 'done', parts: [{ kind: 'sentence', text }] },
        };
      }
      const config = configOf(on);
      const { disableServer, enableServer } = await import('../../config/edit/toggle.js');
      const change = word === 'enable' ? enableServer : disableServer;
      const { scope, edits } = await change(config, { name: server, ...(given && { scope: given }), dryRun });
      const sentence =
        edits.length === 0 ? `MCP server ${server} is ${done.toLowerCase()} already` : `${done} MCP server ${server}`;
      return reportEdits({ config, server, scope, edits, isDryRun: dryRun, reveal, done: sentence });
    },
    json: ({ json }) => json,
    tell: ({ told }) => told,
  });
}

/** Whether the change lasts only for this session: for a server from the command line. Others are changed in a file. */
async function isOfSession(
  word: 'enable' | 'disable',
  on: ActionPlace & { readonly kind: 'host' },
  name: string,
): Promise<boolean> {
  const { scope, standing } = await serverOf(on, name);
  // A server from the command line that a file disables is enabled in that file.
  if (scope === 'dynamic' && (word === 'disable' || standing.kind !== 'disabled')) return true;
  // The server was disabled for this session only, so no file says so.
  return word === 'enable' && standing.kind === 'ready' && on.host.server(name)?.status === 'disabled';
}
