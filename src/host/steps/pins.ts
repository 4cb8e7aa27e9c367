import type { HostError } from '../../base/errors.js';
import { type Pins, setAside, UNCOMPARED } from '../../guard/pins.js';
import type { ToolResult } from '../../model/tool.js';
import { deny, type Run, type Step, type ToolCall } from '../pipeline.js';
import { refused } from '../../model/failed-result.js';

export interface PinStepOptions {
  readonly pins: Pick<Pins, 'isPinned' | 'judgeTool'>;
  /** Waits until its server has said in this run what it has; why that was not to be had, if so. */
  readonly untilSaid?: (call: ToolCall, server: string) => Promise<HostError | undefined>;
}

/** A tool that is no longer what `mcp.lock` pins is not called, typed or not, until somebody has accepted what it is now. */
export function pinStep({ pins, untilSaid }: PinStepOptions): Step {
  const judge = async (call: ToolCall, server: string, next: Run): Promise<ToolResult> => {
    const { tool } = call;
    const late = await untilSaid?.(call, server);
    if (late) return refused(late);
    const definition = await tool.definition();
    const reason = definition ? pins.judgeTool(server, { ...definition, name: tool.tool }) : UNCOMPARED;
    if (reason === undefined) return next(call);
    return deny(call, 'mcp.lock', setAside(`Tool "${tool.tool}"`, server, reason));
  };
  return (call, next) => {
    const { server, isOurs } = call.tool;
    return server === undefined || isOurs || !pins.isPinned(server) ? next(call) : judge(call, server, next);
  };
}
