// https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
import { isObject } from '../base/json.js';
import { gateJson } from './text/json-gate.js';
import { faultOfToolUse } from './sampling-tools.js';

/** Gives servers the use of a model. Contract: stops waiting when the signal aborts; a rejection fails the request. */
export interface SamplingPort {
  /** Asks the model once and resolves with its answer. The signal aborts when the server gives up. */
  createMessage(request: SamplingRequest, signal: AbortSignal): Promise<SamplingResult>;
}

/** A server's request to a model. Its texts have passed the text gate; all but messages and `maxTokens` is advice. */
export interface SamplingRequest {
  /** The name of the server that asks. */
  readonly server: string;
  /** At least one; at most 1000. */
  readonly messages: readonly SamplingMessage[];
  /** The upper limit for the model's response. */
  readonly maxTokens: number;
  /** Absent where the server gave none. */
  readonly systemPrompt?: string;
  /** 0 or above. */
  readonly temperature?: number;
  /** Texts that end the answer; at most 100. */
  readonly stopSequences?: readonly string[];
  /** Which model the server would like. */
  readonly modelPreferences?: ModelPreferences;
  /** For the model's provider. */
  readonly metadata?: SamplingFields;
  /** Tools that the model may use in its answer. The server runs them, not this host. */
  readonly tools?: readonly SamplingTool[];
  /** Absent: the model decides (`auto`). */
  readonly toolChoice?: { readonly mode: ToolChoiceMode };
}

/** One message of a server's request to a model. */
export interface SamplingMessage {
  /** Who said it in the server's conversation. */
  readonly role: 'user' | 'assistant';
  /** Always a list, even if the server sent a single block. */
  readonly content: readonly SamplingBlock[];
}

/** `text`, `image`, `audio`, `tool_use`, `tool_result`, or a type newer than this host. */
export interface SamplingBlock extends SamplingFields {
  /** Decides which other fields the block has. */
  readonly type: string;
}

/** Fields that are passed on as they are. */
export interface SamplingFields {
  /** Any JSON value. */
  readonly [field: string]: unknown;
}

/** A tool that a server lets the model use while it answers. */
export interface SamplingTool extends SamplingFields {
  /** Unique within the request. */
  readonly name: string;
  /** A JSON Schema, as the server wrote it. */
  readonly inputSchema: SamplingFields;
}

/** Whether a model may, must or must not use tools. */
export const toolChoiceModes = ['auto', 'required', 'none'] as const;
/** Whether a model may, must or must not use tools. */
export type ToolChoiceMode = (typeof toolChoiceModes)[number];

/** Which model a server would like. */
export interface ModelPreferences {
  /** Names of models, or parts of them; the first that fits counts. */
  readonly hints: readonly string[];
  /** From 0 to 1. */
  readonly costPriority?: number;
  /** From 0 to 1; absent where the server gave none. */
  readonly speedPriority?: number;
  /** From 0 to 1; absent where the server gave none. */
  readonly intelligencePriority?: number;
}

/** A model's answer for a server. */
export interface SamplingResult {
  /** `assistant`, as a rule. */
  readonly role: 'user' | 'assistant';
  /** One block or several. */
  readonly content: SamplingBlock | readonly SamplingBlock[];
  /** The name of the model that responded. */
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or the model's own word. */
  readonly stopReason?: string | undefined;
}

export type ReadRequest =
  | { readonly kind: 'request'; readonly request: SamplingRequest }
  /** `reason`: a sentence for the server's author. */
  | { readonly kind: 'fault'; readonly reason: string };

/** Reads a server's request. `includeContext` is ignored: no server learns what other servers said. */
export function parseSamplingRequest(server: string, params: SamplingFields): ReadRequest {
  const { maxTokens, systemPrompt, tools, toolChoice, metadata } = params;
  const messages = readMessages(params['messages']);
  if (typeof messages === 'string') return fault(messages);
  if (!Number.isSafeInteger(maxTokens) || (maxTokens as number) < 1) {
    return fault('maxTokens has to be a whole number above 0');
  }
  if (systemPrompt !== undefined && typeof systemPrompt !== 'string') return fault('systemPrompt has to be a text');
  const offered = tools === undefined ? undefined : readTools(tools);
  if (typeof offered === 'string') return fault(offered);
  const mode = toolChoice === undefined ? undefined : readMode(toolChoice);
  if (mode === 'fault') return fault(`toolChoice.mode has to be one of ${toolChoiceModes.join(', ')}`);
  const wrong = faultOfToolUse(messages);
  if (wrong !== undefined) return fault(wrong);
  const request: Omit<SamplingRequest, 'server' | 'maxTokens'> = {
    messages,
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...readAdvice(params),
    ...(isObject(metadata) && { metadata }),
    ...(offered && { tools: offered }),
    ...(mode && { toolChoice: { mode } }),
  };
  const { value } = gateJson(request) as { readonly value: typeof request };
  return { kind: 'request', request: { server, maxTokens: maxTokens as number, ...value } };
}

