import type { PinWatch } from './calls/pin-watch.js';
import type { Servers } from './servers/servers.js';

/** A tool that its server offers and that no model is shown. */
export interface SetAsideTool {
  readonly server: string;
  readonly tool: string;
  readonly reason: string;
}

/** Because its definition cannot be used, or is not what `mcp.lock` pins. */
export function setAsideTools(servers: Servers, pins: PinWatch): readonly SetAsideTool[] {
  return servers.all().flatMap(({ name: server, catalog }) => {
    const changed = pins.verdict(server)?.tools ?? [];
    return [
      ...catalog.setAside.map((one) => ({ server, ...one })),
      ...Array.from(changed, ([tool, reason]) => ({ server, tool, reason })),
    ];
  });
}
