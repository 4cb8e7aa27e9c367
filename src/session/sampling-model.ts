// https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
import { HostError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { shorten } from '../base/shorten.js';
import { profiles } from '../model/profiles/all.js';
import type { ModelProfile } from '../model/profiles/profile.js';
import type {
  SamplingBlock,
  SamplingMessage,
  SamplingPort,
  SamplingRequest,
  SamplingResult,
  SamplingTool,
} from '../model/sampling.js';
import type { ContentBlock } from '../model/content/content-block.js';
import type { AssistantPart, Message, UserPart } from './message.js';
import {
  type ModelEvent,
  type ModelPort,
  type ModelRequest,
  NO_USAGE,
  type StopReason,
  type Usage,
} from './model-port.js';

/** A server uses the session's model. */
export type SamplingEvent =
  | { readonly kind: 'sampling'; readonly phase: 'began'; readonly server: string }
  | {
      readonly kind: 'sampling';
      readonly phase: 'ended';
      readonly server: string;
      /** `cancelled`: the server gave up, or the call that it asked for was cancelled. */
      readonly outcome: 'ok' | 'failed' | 'cancelled';
      readonly usage: Usage;
    };

/**
 * Lets servers use the session's model (sampling). What the model cannot take is an error, never left out. `onEvent`
 * gets two events for each request that reaches the model.
 */
export function toSamplingPort(
  model: () => ModelPort | undefined,
  onEvent: (event: SamplingEvent) => void = () => {},
): SamplingPort {
  return {
    async createMessage(request, signal) {
      const current = model();
      if (!current) throw new HostError('no-model', 'There is no model in this session');
      const profile = profiles.find(({ name }) => name === current.profile)!;
      const asked = toRequest(request, profile);
      const { server } = request;
      const parts: AssistantPart[] = [];
      let end: Extract<ModelEvent, { kind: 'end' }> | undefined;
      onEvent({ kind: 'sampling', phase: 'began', server });
      try {
        for await (const event of current.stream(asked, signal)) {
          if (event.kind === 'part') parts.push(event.part);
          if (event.kind === 'end') end = event;
        }
      } finally {
        const outcome = end ? 'ok' : signal.aborted ? 'cancelled' : 'failed';
        onEvent({ kind: 'sampling', phase: 'ended', server, outcome, usage: end?.usage ?? NO_USAGE });
      }
      // Half an answer would pass for a whole one, so it is an error.
      if (!end) throw new HostError('model-failed', 'The model stopped in the middle of its answer');
      return toResult(parts, end.reason, current.name);
    },
  };
}

function toRequest(request: SamplingRequest, profile: ModelProfile): ModelRequest {
  const { messages, systemPrompt = '', maxTokens, temperature, stopSequences, tools = [], toolChoice } = request;
  const names = new Map<string, string>();
  return {
    tools: profile.toBlock(tools.map((tool) => toTool(tool, profile))),
    system: systemPrompt.trim() === '' ? [] : [systemPrompt],
    messages: messages.map((message) => toMessage(message, profile, names)),
    maxTokens: Math.min(maxTokens, MOST_TOKENS),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stopSequences }),
    ...(toolChoice !== undefined && { toolChoice: toolChoice.mode }),
  };
}

function toTool({ name, description, inputSchema }: SamplingTool, profile: ModelProfile): object {
  const made = profile.toTool({
    ...UNSTATED,
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema,
  });
  if (made.kind === 'tool') return made.tool;
  throw new HostError('bad-input', `The model cannot be given the tool ${name}: ${made.reason}`);
}

/** Fields of a definition that only a host reads, never a model. */
const UNSTATED = {
  title: undefined,
  outputSchema: undefined,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
  meta: { searchHint: undefined, maxResultChars: undefined },
};

/** `names`: the tools used so far, by call id. */
function toMessage({ role, content }: SamplingMessage, profile: ModelProfile, names: Map<string, string>): Message {
  if (content.some(({ type }) => type === 'tool_result')) {
    const results = content.map((block) => toCallResult(block, names));
    return { role: 'results', results: profile.toToolResults(results) };
  }
  if (role === 'user') return { role, parts: content.map(toUserPart) };
  return { role, parts: content.map((block) => toAssistantPart(block, names)) };
}

function toUserPart({ type, text, data, mimeType }: SamplingBlock): UserPart {
  if (type === 'text') return { kind: 'text', text: String(text) };
  if (type === 'image') return { kind: 'image', data: String(data), mimeType: String(mimeType) };
  throw unfit(type, 'user');
}

function toAssistantPart(block: SamplingBlock, names: Map<string, string>): AssistantPart {
  const { type, text, id, name, input } = block;
  if (type === 'text') return { kind: 'text', text: String(text) };
  if (type !== 'tool_use') throw unfit(type, 'assistant');
  names.set(String(id), String(name));
  return { kind: 'call', id: String(id), name: String(name), input: isObject(input) ? input : {} };
}

function toCallResult(
  { toolUseId, content, structuredContent, isError }: SamplingBlock,
  names: ReadonlyMap<string, string>,
): Parameters<ModelProfile['toToolResults']>[0][number] {
  const callId = String(toolUseId);
  const blocks = Array.isArray(content) ? content.filter((one): one is ContentBlock => isObject(one)) : [];
  return {
    callId,
    // Not the name of one of the host's tools, whose results may have a format of their own.
    name: `tool "${names.get(callId) ?? callId}"`,
    outcome: isError === true ? 'error' : 'ok',
    content: blocks.length > 0 || structuredContent === undefined ? blocks : [toJson(structuredContent)],
  };
}

function toJson(value: unknown): ContentBlock {
  return { type: 'text', text: JSON.stringify(value) };
}

function unfit(type: string, role: string): HostError {
  const kind = shorten(type, 40);
  return new HostError('unsupported', `The model of this session takes no ${kind} in a message of the ${role}`);
}

function toResult(parts: readonly AssistantPart[], reason: StopReason, model: string): SamplingResult {
  const content = parts.flatMap(toBlock);
  return {
    role: 'assistant',
    content: content.length === 1 ? content[0]! : content.length === 0 ? { type: 'text', text: '' } : content,
    model,
    stopReason: STOPS[reason],
  };
}

function toBlock(part: AssistantPart): readonly SamplingBlock[] {
  if (part.kind === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.kind !== 'call') return [];
  if (part.fault !== undefined) {
    throw new HostError('model-failed', `The model wrote a use of ${part.name} that cannot be read: ${part.fault}`);
  }
  return [{ type: 'tool_use', id: part.id, name: part.name, input: part.input }];
}

const STOPS: Readonly<Record<StopReason, string>> = {
  done: 'endTurn',
  calls: 'toolUse',
  paused: 'endTurn',
  length: 'maxTokens',
  refused: 'refusal',
  other: 'endTurn',
};

const MOST_TOKENS = 32_000; // of one answer, which the user pays: as much as the model may write itself
