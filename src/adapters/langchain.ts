// https://docs.langchain.com/oss/javascript: tools of a host for LangChain 1.x.
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { DynamicStructuredTool } from '@langchain/core/tools';
import type { Host } from '../index.js';
import { AskedCalls } from './asked-calls.js';
import type { AdapterOptions } from './adapter-types.js';
import { HostTools, type OfferedTool, toOutput, toParts, toText } from './host-tools.js';

export type { AdapterOptions, ToolOutput } from './adapter-types.js';

/** What `createAgent` takes. */
export interface LangChainTools {
  /** An artifact is a `ToolOutput`. */
  readonly tools: DynamicStructuredTool[];
  /** The servers' instructions, for `systemPrompt`. */
  readonly system: string;
  /** For `humanInTheLoopMiddleware({ interruptOn })`: which calls wait for the user's approval. */
  readonly interruptOn: Record<string, InterruptOn>;
  /** Tells the model about servers and tools that came or changed since the last step: for `middleware`. */
  readonly middleware: NewsMiddleware;
}

/** A middleware of LangChain that only adds messages. */
export interface NewsMiddleware {
  /** `plugboard`. */
  readonly name: string;
  /** Called by LangChain before each request to the model; undefined when there is nothing new to tell. */
  readonly beforeModel: () => { messages: HumanMessage[] } | undefined;
}

/** What LangChain's own middleware asks a person about a call. */
export interface InterruptOn {
  /** A person may approve or reject a call, and not edit it. */
  readonly allowedDecisions: ('approve' | 'reject')[];
  /** Whether this call waits for a person. A call without an id never does: the host denies it where it would ask. */
  readonly when: (request: {
    readonly toolCall: { readonly id?: string | undefined; readonly args: Record<string, unknown> };
  }) => Promise<boolean>;
}

/**
 * The tools of a host for LangChain. Every call goes through the host: permissions, hooks, pins, retries and ledger
 * apply. Where the host has no `ports.ask`, a call that needs a permission question needs `humanInTheLoopMiddleware`
 * with `interruptOn`, and a yes counts for that call alone. For a part of the tools pass
 * `host.fork({ tools: ['mcp__docs'] })`.
 */
export function toLangChainTools(host: Host, options: AdapterOptions = {}): LangChainTools {
  const hostTools = new HostTools(host, options);
  const asked = new AskedCalls();
  return {
    tools: hostTools.tools.map((offered) => toTool(offered, hostTools, asked)),
    system: hostTools.system,
    interruptOn: Object.fromEntries(hostTools.tools.map(({ name }) => [name, toInterruptOn(name, hostTools, asked)])),
    middleware: {
      name: 'plugboard',
      beforeModel: () => {
        const news = hostTools.news();
        return news === undefined ? undefined : { messages: [new HumanMessage(news)] };
      },
    },
  };
}

/** The middleware looks at every call again when a run is resumed, so a restart of the program loses no yes. */
function toInterruptOn(name: string, hostTools: HostTools, asked: AskedCalls): InterruptOn {
  return {
    allowedDecisions: ['approve', 'reject'],
    when: async ({ toolCall: { id, args } }) => {
      if (id === undefined || !(await hostTools.needsApproval(name, args))) return false;
      asked.add({ name, callId: id, input: args });
      return true;
    },
  };
}

function toTool({ name, description, inputSchema }: OfferedTool, hostTools: HostTools, asked: AskedCalls): HostTool {
  return new HostTool({
    name,
    description,
    schema: inputSchema,
    responseFormat: 'content_and_artifact',
    func: async (input, _, config?: CallConfig) => {
      const callId = config?.toolCall?.id;
      const isApproved = asked.take({ name, callId, input });
      const result = await hostTools.call({ name, input, callId, signal: config?.signal, isApproved });
      const output = toOutput(result);
      if (output.outcome === 'ok') return [toContent(name, output), output];
      const content = toText(name, output);
      if (callId === undefined) return [content, output];
      return [new ToolMessage({ status: 'error', content, artifact: output, tool_call_id: callId, name }), output];
    },
  });
}

/** The host checks inputs itself. LangChain would run a server's schema on the main thread, patterns included. */
class HostTool extends DynamicStructuredTool {
  override call(...args: Parameters<DynamicStructuredTool['call']>): ReturnType<DynamicStructuredTool['call']> {
    const unchecked = Object.create(this, { schema: { value: {} } }) as DynamicStructuredTool;
    return super.call.apply(unchecked, args);
  }
}

interface CallConfig {
  readonly signal?: AbortSignal;
  readonly toolCall?: { readonly id?: string };
}

type Content = string | ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[];

function toContent(name: string, output: Parameters<typeof toParts>[1]): Content {
  const parts = toParts(name, output);
  if (parts.every(({ kind }) => kind === 'text')) return toText(name, output);
  return parts.map((part) =>
    part.kind === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } },
  );
}