/** The result in the form that is sent, or what is wrong with it. */
export function parseSamplingResult(result: unknown, { tools }: SamplingRequest): SamplingResult | string {
  if (!isObject(result)) return 'it is no object';
  const { role, content, model, stopReason } = result;
  if (role !== 'assistant' && role !== 'user') return 'its role is neither assistant nor user';
  if (typeof model !== 'string' || model === '') return 'it does not name its model';
  if (stopReason !== undefined && typeof stopReason !== 'string') return 'its stopReason is no text';
  const blocks = readContent(content);
  if (typeof blocks === 'string') return `its content ${blocks}`;
  if (!tools && blocks.some(({ type }) => type === 'tool_use')) return 'it uses a tool, and none was offered';
  const [only, ...others] = blocks;
  return {
    role,
    // Servers older than 2025-11-25 accept no lists.
    content: others.length === 0 ? only! : blocks,
    model,
    ...(stopReason !== undefined && { stopReason }),
  };
}

const MESSAGE_LIMIT = 1_000;
const BLOCK_LIMIT = 1_000; // per message
const TOOL_LIMIT = 100;
const ADVICE_LIMIT = 100; // hints and stop sequences; no model takes more

function fault(reason: string): ReadRequest {
  return { kind: 'fault', reason };
}

function readMessages(messages: unknown): readonly SamplingMessage[] | string {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages has to be a list with something in it';
  if (messages.length > MESSAGE_LIMIT) return `messages has ${messages.length} of them; ${MESSAGE_LIMIT} is the limit`;
  const read: SamplingMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const { role, content } = isObject(message) ? message : {};
    if (role !== 'user' && role !== 'assistant') return `messages[${index}].role has to be user or assistant`;
    const blocks = readContent(content);
    if (typeof blocks === 'string') return `messages[${index}].content ${blocks}`;
    read.push({ role, content: blocks });
  }
  return read;
}

function readContent(content: unknown): readonly SamplingBlock[] | string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  if (blocks.length === 0) return 'is empty';
  if (blocks.length > BLOCK_LIMIT) return `has ${blocks.length} blocks; ${BLOCK_LIMIT} is the limit`;
  const bad = blocks.find((block) => !isBlock(block));
  if (blocks.every(isBlock)) return blocks;
  const type = isObject(bad) && isString(bad['type']) && Object.hasOwn(REQUIRED, bad['type']) ? bad['type'] : undefined;
  return type === undefined
    ? 'has a block without a type'
    : `has a block of type ${type} that lacks what belongs to it`;
}

/** A block of an unknown type only needs its type. */
function isBlock(block: unknown): block is SamplingBlock {
  if (!isObject(block) || typeof block['type'] !== 'string') return false;
  const { type } = block;
  if (!Object.hasOwn(REQUIRED, type)) return true;
  return Object.entries(REQUIRED[type]!).every(([field, isRight]) => isRight(block[field]));
}

const isText = (value: unknown): boolean => typeof value === 'string';

const REQUIRED: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  text: { text: isText },
  image: { data: isText, mimeType: isText },
  audio: { data: isText, mimeType: isText },
  tool_use: { id: isText, name: isText, input: isObject },
  tool_result: { toolUseId: isText, content: Array.isArray },
};

function readTools(tools: unknown): readonly SamplingTool[] | string {
  if (!Array.isArray(tools)) return 'tools has to be a list';
  if (tools.length > TOOL_LIMIT) return `tools has ${tools.length} of them; ${TOOL_LIMIT} is the limit`;
  if (!tools.every(isTool)) return 'each of the tools needs a name and an inputSchema';
  return new Set(tools.map(({ name }) => name)).size < tools.length ? 'two of the tools have the same name' : tools;
}

function isTool(tool: unknown): tool is SamplingTool {
  return isObject(tool) && typeof tool['name'] === 'string' && tool['name'] !== '' && isObject(tool['inputSchema']);
}

/** Without a mode the model decides (`auto`). */
function readMode(choice: unknown): ToolChoiceMode | 'fault' {
  const { mode = 'auto' } = isObject(choice) ? choice : { mode: null };
  return toolChoiceModes.find((one) => one === mode) ?? 'fault';
}

/** Reads the optional advice, without what is invalid. */
function readAdvice({
  temperature,
  stopSequences,
  modelPreferences,
}: SamplingFields): Pick<SamplingRequest, 'temperature' | 'stopSequences' | 'modelPreferences'> {
  const stops = Array.isArray(stopSequences) ? stopSequences.filter(isString).slice(0, ADVICE_LIMIT) : [];
  return {
    ...(typeof temperature === 'number' && temperature >= 0 && { temperature }),
    ...(stops.length > 0 && { stopSequences: stops }),
    ...(isObject(modelPreferences) && { modelPreferences: readPreferences(modelPreferences) }),
  };
}

function readPreferences({ hints, ...priorities }: SamplingFields): ModelPreferences {
  const names = (Array.isArray(hints) ? hints : []).map((hint: unknown) => isObject(hint) && hint['name']);
  const weights = ['costPriority', 'speedPriority', 'intelligencePriority'].flatMap((name) => {
    const weight = priorities[name];
    return typeof weight === 'number' && weight >= 0 && weight <= 1 ? [[name, weight] as const] : [];
  });
  return { hints: names.filter(isString).slice(0, ADVICE_LIMIT), ...Object.fromEntries(weights) };
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}
