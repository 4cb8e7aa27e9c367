import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import { nameWord } from '../../base/shell-word.js';
import type { ConfiguredServer } from '../../config/server.js';
import type { ServerState } from '../../host/server-state.js';
import { toRows } from '../screen-text.js';
import { linesOf } from '../server-view.js';
import { showExact, showLine } from '../../model/show.js';
import { askApprovals, waitingServers } from './approval-dialog.js';
import type { CommandContext } from './command.js';
import { foreignRows } from './foreign-rows.js';
import { ownCommands } from './own-commands.js';

/** Servers of this project: the one of that name, also after a no; or all that nobody was asked about. */
export async function approve(context: CommandContext, name: string | undefined): Promise<void> {
  const { session, screen, config, io, asking, signal } = context;
  const definitions = session.host.definitions();
  const named = definitions.filter((server) => server.name === name && server.approval);
  if (name !== undefined && named.length === 0) {
    const { scope } = find(context, name);
    throw new HostError('usage', `Server "${name}" comes from your ${scope} config and needs no approval`, {
      hint: '/mcp shows how it is',
    });
  }
  const open = named.filter(({ standing }) => standing.kind === 'unapproved');
  const chosen =
    name === undefined ? waitingServers(definitions) : open.length > 0 ? open.slice(0, 1) : named.slice(0, 1);
  if (chosen.length === 0) screen.print('No server of this project waits for approval.');
  else await asking.pose(() => askApprovals(chosen, { screen, config, now: io.now, signal }));
}

export async function showTools(context: CommandContext, name: string | undefined): Promise<void> {
  const { screen } = context;
  const { host } = context.session;
  const { name: server } = find(context, name);
  const tools = host.tools().filter((tool) => tool.server === server);
  if (tools.length === 0) {
    screen.print(`${showExact(server)} has no tools that are known.`);
    return;
  }
  const definitions = await Promise.all(tools.slice(0, SHOWN).map((tool) => host.tool(tool.name)));
  const rows = tools.slice(0, SHOWN).map(({ tool, title }, at) => {
    const about = definitions[at]?.description.trim().split('\n')[0] || title || '';
    return [showLine(tool), showLine(about)] as const;
  });
  const rest = tools.length - rows.length;
  screen.print([...toRows(rows, screen.columns), ...(rest > 0 ? [`  … and ${rest} more`] : [])].join('\n'));
}

export async function showLogs(context: CommandContext, name: string | undefined): Promise<void> {
  const { session, screen, config } = context;
  const server = find(context, name);
  const { state } = config.places;
  if (state === undefined) throw new HostError('config-unreadable', 'There is no log: no home folder is known');
  const { readServerLog } = await import('../../connection/server-log.js');
  const configs = session.host
    .definitions()
    .filter((one) => one.name === server.name)
    .map((one) => one.config);
  const { lines, file } = readServerLog(
    { state, name: server.name, configs, reveal: false },
    { lines: LOG_LINES, isFollowed: false },
  );
  const { dim } = screen.style;
  screen.print(
    lines.length === 0
      ? `${showExact(server.name)} has said nothing on stderr yet.`
      : [...lines.flatMap((line) => foreignRows(line, screen.columns)), dim(showLine(file))].join('\n'),
  );
}

/** What a name stands for: the definition that runs, or would. Throws where there is none. */
export function find(
  { session: { host } }: Pick<CommandContext, 'session'>,
  name: string | undefined,
): ConfiguredServer {
  const definitions = host.definitions();
  const found = definitions.filter((server) => server.name === name);
  const server = found.find(({ standing }) => standing.kind === 'ready') ?? found[0];
  if (server) return server;
  const [close] = nearest(
    name ?? '',
    definitions.map((one) => one.name),
  );
  throw new HostError('unknown-server', `No server is called "${name ?? ''}"`, {
    hint: close === undefined ? '/mcp shows which there are' : `Did you mean ${close}?`,
  });
}

/** The same for what takes one that runs. Throws where it does not, with what would make it run. */
export function findRunning(context: Pick<CommandContext, 'session'>, given: string | undefined): ConfiguredServer {
  const { host } = context.session;
  const server = find(context, given);
  const { status = 'idle', error } = host.server(server.name) ?? {};
  if (error?.code === 'folder-untrusted') throw new HostError('folder-untrusted', error.message, { hint: error.hint });
  const idle = IDLE[status];
  if (host.connection(server.name) && !idle) return server;
  throw new HostError('disabled', `Server "${server.name}" ${idle?.why ?? 'does not run'}`, {
    hint: idle ? `/mcp ${idle.step} ${nameWord(server.name)}` : '/mcp shows why',
  });
}

const IDLE: Readonly<Record<string, { readonly why: string; readonly step: string }>> = {
  disabled: { why: 'is disabled', step: 'enable' },
  unapproved: { why: 'is not approved', step: 'approve' },
};

/** How a server is, as a list shows it. */
export function stateLines(
  { session: { host }, screen }: Pick<CommandContext, 'session' | 'screen'>,
  name: string,
): string[] {
  const state: ServerState | undefined = host.server(name);
  const server = host.definitions().find((one) => one.name === name && one.origin === state?.origin);
  if (!state || !server) return [];
  const { style, columns } = screen;
  return linesOf(server, state, { style, columns }).map(ownCommands);
}

const SHOWN = 200;
const LOG_LINES = 40;
