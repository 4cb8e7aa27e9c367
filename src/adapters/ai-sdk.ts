// https://ai-sdk.dev: tools of a host for the AI SDK, versions 6 and 7.
import * as sdk from 'ai';
import type { ModelMessage, ToolSet } from 'ai';
import { isObject } from '../base/json.js';
import type { Host } from '../index.js';
import { isSameJson } from '../model/text/same-json.js';
import type { AdapterOptions, ToolOutput } from './adapter-types.js';
import { HostTools, toOutput, toParts, toText } from './host-tools.js';
import { ToldNews } from './told-news.js';

export type { AdapterOptions, ToolOutput } from './adapter-types.js';

/** What `generateText`, `streamText` and `ToolLoopAgent` take. */
export interface AiTools {
  /** By name, as dynamic tools. An output is a `ToolOutput`. */
  readonly tools: ToolSet;
  /** The servers' instructions, for `system`. */
  readonly system: string;
  /**
   * AI SDK 7: which calls wait for the user's approval. AI SDK 6 asks the tools themselves (`needsApproval`). Pass
   * `experimental_toolApprovalSecret` where the answer comes from a browser: without it a client can forge a yes.
   */
  readonly toolApproval: Record<
    string,
    (input: unknown, call: ApprovalContext) => Promise<'user-approval' | undefined>
  >;
  /** Tells the model about servers and tools that came or changed since the last step. */
  readonly prepareStep: (step: { readonly messages: ModelMessage[] }) => { messages: ModelMessage[] } | undefined;
}

/** What the SDK tells about a call that may need approval. */
export interface ApprovalContext {
  readonly toolCallId: string;
  /** Missing in other programs that take these tools, such as Mastra: they have approvals of their own. */
  readonly messages?: readonly ModelMessage[] | undefined;
}

/**
 * The tools of a host for the AI SDK. Every call goes through the host: permissions, hooks, pins, retries and ledger
 * apply. Where the host has no `ports.ask`, a call that needs a permission question uses the SDK's own approval, and a
 * yes counts for that call alone. For a part of the tools pass `host.fork({ tools: ['mcp__docs'] })`.
 */
export function toAiTools(host: Host, options: AdapterOptions = {}): AiTools {
  const hostTools = new HostTools(host, options);
  const told = new ToldNews<ModelMessage>(
    (news) => ({ role: 'user', content: news }),
    (message, news) => message.role === 'user' && message.content === news,
  );
  const names: ReadonlySet<unknown> = new Set(hostTools.tools.map(({ name }) => name));
  const entries = hostTools.tools.map(({ name, description, inputSchema }) => {
    // A program may give a tool another name, but the yes to one of our tools is none to another.
    const isMeant = (called: unknown): boolean => called === name || !names.has(called);
    // The SDK asks again before it makes an approved call, and refuses one that needs no approval any more.
    const needsApproval = async (input: unknown, { toolCallId, messages }: ApprovalContext): Promise<boolean> =>
      hasYes({ messages, callId: toolCallId, input, isMeant }) || (await hostTools.needsApproval(name, input));
    const tool = sdk.dynamicTool({
      description,
      inputSchema: sdk.jsonSchema(inputSchema),
      needsApproval,
      execute: async (input, { toolCallId, abortSignal, messages }) => {
        const isApproved = hasYes({ messages, callId: toolCallId, input, isMeant });
        const signal = abortSignal;
        return toOutput(await hostTools.call({ name, input, callId: toolCallId, signal, isApproved }));
      },
      // Mastra passes the output alone.
      toModelOutput: (given) => toModelOutput(name, ('output' in given ? given.output : given) as ToolOutput),
    });
    return [name, tool, needsApproval] as const;
  });
  return {
    tools: Object.fromEntries(entries.map(([name, tool]) => [name, tool])),
    system: hostTools.system,
    toolApproval: Object.fromEntries(
      entries.map(([name, , needs]) => [
        name,
        async (input, call) => ((await needs(input, call)) ? 'user-approval' : undefined),
      ]),
    ),
    prepareStep: ({ messages }) => {
      const woven = told.weave(messages, hostTools.news());
      return woven && { messages: woven };
    },
  };
}

/** Whether the user has approved this call: the yes is in the messages, also after a restart of the program. */
function hasYes({ messages = [], callId, input, isMeant }: AskedFor): boolean {
  const parts = messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as unknown[]) : []))
    .filter(isObject);
  const asked = parts.filter(
    (part) =>
      part['type'] === 'tool-approval-request' &&
      part['toolCallId'] === callId &&
      typeof part['approvalId'] === 'string',
  );
  const isAnswered = asked.some(({ approvalId }) =>
    parts.some(
      (part) =>
        part['type'] === 'tool-approval-response' && part['approvalId'] === approvalId && part['approved'] === true,
    ),
  );
  const call = parts.findLast((part) => part['type'] === 'tool-call' && part['toolCallId'] === callId);
  return isAnswered && call !== undefined && isMeant(call['toolName']) && isSameJson(call['input'], input);
}

interface AskedFor {
  readonly messages: readonly ModelMessage[] | undefined;
  readonly callId: string;
  readonly input: unknown;
  /** Whether this tool may be called by this name. */
  readonly isMeant: (toolName: unknown) => boolean;
}

type ModelOutput = Awaited<ReturnType<NonNullable<ToolSet[string]['toModelOutput']>>>;

function toModelOutput(name: string, output: ToolOutput): ModelOutput {
  const { outcome, error } = output;
  if (error?.code === 'denied') return { type: 'execution-denied', reason: error.message };
  if (outcome !== 'ok') return { type: 'error-text', value: toText(name, output) };
  const parts = toParts(name, output);
  if (parts.every(({ kind }) => kind === 'text')) return { type: 'text', value: toText(name, output) };
  const value = parts.map((part) => (part.kind === 'text' ? { type: 'text', text: part.text } : toImage(part)));
  return { type: 'content', value } as ModelOutput;
}

/** Version 7 has one part for every kind of file, and warns of the one that version 6 has for images. */
function toImage({ data, mimeType: mediaType }: { readonly data: string; readonly mimeType: string }): object {
  return 'isStepCount' in sdk
    ? { type: 'file', mediaType, data: { type: 'data', data } }
    : { type: 'image-data', data, mediaType };
}
