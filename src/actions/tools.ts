import { driftSentence } from '../model/pins/drift-text.js';
import { countOf, showLine } from '../model/show.js';
import { shownHints } from '../model/shown-hints.js';
import { defersTools, toTokens } from '../model/tokens.js';
import type { Connection } from '../connection/connection.js';
import type { RemoteTool } from '../connection/remote-tool.js';
import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';
import { listAction } from './listing.js';

export const tools = listAction({
  name: 'tools',
  summary: 'Show the tools of every server, of one, or of one that is configured nowhere',
  lists: ['tools'],
  async show(host, servers, asked) {
    const setAside = host.setAside().filter(({ server }) => asked.includes(server));
    const listed = servers.map((connection) => listTools(connection, setAside));
    const drifts = servers.flatMap(({ name: server }) => {
      const drift = host.drift(server);
      return drift ? [{ server, drift }] : [];
    });
    return {
      json: {
        tools: toJson(listed, host),
        setAside,
        ...(drifts.length > 0 && { drift: drifts.map(({ server, drift }) => ({ server, ...drift })) }),
      },
      tables: listed.map(toTable),
      notes: [
        ...setAside.map(({ server, tool, reason }) =>
          showLine(`warning "${server}": tool "${tool}" is set aside: ${reason}`),
        ),
        ...drifts.map(({ server, drift }) => showLine(`warning ${driftSentence(server, drift)}`)),
      ],
    };
  },
});

interface ListedTools {
  readonly server: string;
  readonly protocol: string;
  readonly tools: readonly RemoteTool[];
}

function listTools({ name: server, catalog }: Connection, setAside: ReturnType<Host['setAside']>): ListedTools {
  const found = catalog.toolDefinitions(catalog.tools.map((tool) => tool.name));
  const isAside = ({ name }: RemoteTool): boolean => setAside.some((one) => one.server === server && one.tool === name);
  return { server, protocol: catalog.protocol ?? '?', tools: found.filter((tool) => !isAside(tool)) };
}

function toJson(listed: readonly ListedTools[], host: Host): object[] {
  const known = new Map(host.tools().map((tool) => [JSON.stringify([tool.server, tool.tool]), tool]));
  const rows = listed.flatMap(({ server, tools: found }) =>
    found.map(({ name, description, inputSchema, outputSchema, title, hints, marks }) => {
      const { name: called, load = 'deferred' } = known.get(JSON.stringify([server, name])) ?? {};
      const tokens = toTokens({ name: called, description, inputSchema });
      return {
        name: called,
        server,
        tool: name,
        title: title ?? null,
        description,
        inputSchema,
        ...(outputSchema && { outputSchema }),
        hints: shownHints(hints, marks),
        load,
        tokens,
      };
    }),
  );
  const total = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  const isDeferred = defersTools(host[inside].loaded.settings.toolSearch, total);
  return isDeferred ? rows : rows.map((row) => ({ ...row, load: 'always' }));
}

function toTable({ server, protocol, tools: found }: ListedTools) {
  const rows = found.map((tool) => {
    const said = tool.description.trim().split('\n')[0] || tool.title || '';
    return [signatureOf(tool), showLine(said)] as const;
  });
  const heading = showLine(`${server}: ${countOf(found.length, 'tool')} (protocol ${protocol})`);
  return { kind: 'table', heading, rows } as const;
}

/** Its name and what it takes: `get-sum(a, b)`, and what may be left out with a question mark. */
function signatureOf({ name, inputSchema }: RemoteTool): string {
  const { properties, required } = inputSchema;
  const needed = Array.isArray(required) ? required : [];
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const taken = names.slice(0, 8).map((one) => (needed.includes(one) ? one : `${one}?`));
  return showLine(`${name}(${[...taken, ...(names.length > 8 ? ['…'] : [])].join(', ')})`);
}
