import { HostError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import type { ConfiguredServer } from '../config/server.js';
import type { Link } from '../connection/connect.js';
import { listTools, type RemoteTool } from '../connection/remote-tool.js';
import { assignNames, toConnectorPart, toNamePart } from '../model/names.js';
import type { ServerRun } from './open-servers.js';
import { showName } from './show.js';

export interface FoundTool {
  readonly server: ConfiguredServer;
  readonly link: Link;
  readonly tool: RemoteTool;
  /** As the model would know it. */
  readonly name: string;
}

/**
 * The tool that a word means: `server.tool`, `mcp__server__tool`, or, of a server that is given with the run, just its
 * name. Only servers that the word can mean are started.
 */
export async function findTool(
  word: string,
  servers: readonly ConfiguredServer[],
  { run, isAdHoc }: { readonly run: ServerRun; readonly isAdHoc: boolean },
): Promise<FoundTool> {
  const isBare = !isAdHoc && !word.includes('.') && !word.startsWith('mcp__');
  const candidates = isAdHoc || isBare ? servers : servers.filter((server) => mayMean(word, server));
  if (candidates.length === 0) throw noServer(word, servers);
  const settled = await Promise.allSettled(
    candidates.map(async (server) => {
      const link = await run.connect(server);
      const { tools } = await listTools(link, { signal: run.signal, config: server.config });
      return { server, link, tools };
    }),
  );
  const listed = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const all = listed.flatMap(({ server, link, tools }) =>
    tools.map((tool) => ({ server: server.name, tool: tool.name, at: { server, link, tool } })),
  );
  const table = assignNames(all);
  const bare = isBare ? all.filter(({ tool }) => word === tool) : [];
  if (bare.length > 1) {
    throw new HostError('unknown-tool', `${bare.length} servers have a tool "${word}"`, {
      hint: `Say which one is meant: ${bare.map(({ server }) => `${server}.${word}`).join(' or ')}`,
    });
  }
  const found =
    bare[0] ??
    all.find(({ server, tool }) => word === `${server}.${tool}` || (isAdHoc && word === tool)) ??
    table.lookup(word);
  if (found) return { ...found.at, name: table.nameOf(found.server, found.tool)! };
  // One that could not be asked may have it.
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  const spoken = all.map(({ server, tool }) => (isAdHoc ? tool : `${server}.${tool}`));
  const [close] = nearest(word, spoken);
  const names = candidates.map(({ name }) => `"${name}"`);
  const who = names.length === 1 ? `Server ${names[0]} has` : `None of the servers ${names.join(', ')} has`;
  const tool =
    candidates.length === 1 && word.startsWith(`${candidates[0]!.name}.`)
      ? word.slice(candidates[0]!.name.length + 1)
      : word;
  throw new HostError('unknown-tool', `${who} ${names.length === 1 ? 'no' : 'a'} tool "${tool}"`, {
    hint: close === undefined ? seeTools(candidates[0]!, isAdHoc) : `Did you mean ${close}?`,
  });
}

function mayMean(word: string, { name }: ConfiguredServer): boolean {
  const parts = [toNamePart(name), toConnectorPart(name)];
  // A long name is cut and gets a suffix: then its beginning has to do.
  const isLong = word.length > CUT_NAME && parts.some((part) => `mcp__${part}`.startsWith(word.slice(0, CUT_NAME)));
  return isLong || word.startsWith(`${name}.`) || parts.some((part) => word.startsWith(`mcp__${part}__`));
}

const CUT_NAME = 40;

function noServer(word: string, servers: readonly ConfiguredServer[]): HostError {
  const names = servers.map(({ name }) => name);
  const [, before = ''] = /^(?:mcp__)?(.+?)(?:\.|__)/u.exec(word) ?? [];
  const [close] = nearest(before, names);
  return new HostError('unknown-tool', `No server that may run here is called "${before === '' ? word : before}"`, {
    hint:
      close !== undefined
        ? `Did you mean ${close}?`
        : names.length === 0
          ? 'plugboard list shows which servers there are, and what they wait for'
          : `Write SERVER.TOOL, with one of the servers ${names.slice(0, 10).join(', ')}`,
  });
}

function seeTools({ name }: ConfiguredServer, isAdHoc: boolean): string {
  return isAdHoc ? 'plugboard tools, with the same server, shows what it has' : `plugboard tools ${showName(name)}`;
}
