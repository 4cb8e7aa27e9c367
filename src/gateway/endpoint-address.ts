/** Which of the servers an address gives, and how its tools are listed. */
export interface EndpointAddress {
  readonly kind: 'all' | 'server' | 'preset';
  /** Of the server or preset; empty for all. */
  readonly name: string;
  /** Undefined: as the preset says, else all. */
  readonly tools: ToolListing | undefined;
}

/** `search`: a tool that finds tools in place of their definitions. `auto`: where these would be very many. */
export type ToolListing = (typeof toolListings)[number];

export const toolListings = ['all', 'search', 'auto'] as const;

/**
 * Reads the path and the query of a URL: `/mcp`, `/mcp/server`, `/mcp/@preset`, `?tools=search`. Undefined for any other
 * path, and for a query that asks for something unknown.
 */
export function parseAddress(path: string, query: string): EndpointAddress | undefined {
  if (path.length > PATH_LIMIT || query.length > PATH_LIMIT) return undefined;
  const wanted = new URLSearchParams(query).get('tools');
  const tools = toolListings.find((one) => one === wanted);
  if (wanted !== null && tools === undefined) return undefined;
  if (path === ROOT || path === `${ROOT}/`) return { kind: 'all', name: '', tools };
  if (!path.startsWith(`${ROOT}/`)) return undefined;
  const name = decoded(path.slice(ROOT.length + 1));
  if (name === undefined || name === '' || name === '@') return undefined;
  return name.startsWith('@') ? { kind: 'preset', name: name.slice(1), tools } : { kind: 'server', name, tools };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // no URL has such an address
  }
}

const ROOT = '/mcp';
const PATH_LIMIT = 1_000; // characters
