// https://openai.github.io/openai-agents-js: tools of a host for the OpenAI Agents SDK.
import { type RunContext, type Tool, tool } from '@openai/agents';
import type { Host } from '../index.js';
import { AskedCalls } from './asked-calls.js';
import type { AdapterOptions } from './adapter-types.js';
import { HostTools, type OfferedTool, toOutput, toParts, toText } from './host-tools.js';
import { ToldNews } from './told-news.js';

export type { AdapterOptions, ToolOutput } from './adapter-types.js';

/** What `new Agent` and `run` take. */
export interface AgentTools {
  /** The tools that the host offers a model now, for the agent's `tools`. */
  readonly tools: Tool[];
  /** The servers' instructions, for the agent's `instructions`. */
  readonly system: string;
  /** Tells the model about servers and tools that came or changed since the last step: an option of `run`. */
  readonly callModelInputFilter: <Data extends { input: object[] }>(args: { readonly modelData: Data }) => Data;
}

/**
 * The tools of a host for the OpenAI Agents SDK. Every call goes through the host: permissions, hooks, pins, retries and
 * ledger apply. Where the host has no `ports.ask`, a call that needs a permission question ends the run with an
 * interruption; `state.approve(item)` counts for that call alone. The SDK replaces characters in names (`-` becomes
 * `_`); the host gets its own names. For a part of the tools pass `host.fork({ tools: ['mcp__docs'] })`.
 */
export function toAgentTools(host: Host, options: AdapterOptions = {}): AgentTools {
  const hostTools = new HostTools(host, options);
  const asked = new AskedCalls();
  const names = toSdkNames(hostTools.tools);
  const told = new ToldNews<object>(
    (news) => ({ type: 'message', role: 'user', content: news }),
    (item, news) => 'content' in item && item.content === news,
  );
  return {
    tools: hostTools.tools.map((offered, at) => toTool(offered, { sdkName: names[at]!, hostTools, asked })),
    system: hostTools.system,
    callModelInputFilter: ({ modelData }) => {
      const input = told.weave(modelData.input, hostTools.news());
      return input ? { ...modelData, input } : modelData;
    },
  };
}

interface ToolParts {
  readonly sdkName: string;
  readonly hostTools: HostTools;
  readonly asked: AskedCalls;
}

function toTool({ name, description, inputSchema }: OfferedTool, { sdkName, hostTools, asked }: ToolParts): Tool {
  return tool({
    name: sdkName,
    description,
    // Strict would demand every property. The host checks the input itself.
    strict: false,
    parameters: inputSchema as object as LooseParameters,
    // The SDK asks again about a call whose run is resumed, so a restart of the program loses no yes.
    needsApproval: async (_, input, callId) => {
      if (callId === undefined || !(await hostTools.needsApproval(name, input))) return false;
      asked.add({ name, callId, input });
      return true;
    },
    execute: async (input, context, details) => {
      const callId = details?.toolCall?.callId;
      const approval = asked.take({ name, callId, input }) ? approvalOf(context, sdkName, callId) : 'none';
      const isApproved = approval === 'this call';
      const output = toOutput(await hostTools.call({ name, input, callId, signal: details?.signal, isApproved }));
      if (output.outcome !== 'ok') {
        const why = approval === 'all calls' && output.error?.code === 'denied' ? `. ${APPROVE_EACH}` : '';
        return `Error: ${toText(name, output)}${why}`;
      }
      const parts = toParts(name, output);
      if (parts.every(({ kind }) => kind === 'text')) return toText(name, output);
      return parts.map((part) =>
        part.kind === 'text'
          ? { type: 'text', text: part.text }
          : { type: 'image', image: { data: part.data, mediaType: part.mimeType } },
      );
    },
    // Only a cancelled run throws: it ends the run, and is no text for the model.
    errorFunction: null,
  });
}

/** What a person approved. A yes to all calls of a tool (`alwaysApprove`) is no yes to this one. */
function approvalOf(
  context: RunContext | undefined,
  toolName: string,
  callId: string | undefined,
): 'none' | 'this call' | 'all calls' {
  if (!context || callId === undefined || context.isToolApproved({ toolName, callId }) !== true) return 'none';
  return context.isToolApproved({ toolName, callId: crypto.randomUUID() }) === true ? 'all calls' : 'this call';
}

const APPROVE_EACH = 'Approve each call by itself, without alwaysApprove, or allow the tool by a rule';

/** The parameters that the SDK takes for a tool that is not strict. */
interface LooseParameters {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
  additionalProperties: true;
}

/** Names after the SDK's own rule, made unique: two names of the host could become one. */
function toSdkNames(tools: readonly OfferedTool[]): readonly string[] {
  const taken = new Set<string>();
  return tools.map(({ name }) => {
    const plain = name.replaceAll(/[^a-zA-Z0-9]/g, '_');
    let unique = plain;
    for (let count = 2; taken.has(unique); count++) unique = `${plain.slice(0, NAME_LIMIT - 5)}_${count}`;
    taken.add(unique);
    return unique;
  });
}

const NAME_LIMIT = 64; // characters that model APIs take
