import type { PinWatch } from './calls/pin-watch.js';
import type { Servers } from './servers/servers.js';

/** A tool that its server offers and that models are not shown. */
export interface SetAsideTool {
  /** The name of the server. */
  readonly server: string;
  /** As the server spells it. */
  readonly tool: string;
  /** Why models are not shown the tool. */
  readonly reason: string;
}

/** Tools whose definition cannot be used, or differs from `mcp.lock`. */
export function setAsideTools(servers: Servers, pins: PinWatch): readonly SetAsideTool[] {
  return servers.all().flatMap(({ name: server, catalog }) => {
    const changed = pins.verdict(server)?.tools ?? [];
    return [
      ...catalog.setAside.map((one) => ({ server, ...one })),
      ...Array.from(changed, ([tool, reason]) => ({ server, tool, reason })),
    ];
  });
}
