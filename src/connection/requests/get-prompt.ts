// Getting prompts: https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#getting-a-prompt
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { nameWord } from '../../base/shell-word.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { SavedFile } from '../../model/tool.js';
import { badResponse } from '../../wire/response.js';
import type { CallOptions } from '../../wire/peer.js';
import { INVALID_PARAMS, isRpc } from '../../wire/rpc-codes.js';
import type { Connection } from '../connect.js';
import type { KeptServerResult } from '../kept-server-result.js';
import { extraOptions, isRelayed, type RequestExtras, withExtras } from './request-extras.js';
import { WatchedSpill, withSpillPreviews } from './saved-content.js';
import { readBlock } from '../catalog/server-block.js';
import { readDescription } from '../catalog/server-text.js';

/** One message of a prompt. */
export interface PromptMessage {
  /** In whose name the message is put into the conversation. */
  readonly role: 'user' | 'assistant';
  /** One block, as the specification has it. */
  readonly content: ContentBlock;
}

/** The messages of a prompt. */
export interface PromptAnswer {
  /** Empty where the server gave none. */
  readonly description: string;
  /** In the order in which they are to be sent to a model. */
  readonly messages: readonly PromptMessage[];
  /** Files with what was too large for memory. */
  readonly saved: readonly SavedFile[];
  /** Remarks on the result: messages that were left out. */
  readonly notes: readonly string[];
}

export interface GetPromptParams {
  /** The prompt's name, as its server spells it. */
  readonly name: string;
  readonly arguments?: Readonly<Record<string, string>> | undefined;
}

export interface GetPromptOptions extends CallOptions {
  /** Receives the server's own result. */
  readonly kept?: KeptServerResult | undefined;
  /** What the caller adds to the request. */
  readonly extras?: RequestExtras | undefined;
}

/** Gets a prompt by its server's name for it. Rejects with a HostError when no response is usable. */
export async function getPrompt(
  connection: Connection,
  { name, arguments: filled }: GetPromptParams,
  { kept, extras, ...given }: GetPromptOptions = {},
): Promise<PromptAnswer> {
  const { session, name: server, redact } = connection;
  if (!isObject(session.capabilities['prompts'])) {
    throw new HostError('unsupported', `Server "${server}" has no prompts`, {
      hint: `See what it has: plugboard get ${nameWord(server)}`,
    });
  }
  const options = { ...given, ...extraOptions(extras) };
  const spill = options.spill && new WatchedSpill(options.spill);
  const params = { name, ...(filled && Object.keys(filled).length > 0 && { arguments: filled }) };
  const answer = await session
    .request('prompts/get', withExtras(params, extras, connection), spill ? { ...options, spill } : options)
    .catch((error: unknown) => Promise.reject(toRefusal(error, server, name)));
  kept?.take(answer, redact);
  if (isRelayed(answer)) return { description: '', messages: [], saved: [], notes: [] };
  const { result, saved } = spill?.isUsed === true ? withSpillPreviews(answer) : { result: answer, saved: [] };
  const { messages, description } = result;
  if (!Array.isArray(messages)) throw badResponse({ server, method: 'prompts/get' }, 'its messages are no list');
  const first = messages.slice(0, MESSAGE_LIMIT);
  const read = first.map((message: unknown) => readMessages(message, redact));
  const malformed = read.filter((found) => found === undefined).length;
  const notes = [
    ...(malformed > 0 ? [`${malformed} malformed messages were left out`] : []),
    ...(messages.length > first.length ? [`${messages.length - first.length} more messages were left out`] : []),
  ];
  return {
    description: readDescription(description, redact),
    messages: read.flatMap((found) => found ?? []),
    saved,
    notes,
  };
}

const MESSAGE_LIMIT = 1_000;
const BLOCK_LIMIT = 100; // per message

/** The specification has one block per message; several blocks become a message each. */
function readMessages(message: unknown, redact: Connection['redact']): readonly PromptMessage[] | undefined {
  if (!isObject(message)) return undefined;
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') return undefined;
  const blocks = Array.isArray(content) ? content.slice(0, BLOCK_LIMIT) : [content];
  const found = blocks.map((block: unknown) => readBlock(block, redact)).filter((block) => block !== undefined);
  return found.length === 0 ? undefined : found.map((block) => ({ role, content: block }));
}

/** INVALID_PARAMS: an unknown prompt, or wrong arguments; only the server's text says which. */
function toRefusal(error: unknown, server: string, name: string): unknown {
  if (!isRpc(error, INVALID_PARAMS)) return error;
  return new HostError('bad-input', `Prompt "${name}" of server "${server}" was refused: ${error.message}`, {
    hint: `See what it takes: plugboard prompts ${nameWord(server)}`,
    ...(error.detail && { detail: error.detail }),
    cause: error,
  });
}
