import { HostError } from '../../base/errors.js';
import { nameWord } from '../../base/shell-word.js';
import type { Pins } from '../../guard/pins.js';
import type { ToolResult } from '../../model/tool.js';
import type { Run, Step, ToolCall } from '../pipeline.js';
import { refused } from './refused.js';

export interface PinStepOptions {
  readonly pins: Pick<Pins, 'isPinned' | 'judgeTool'>;
  /** Waits until its server has said in this run what it has; why that was not to be had, if so. */
  readonly untilSaid?: (call: ToolCall, server: string) => Promise<HostError | undefined>;
}

/** A tool that is no longer what `mcp.lock` pins is not called, typed or not, until somebody has accepted what it is now. */
export function pinStep({ pins, untilSaid }: PinStepOptions): Step {
  const judge = async (call: ToolCall, server: string, next: Run): Promise<ToolResult> => {
    const { tool, trace } = call;
    const late = await untilSaid?.(call, server);
    if (late) return refused(late);
    const definition = await tool.definition();
    const reason = definition ? pins.judgeTool(server, { ...definition, name: tool.tool }) : LOST;
    if (reason === undefined) return next(call);
    trace.decision = 'deny';
    trace.rule = 'mcp.lock';
    return refused(
      new HostError('definition-changed', `Tool "${tool.tool}" of server "${server}" is set aside: ${reason}`, {
        hint: `See what is different: plugboard approve --diff ${nameWord(server)}`,
      }),
    );
  };
  return (call, next) => {
    const { server, isOurs } = call.tool;
    return server === undefined || isOurs || !pins.isPinned(server) ? next(call) : judge(call, server, next);
  };
}

/** What cannot be compared is not what was pinned. */
const LOST = 'its definition cannot be read, so that it cannot be compared with mcp.lock';
