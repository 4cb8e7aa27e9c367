import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import type { ConfiguredServer } from '../../config/server.js';
import { toRows } from '../screen-text.js';
import { showExact, showLine } from '../../model/show.js';
import type { CommandContext } from './command.js';

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

/** What a name stands for: the definition that runs, or would. Throws where there is none. */
function find({ session: { host } }: Pick<CommandContext, 'session'>, name: string | undefined): ConfiguredServer {
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

const SHOWN = 200;
