import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import type { HostConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { Host } from '../../host/host.js';
import { toConnectorPart, toNamePart } from '../../model/view/names.js';
import { showName } from '../../model/show.js';
import type { ActionContext } from '../action-context.js';
import type { HostPlace } from '../action-place.js';
import { mustRun } from '../barrier.js';
import { refuseBarred } from '../perform.js';
import { closeTool } from './close-tool.js';
import { factsOf } from '../servers/server-facts.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { connectionsOf, type RunningServer } from '../running-server.js';
import { type Absent, absentOf, absentText, askInTurn } from './ask-in-turn.js';

/** The tool that a typed word means. */
export type FoundTool = ReturnType<Host['tools']>[number];

export interface ToolWord {
  /** What the user typed: `server.tool`, `mcp__server__tool`, or just the name of a tool. */
  readonly word: string;
  /** The command line itself defines the server, the only one of this host; its tools need no server prefix. */
  readonly isAdHoc: boolean;
}

/** The servers that a typed word can mean; only these are started. Rejects when there is none. */
export async function serversForTool(
  { word, isAdHoc }: ToolWord,
  servers: readonly ConfiguredServer[],
  loaded: Pick<HostConfig, 'problems'>,
): Promise<readonly ConfiguredServer[]> {
  const candidates = isAdHoc || isBare(word) ? servers : servers.filter((server) => mayHave(word, server));
  if (candidates.length === 0) throw await noServer(word, servers, loaded);
  return candidates;
}

/**
 * The tool that a typed word means. A tool known from an earlier run is returned without starting a server: its own
 * server rejects the call if the tool is gone. Rejects with a `HostError` when there is none.
 */
export async function findTool(spoken: ToolWord, on: HostPlace, context: ActionContext): Promise<FoundTool> {
  const { host, isTransient } = on;
  const { word, isAdHoc } = spoken;
  const known = pick(spoken, host.tools());
  if (known) return known;
  const running = connectionsOf(host);
  const named = isAdHoc || isBare(word) ? [] : running.filter((server) => mayHave(word, server));
  const meant = named.length > 0 ? named : running;
  if (named.length === 1) refuseBarred({ barrier: mustRun }, await factsOf(on, named[0]!.name));
  const ask = { what: `tool "${word}"`, find: () => pick(spoken, host.tools()), ready: () => host.compared() };
  const stopped = (late: readonly RunningServer[]): HostError => stoppedWaiting(spoken, late, host);
  const found = await askInTurn(meant, { ...ask, stopped }, context);
  if (found) return found;
  const asked = isTransient || named.length > 0 ? meant : [];
  const absent = absentOf(meant);
  const [first] = absent;
  // Where no server answered, the error of a server is the answer; among others, that server is just missing.
  if (first && (named.length > 0 || (isTransient && absent.length === meant.length))) throw first.error;
  const { mayHaveUnlistedTools, toolsUnlistedError } = await import('../../host/tools/unknown-tool.js');
  const pending = asked.find((server) => !('error' in server.status) && mayHaveUnlistedTools(server));
  if (pending) throw toolsUnlistedError(pending, `Tool "${word}" is not known`);
  throw setAsideError(spoken, meant) ?? unreadError(spoken, meant) ?? noTool(spoken, { host, meant, absent });
}

/** The server has the tool, and its definition is broken. */
function setAsideError({ word, isAdHoc }: ToolWord, servers: readonly ServerLifecycle[]): HostError | undefined {
  for (const { name, catalog } of servers) {
    const isMeant = ({ tool }: { readonly tool: string }): boolean =>
      word === `${name}.${tool}` || word === `mcp__${toNamePart(name)}__${tool}` || (isAdHoc && word === tool);
    const broken = catalog.setAside.find(isMeant);
    if (!broken) continue;
    const { tool, reason } = broken;
    return new HostError('unknown-tool', `Server "${name}" has a tool "${tool}", and it cannot be used: ${reason}`, {
      hint: isAdHoc
        ? "Report it to the server's author"
        : `Report it to the server's author; see the others: plugboard tools ${showName(name)}`,
    });
  }
  return undefined;
}

/** The server that is meant lists more tools than were read. */
function unreadError({ word, isAdHoc }: ToolWord, servers: readonly ServerLifecycle[]): HostError | undefined {
  const [server, ...others] = servers;
  const unread = server?.catalog.setAside.find((one) => one.unread === true);
  if (!server || !unread || others.length > 0) return undefined;
  const { name } = server;
  const tool = !isAdHoc && word.startsWith(`${name}.`) ? word.slice(name.length + 1) : word;
  return new HostError('unknown-tool', `Server "${name}" has no tool "${tool}" that was read: ${unread.reason}`, {
    hint: `The tool may be one of those left out; see the others: ${seeTools(name, isAdHoc)}`,
  });
}

/** Names the servers that were waited for, and the way not to wait for them where another server has the tool. */
function stoppedWaiting(spoken: ToolWord, servers: readonly RunningServer[], host: Host): HostError {
  const late = servers.filter(({ status, catalog }) => status.kind === 'pending' || catalog.isFetching('tools'));
  const names = late.map(({ name }) => `"${name}"`).join(', ');
  const pending = late.every(({ status }) => status.kind === 'pending') ? '' : ', which has not listed its tools';
  const found = isBare(spoken.word) && !spoken.isAdHoc ? pick(spoken, host.tools()) : undefined;
  return new HostError('cancelled', `Stopped while waiting for ${names || 'servers'}${pending}`, {
    hint: found && `Name its server to wait for no other: plugboard call ${showName(`${found.server}.${found.tool}`)}`,
  });
}

/** The server that `mcp__server__tool` means when no server that it can mean may run, so that the error can say why. */
export function barredServer(word: string, servers: readonly ConfiguredServer[]): string | undefined {
  const meant = word.startsWith('mcp__') ? servers.filter((server) => mayHave(word, server)) : [];
  return meant.some(({ standing }) => standing.kind === 'ready') ? undefined : meant[0]?.name;
}

/** Whether this server may have the tool that a user calls `word`. */
export function mayHave(word: string, { name }: { readonly name: string }): boolean {
  if (isBare(word)) return true;
  const parts = [toNamePart(name), toConnectorPart(name)];
  // A long name is cut and gets a suffix, so only its beginning can be compared.
  const isLong = word.length > CUT_NAME && parts.some((part) => `mcp__${part}`.startsWith(word.slice(0, CUT_NAME)));
  return isLong || word.startsWith(`${name}.`) || parts.some((part) => word.startsWith(`mcp__${part}__`));
}

const CUT_NAME = 40;

function isBare(word: string): boolean {
  return !word.includes('.') && !word.startsWith('mcp__');
}

function pick({ word, isAdHoc }: ToolWord, tools: readonly FoundTool[]): FoundTool | undefined {
  const exact = tools.find(
    ({ name, server, tool }) => word === name || word === `${server}.${tool}` || (isAdHoc && word === tool),
  );
  if (exact) return exact;
  const [bare, ...more] = tools.filter(({ tool }) => word === tool);
  if (!bare || more.length === 0) return bare;
  const meant = [bare, ...more].slice(0, SHOWN).map(({ server }) => `${server}.${word}`);
  throw new HostError('unknown-tool', `${more.length + 1} servers have a tool "${word}"`, {
    hint: `Say which one you mean: ${meant.join(' or ')}`,
  });
}

const SHOWN = 5;

interface Asked {
  readonly host: Host;
  /** The servers that may have the tool. */
  readonly meant: readonly RunningServer[];
  /** Those of them that did not come. */
  readonly absent: readonly Absent[];
}

function noTool({ word, isAdHoc }: ToolWord, { host, meant, absent }: Asked): HostError {
  const servers = meant.map(({ name }) => name).filter((name) => absent.every((one) => one.name !== name));
  const names = servers.map((name) => `"${name}"`);
  const several = names.length === 0 ? 'No server that runs has' : `None of the servers ${names.join(', ')} has`;
  const who = names.length === 1 ? `Server ${names[0]} has` : several;
  const owner = servers.find((name) => word.startsWith(`${name}.`));
  const tool = owner !== undefined && servers.length === 1 ? word.slice(owner.length + 1) : word;
  const close = closeTool(word, host.tools(), isAdHoc);
  const missing = absent.length === 0 ? '' : `; not asked: ${absentText(absent)}`;
  return new HostError('unknown-tool', `${who} ${names.length === 1 ? 'no' : 'a'} tool "${tool}"${missing}`, {
    hint: close === undefined ? seeTools(owner ?? servers[0] ?? '', isAdHoc) : `Did you mean ${close}?`,
  });
}

async function noServer(
  word: string,
  servers: readonly ConfiguredServer[],
  loaded: Pick<HostConfig, 'problems'>,
): Promise<HostError> {
  const names = servers.map(({ name }) => name);
  const [, before = ''] = /^(?:mcp__)?(.+?)(?:\.|__)/u.exec(word) ?? [];
  const [close] = nearest(before, names);
  const { hintUnread } = await import('../../config/approval/unread-files.js');
  return new HostError('unknown-tool', `No server that may run here is called "${before === '' ? word : before}"`, {
    hint: hintUnread(
      loaded,
      close !== undefined
        ? `Did you mean ${close}?`
        : names.length === 0
          ? 'plugboard list shows the servers and what they wait for'
          : `Write SERVER.TOOL, with one of the servers ${names.slice(0, 10).join(', ')}`,
    ),
  });
}

function seeTools(name: string, isAdHoc: boolean): string {
  return isAdHoc ? 'plugboard tools, with the same server, lists its tools' : `plugboard tools ${showName(name)}`;
}
