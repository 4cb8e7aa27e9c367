import { unreachable } from '../../base/never.js';
import { defersTools, toTokenCount } from '../text/tokens.js';
import type { ShownBlock, ShownServer } from './shown-block.js';

/** A change of the configuration, as far as it changes what the next conversation is shown. */
export type BlockChange =
  | { readonly kind: 'disable'; readonly server: string }
  /** Without these definitions. */
  | { readonly kind: 'narrow'; readonly server: string; readonly tokens: number; readonly count: number }
  /** The definitions of the server are searched for: by `toolSearch`, by the entry's `alwaysLoad`, or by both. */
  | { readonly kind: 'defer'; readonly server: string; readonly toolSearch: ShownBlock['toolSearch'] };

/**
 * How many tokens less a turn would take after the change; below zero: more. Where all tools fill a tenth of the context
 * they have to be searched for, so one server less can show the definitions of all others again.
 */
export function tokensSaved(shown: ShownBlock, change: BlockChange): number {
  return tokensOf(shown) - tokensOf(changed(shown, change));
}

/** What servers take of a turn. */
function tokensOf({ builtIns, servers, canSearch, toolSearch, contextTokens }: ShownBlock): number {
  const all = servers.map((server) => server.loaded + server.deferred);
  const isSearching = canSearch && defersTools(toolSearch, builtIns + sum(all), contextTokens);
  const loaded = sum(isSearching ? servers.map(({ always }) => always) : all);
  return loaded + (isSearching ? namesOf(servers) : 0) + sum(servers.map(({ instructions }) => instructions));
}

/** The section of the system text that lists the names to search for. */
function namesOf(servers: readonly ShownServer[]): number {
  const names = servers.map(({ loaded, deferred, always, names: all }) => {
    const definitions = loaded + deferred;
    return definitions === 0 ? 0 : all * (1 - always / definitions);
  });
  const tokens = Math.ceil(sum(names));
  return tokens === 0 ? 0 : HEADING + Math.min(tokens, NAMES_LIMIT);
}

function changed(shown: ShownBlock, change: BlockChange): ShownBlock {
  const isMeant = ({ name }: ShownServer): boolean => name === change.server;
  switch (change.kind) {
    case 'disable':
      return { ...shown, servers: shown.servers.filter((server) => !isMeant(server)) };
    case 'narrow':
      return { ...shown, servers: shown.servers.map((one) => (isMeant(one) ? narrowed(one, change) : one)) };
    case 'defer':
      return {
        ...shown,
        toolSearch: change.toolSearch,
        servers: shown.servers.map((one) => (isMeant(one) ? { ...one, always: one.marked } : one)),
      };
    default:
      return unreachable(change);
  }
}

function narrowed(
  server: ShownServer,
  { tokens, count }: { readonly tokens: number; readonly count: number },
): ShownServer {
  const share = server.count === 0 ? 0 : 1 - count / server.count;
  const [always, marked] = [Math.max(0, server.always - tokens), Math.max(0, server.marked - tokens)];
  return { ...server, loaded: Math.max(0, server.loaded - tokens), always, marked, names: server.names * share };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

const HEADING = toTokenCount(140); // what precedes the names
const NAMES_LIMIT = 5_000; // beyond that only counts are told
