import type { HostError } from '../../base/errors.js';
import type { ServerPromptDefinition } from '../../connection/catalog/prompt-definition.js';
import { type Pins, setAside, UNCOMPARED } from '../../guard/pins.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { ToolResult } from '../../model/tool.js';
import { deny, type NextStep, type CallStep, type ToolCall } from '../calls/pipeline.js';
import { refusedResult } from '../../model/failed-result.js';

export interface PinStepOptions {
  readonly pins: Pick<Pins, 'isPinned' | 'judgeTool' | 'judgePrompt'>;
  /** Compares what servers list now. Without it, cached tools are compared, and no prompts: one check is enough. */
  readonly said?: SaidDefinitions;
}

export interface SaidDefinitions {
  /** Waits until the server has listed its tools or prompts in this run. Returns the error if it does not. */
  readonly waitForFreshList: (call: ToolCall, server: string) => Promise<HostError | undefined>;
  readonly promptOf: (server: string, prompt: string) => Promise<ServerPromptDefinition | undefined>;
}

/** Denies what differs from `mcp.lock`, typed or not, until the user accepts the new definition. */
export function pinStep({ pins, said }: PinStepOptions): CallStep {
  const reasonOf = async (
    { tool }: ToolCall,
    server: string,
    name: string | undefined,
  ): Promise<string | undefined> => {
    if (name === undefined) {
      const definition = await tool.definition();
      return definition ? pins.judgeTool(server, { ...definition, name: tool.tool }) : UNCOMPARED;
    }
    const prompt = await said?.promptOf(server, name);
    return prompt ? pins.judgePrompt(server, prompt) : UNCOMPARED;
  };
  const judge = async (call: ToolCall, server: string, next: NextStep): Promise<ToolResult> => {
    const { tool, input } = call;
    const late = await said?.waitForFreshList(call, server);
    if (late) return refusedResult(late);
    const prompt = tool.traitsOf?.(input)?.prompt;
    const reason = await reasonOf(call, server, prompt);
    if (reason === undefined) return next(call);
    const what = prompt === undefined ? `Tool "${tool.tool}"` : `Prompt "${gateLine(prompt, { limit: 100 }).text}"`;
    return deny(call, 'mcp.lock', setAside(what, server, reason));
  };
  return (next) => (call) => {
    const { tool } = call;
    const { server } = tool;
    if (server === undefined || !pins.isPinned(server) || tool.isOurs) return next(call);
    return tool.act === undefined || said !== undefined ? judge(call, server, next) : next(call);
  };
}
