import type { RemoteTool, ToolList } from '../../connection/remote-tool.js';
import { HostError } from '../../base/errors.js';
import { adHocOptions, adHocServer } from '../ad-hoc.js';
import { exitCodes } from '../io.js';
import { loadRun, problemNotes } from '../load.js';
import { showLine } from '../show.js';
import type { Verb } from '../verb.js';

interface Listed extends Omit<ToolList, 'ttlMs'> {
  readonly server: string;
  readonly protocol: string;
}

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
    const adHoc = adHocServer(given);
    const invocation = adHoc?.invocation ?? given;
    const [name, ...more] = adHoc ? [adHoc.name, ...invocation.positionals] : invocation.positionals;
    if (more.length > 0) {
      throw new HostError('usage', `error: tools takes one server, got "${more[0]}" besides`, {
        hint: `If that is a command, put -- before it: plugboard tools -- ${invocation.positionals.join(' ')}`,
      });
    }
    const loaded = await loadRun(invocation, io);
    const { chooseServers } = await import('../choose-servers.js');
    const { withHost } = await import('../open-host.js');
    const { toTokens } = await import('../../model/tokens.js');
    const servers = chooseServers(loaded, name);
    if (name !== undefined && servers.length === 0) {
      if (/^[\w.-]+(?::\d+|\.\w+)(?:\/|$)/u.test(name)) {
        throw new HostError('unknown-server', `No server is configured as "${name}"`, {
          hint: `Did you mean the address http://${name}?`,
        });
      }
      const { unknownServer } = await import('../../config/manage.js');
      throw unknownServer(loaded, name);
    }
    const only = servers.map((server) => server.name);
    return withHost({ invocation, io, loaded, only }, async (run) => {
      const { host } = run;
      const connections = only.flatMap((one) => host.connection(one) ?? []);
      // What is known of a server that rests is as good as the last time; one that nobody knows has to be asked.
      for (const connection of connections) {
        const isResting = connection.status.kind === 'idle';
        if (isResting && (name !== undefined || connection.catalog.source === 'none')) connection.start('use');
      }
      const { kind: waited } = await run.settled();
      const listed: Listed[] = [];
      const failed: { readonly server: string; readonly error: HostError }[] = [];
      for (const { name: server, status, catalog, listProblems } of connections) {
        const error =
          status.kind === 'pending'
            ? new HostError('cancelled', `Stopped while server "${server}" was being connected`)
            : 'error' in status
              ? status.error
              : waited !== 'settled' && catalog.isAwaited('tools')
                ? new HostError('cancelled', `Stopped while server "${server}" was listing its tools`)
                : listProblems.get('tools');
        // Of the one server that was asked for it is the answer; among others it is one that is missing.
        if (error && (name !== undefined || error.code === 'cancelled')) throw error;
        if (error) failed.push({ server, error });
        else {
          const found = await Promise.all(catalog.tools.map((tool) => catalog.tool(tool.name)));
          listed.push({
            server,
            protocol: catalog.protocol ?? '?',
            tools: found.filter((tool) => tool !== undefined),
            setAside: catalog.setAside,
            warnings: catalog.warningsOf('tools'),
          });
        }
      }
      const names = new Map(host.tools().map((tool) => [JSON.stringify([tool.server, tool.tool]), tool.name]));
      const toRow = ({ server }: Listed, tool: RemoteTool): object => ({
        name: names.get(JSON.stringify([server, tool.name])),
        server,
        tool: tool.name,
        title: tool.title ?? null,
        description: tool.description,
        inputSchema: tool.inputSchema,
        ...(tool.outputSchema && { outputSchema: tool.outputSchema }),
        hints: tool.hints,
        load: 'always',
        tokens: toTokens(tool),
      });
      return {
        data: {
          tools: listed.flatMap((one) => one.tools.map((tool) => toRow(one, tool))),
          setAside: listed.flatMap((one) => one.setAside.map((tool) => ({ server: one.server, ...tool }))),
          errors: failed.map(({ server, error }) => ({ server, ...error.toJSON() })),
        },
        text: listed.map((one) => describe(one, io.stdout.columns)).join('\n\n') || nothingText(failed.length),
        notes: [
          ...failed.flatMap(({ error }) => [
            showLine(`error ${error.message}`),
            ...(error.hint === undefined ? [] : [`  ${showLine(error.hint)}`]),
          ]),
          ...listed.flatMap(({ server, setAside, warnings }) => [
            ...setAside.map(({ tool, reason }) =>
              showLine(`warning "${server}": tool "${tool}" is set aside: ${reason}`),
            ),
            ...warnings.map((warning) => showLine(`warning "${server}": ${warning}`)),
          ]),
          ...run.notes,
          ...(adHoc ? [] : problemNotes(loaded.problems, { io, noColor: invocation.has('no-color') })),
        ],
        ...(listed.length === 0 && failed.length > 0 && { exitCode: exitCodes.failed }),
      };
    });
  },
};

function describe({ server, protocol, tools: found }: Listed, columns: number): string {
  const heading = `${server}: ${found.length === 1 ? '1 tool' : `${found.length} tools`} (protocol ${protocol})`;
  const signatures = found.map(signatureOf);
  const width = Math.min(Math.max(0, ...signatures.map(({ length }) => length)), NAME_COLUMN);
  const lines = found.map(({ title, description }, index) => {
    const said = description.trim().split('\n')[0] || title || '';
    return cut(`  ${signatures[index]!.padEnd(width)}  ${showLine(said)}`.trimEnd(), columns);
  });
  return [showLine(heading), ...lines].join('\n');
}

/** Its name and what it takes: `get-sum(a, b)`, and what may be left out with a question mark. */
function signatureOf({ name, inputSchema }: RemoteTool): string {
  const { properties, required } = inputSchema;
  const needed = Array.isArray(required) ? required : [];
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const taken = names.slice(0, 8).map((one) => (needed.includes(one) ? one : `${one}?`));
  return showLine(`${name}(${[...taken, ...(names.length > 8 ? ['…'] : [])].join(', ')})`);
}

const NAME_COLUMN = 36;

function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, Math.max(columns - 1, 20))}…`;
}

function nothingText(failed: number): string {
  if (failed > 0) return '';
  return 'No MCP servers may run here. Use `plugboard list` to see why, or name one: plugboard tools URL';
}
