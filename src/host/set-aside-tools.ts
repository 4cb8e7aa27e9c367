import type { Catalog } from '../connection/catalog/catalog.js';
import type { PinWatch } from './calls/pin-watch.js';
import type { Servers } from './servers/servers.js';

/** A tool that its server offers and that models are not shown. */
export interface SetAsideTool {
  /** The name of the server. */
  readonly server: string;
  /** As the server spells it. Empty for a tool without a name, and for those of a list that were never read. */
  readonly tool: string;
  /** Why models are not shown the tool. */
  readonly reason: string;
  /** These are the tools of a list that was not read to its end, because it is too long. `reason` says how far. */
  readonly unread?: true;
}

/** Tools whose definition cannot be used, or differs from `mcp.lock`. */
export function setAsideTools(servers: Servers, pins: PinWatch): readonly SetAsideTool[] {
  return servers.all().flatMap(({ name: server, catalog }) => {
    const changed = pins.verdict(server)?.tools ?? [];
    return [
      ...unreadable(server, catalog),
      ...catalog.setAside.map((one) => ({ server, ...one })),
      ...Array.from(changed, ([tool, reason]) => ({ server, tool, reason })),
    ];
  });
}

/** All tools of a list that came and could not be used. */
function unreadable(server: string, { problems }: Catalog): readonly SetAsideTool[] {
  const problem = problems.get('tools');
  return problem && UNREADABLE.has(problem.code) ? [{ server, tool: '', reason: problem.message }] : NONE;
}

const UNREADABLE: ReadonlySet<string> = new Set(['answer-too-large', 'bad-answer']);
const NONE: readonly SetAsideTool[] = [];
