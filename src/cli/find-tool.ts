import { HostError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import type { LoadedConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/server.js';
import { hintUnread } from '../config/unread-files.js';
import type { Host } from '../host/host.js';
import { hasNotTold, notTold } from '../host/unknown-tool.js';
import { toConnectorPart, toNamePart } from '../model/names.js';
import type { Tool } from '../model/tool.js';
import type { HostRun } from './open-host.js';
import { showName } from '../model/show.js';

/** A tool of a server: what a word on the command line means. */
export type FoundTool = Tool & { readonly server: string };

export interface ToolWord {
  /** What somebody typed: `server.tool`, `mcp__server__tool`, or just the name of a tool. */
  readonly word: string;
  /** The one server is given with the run, and its tools go by their own names. */
  readonly isAdHoc: boolean;
}

/** The servers that a word can mean: only those are started. Throws when there is none. */
export function serversFor(
  { word, isAdHoc }: ToolWord,
  servers: readonly ConfiguredServer[],
  loaded: Pick<LoadedConfig, 'problems'>,
): readonly ConfiguredServer[] {
  const candidates = isAdHoc || isBare(word) ? servers : servers.filter((server) => mayMean(word, server));
  if (candidates.length === 0) throw noServer(word, servers, loaded);
  return candidates;
}

/**
 * The tool that a word means. One that is known from an earlier run is not waited for: its server says itself if it has no
 * such tool any more.
 */
export async function findTool(spoken: ToolWord, run: HostRun): Promise<FoundTool> {
  const { host } = run;
  const known = pick(spoken, host.tools());
  // Several servers may have one of that name: who is asked without naming one asks all.
  if (known && !isBare(spoken.word)) return known;
  const running = host.servers().flatMap(({ name }) => host.connection(name) ?? []);
  for (const connection of running) if (connection.status.kind === 'idle') connection.start('use');
  const waited = await run.settled();
  if (waited.kind !== 'settled') {
    const late = running.filter(({ status, catalog }) => status.kind === 'pending' || catalog.isAwaited('tools'));
    const names = late.map(({ name }) => `"${name}"`).join(', ');
    const told = late.every(({ status }) => status.kind === 'pending') ? '' : ', which has not told its tools';
    throw new HostError('cancelled', `Stopped while waiting for ${names || 'its servers'}${told}`);
  }
  const found = pick(spoken, host.tools());
  if (found) return found;
  // One that could not be asked may have it.
  for (const { status } of running) if (status.kind === 'failed' || status.kind === 'needs-auth') throw status.error;
  const untold = running.find((connection) => hasNotTold(connection));
  if (untold) throw notTold(untold, `Tool "${spoken.word}" is not known`);
  throw noTool(spoken, host);
}

/** The server that `mcp__server__tool` means, where none of those that it can mean may run: it deserves the reason. */
export function barredServer(word: string, servers: readonly ConfiguredServer[]): string | undefined {
  const meant = word.startsWith('mcp__') ? servers.filter((server) => mayMean(word, server)) : [];
  return meant.some(({ standing }) => standing.kind === 'ready') ? undefined : meant[0]?.name;
}

/** Whether a server is asked for a tool that somebody calls so. */
export function mayHave(word: string, server: ConfiguredServer): boolean {
  return isBare(word) || mayMean(word, server);
}

function isBare(word: string): boolean {
  return !word.includes('.') && !word.startsWith('mcp__');
}

function pick({ word, isAdHoc }: ToolWord, tools: readonly FoundTool[]): FoundTool | undefined {
  const bare = !isAdHoc && isBare(word) ? tools.filter(({ tool }) => word === tool) : [];
  if (bare.length > 1) {
    throw new HostError('unknown-tool', `${bare.length} servers have a tool "${word}"`, {
      hint: `Say which one is meant: ${bare.map(({ server }) => `${server}.${word}`).join(' or ')}`,
    });
  }
  return (
    bare[0] ??
    tools.find(({ server, tool }) => word === `${server}.${tool}` || (isAdHoc && word === tool)) ??
    tools.find(({ name }) => name === word)
  );
}

function noTool({ word, isAdHoc }: ToolWord, host: Host): HostError {
  const spoken = host.tools().map(({ server, tool }) => (isAdHoc ? tool : `${server}.${tool}`));
  const [close] = nearest(word, spoken);
  const servers = [...new Set(host.servers().map(({ name }) => name))].filter((name) => host.connection(name));
  const names = servers.map((name) => `"${name}"`);
  const who = names.length === 1 ? `Server ${names[0]} has` : `None of the servers ${names.join(', ')} has`;
  const isPrefixed = servers.length === 1 && word.startsWith(`${servers[0]}.`);
  const tool = isPrefixed ? word.slice(servers[0]!.length + 1) : word;
  return new HostError('unknown-tool', `${who} ${names.length === 1 ? 'no' : 'a'} tool "${tool}"`, {
    hint: close === undefined ? seeTools(servers[0] ?? '', isAdHoc) : `Did you mean ${close}?`,
  });
}

function mayMean(word: string, { name }: ConfiguredServer): boolean {
  const parts = [toNamePart(name), toConnectorPart(name)];
  // A long name is cut and gets a suffix: then its beginning has to do.
  const isLong = word.length > CUT_NAME && parts.some((part) => `mcp__${part}`.startsWith(word.slice(0, CUT_NAME)));
  return isLong || word.startsWith(`${name}.`) || parts.some((part) => word.startsWith(`mcp__${part}__`));
}

const CUT_NAME = 40;

function noServer(
  word: string,
  servers: readonly ConfiguredServer[],
  loaded: Pick<LoadedConfig, 'problems'>,
): HostError {
  const names = servers.map(({ name }) => name);
  const [, before = ''] = /^(?:mcp__)?(.+?)(?:\.|__)/u.exec(word) ?? [];
  const [close] = nearest(before, names);
  return new HostError('unknown-tool', `No server that may run here is called "${before === '' ? word : before}"`, {
    hint: hintUnread(
      loaded,
      close !== undefined
        ? `Did you mean ${close}?`
        : names.length === 0
          ? 'plugboard list shows which servers there are, and what they wait for'
          : `Write SERVER.TOOL, with one of the servers ${names.slice(0, 10).join(', ')}`,
    ),
  });
}

function seeTools(name: string, isAdHoc: boolean): string {
  return isAdHoc ? 'plugboard tools, with the same server, shows what it has' : `plugboard tools ${showName(name)}`;
}
