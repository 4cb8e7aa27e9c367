import type { Connection } from '../../connection/connection.js';
import type { RemoteTool } from '../../connection/remote-tool.js';
import { driftSentence } from '../../model/pins/drift-text.js';
import type { Host } from '../../host/host.js';
import { shownHints } from '../../model/shown-hints.js';
import { defersTools, toTokens } from '../../model/tokens.js';
import { adHocOptions } from '../ad-hoc.js';
import { toRows } from '../screen-text.js';
import { countOf, showLine } from '../../model/show.js';
import type { Verb } from '../verb.js';

export const tools: Verb = {
  name: 'tools',
  usage: '[SERVER | URL | -- COMMAND ARGS]',
  summary: 'Show the tools of every server, of one, or of one that is configured nowhere',
  takesCommand: true,
  wordsBeforeCommand: 0,
  options: adHocOptions,
  completes: 'server',
  examples: [
    'plugboard tools',
    'plugboard tools github --json',
    'plugboard tools https://mcp.example.com/mcp',
    'plugboard tools -- npx -y @modelcontextprotocol/server-memory',
  ],
  async run(given, io) {
    const { withListing } = await import('../with-servers.js');
    return withListing({ given, io, lists: ['tools'] }, async ({ run: { host, notes }, servers, loaded }) => {
      const setAside = host.setAside();
      const listed = servers.map((connection) => listTools(connection, setAside));
      for (const { server, tool, reason } of setAside) {
        notes.push(showLine(`warning "${server}": tool "${tool}" is set aside: ${reason}`));
      }
      const drifts = servers.flatMap(({ name: server }) => {
        const drift = host.drift(server);
        return drift ? [{ server, drift }] : [];
      });
      for (const { server, drift } of drifts) notes.push(showLine(`warning ${driftSentence(server, drift)}`));
      return {
        data: {
          tools: toJson(listed, host, loaded.settings.toolSearch),
          setAside,
          ...(drifts.length > 0 && { drift: drifts.map(({ server, drift }) => ({ server, ...drift })) }),
        },
        text: listed.map((one) => describe(one, io.stdout.columns)).join('\n\n'),
      };
    });
  },
};

interface Listed {
  readonly server: string;
  readonly protocol: string;
  readonly tools: readonly RemoteTool[];
}

function listTools({ name: server, catalog }: Connection, setAside: ReturnType<Host['setAside']>): Listed {
  const found = catalog.toolDefinitions(catalog.tools.map((tool) => tool.name));
  const isAside = ({ name }: RemoteTool): boolean => setAside.some((one) => one.server === server && one.tool === name);
  return { server, protocol: catalog.protocol ?? '?', tools: found.filter((tool) => !isAside(tool)) };
}

function toJson(listed: readonly Listed[], host: Host, toolSearch: 'auto' | 'always' | 'never'): object[] {
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
  return defersTools(toolSearch, total) ? rows : rows.map((row) => ({ ...row, load: 'always' }));
}

function describe({ server, protocol, tools: found }: Listed, columns: number): string {
  const heading = `${server}: ${countOf(found.length, 'tool')} (protocol ${protocol})`;
  const rows = found.map((tool) => {
    const said = tool.description.trim().split('\n')[0] || tool.title || '';
    return [signatureOf(tool), showLine(said)] as const;
  });
  return [showLine(heading), ...toRows(rows, columns)].join('\n');
}

/** Its name and what it takes: `get-sum(a, b)`, and what may be left out with a question mark. */
function signatureOf({ name, inputSchema }: RemoteTool): string {
  const { properties, required } = inputSchema;
  const needed = Array.isArray(required) ? required : [];
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const taken = names.slice(0, 8).map((one) => (needed.includes(one) ? one : `${one}?`));
  return showLine(`${name}(${[...taken, ...(names.length > 8 ? ['…'] : [])].join(', ')})`);
}
