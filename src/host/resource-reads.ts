import { HostError } from '../base/errors.js';
import type { ResourceAnswer, ResourceContent } from '../connection/read-resource.js';
import { expandTemplate, missingVariables } from '../model/uri-template.js';
import type { ContentBlock, Tool } from '../model/tool.js';
import type { ReadResourceOptions } from '../tools/read-resource.js';
import { resourceReader } from '../tools/resource-reader.js';
import { type Answered, unanswered } from './answered.js';
import type { CallResult, ToolRequest } from './host-options.js';
import { readHostResource, type ResourceRequest, unfilled } from './host-resources.js';
import { findConnection, type OfferParts, untilListed } from './offer-parts.js';
import type { ServerActs } from './server-acts.js';
import type { Servers } from './servers/servers.js';

export interface ReaderParts {
  readonly servers: Servers;
  readonly offers: OfferParts;
  /** Whether no rule denies reading, whatever is read: otherwise no server is started to find out what it has. */
  readonly isPermitted: (reader: Tool) => boolean;
}

export interface ReaderOptions {
  readonly server: string;
  readonly name: string;
  /** As the server wrote it: see `ResourceRequest`. */
  readonly isExact?: boolean | undefined;
  /** Hears of every answer. */
  readonly onAnswer?: (answer: ResourceAnswer) => void;
}

/** What resources of a server are read with, for models and for people. */
export function toReader({ servers, offers, isPermitted }: ReaderParts, options: ReaderOptions): Tool {
  const { server, name, isExact, onAnswer } = options;
  const isListed = (uri: string): boolean => servers.get(server)?.catalog.has('resources', uri) === true;
  const read: ReadResourceOptions['read'] = async (question) => {
    const answer = await readHostResource(offers, { ...question, isExact });
    if (answer.ok) onAnswer?.(answer);
    return answer;
  };
  const reader: Tool = resourceReader({
    name,
    server,
    read,
    isListed,
    untilListed: (uri, { signal, timeoutMs }) => {
      const found = servers.get(server);
      if (!found || isListed(uri) || !isPermitted(reader)) return undefined;
      return untilListed(found, 'resources', { signal, timeoutMs });
    },
  });
  return reader;
}

export interface ResourceReadParts extends ReaderParts {
  readonly acts: ServerActs;
  /** Calls a tool that was found. Contract: never rejects. */
  readonly call: (tool: Tool, request: Omit<ToolRequest, 'name'>) => Promise<CallResult>;
}

/**
 * Reads a resource for whoever wants its parts and no result of a tool: decided, seen by hooks and written down like any call. What a
 * person typed is its own approval. Never rejects.
 */
export async function readAsCall(
  parts: ResourceReadParts,
  { server, uri: address, values, isExact, isTyped = true, ...options }: ResourceRequest,
): Promise<Answered<ResourceAnswer>> {
  const name = parts.acts.nameOf('resources', server);
  if (name === undefined) return unanswered(toUnread(parts.offers, server));
  const missing = values ? missingVariables(address, values) : [];
  if (missing.length > 0) return unanswered(unfilled(address, missing));
  const uri = values ? expandTemplate(address, values) : address;
  let answer: ResourceAnswer | undefined;
  let produced: readonly ContentBlock[] = [];
  const reader = toReader(parts, { server, name, isExact, onAnswer: (read) => (answer = read) });
  const noting: Tool = {
    ...reader,
    call: async (input, context) => {
      const result = await reader.call(input, context);
      produced = result.content;
      return result;
    },
  };
  const result = await parts.call(noting, { ...options, input: { server, uri }, isTyped, shape: 'raw' });
  const { error, serverResult, changedByHook } = result;
  const own = serverResult && { serverResult, ...(changedByHook && { changedByHook }) };
  if (!answer || error) return { ...unanswered(error ?? toUnread(parts.offers, server)), ...own };
  return { ok: true, ...answer, ...asLeft(answer, { produced, result, uri }), ...own };
}

/** Why nothing of a server can be read that there is no reader for. */
export function toUnread(offers: OfferParts, server: string): HostError {
  const found = findConnection(offers, server);
  if (found instanceof HostError) return found;
  return new HostError('denied', `Nothing of server "${server}" is read with this tool`);
}

interface Left {
  readonly produced: readonly ContentBlock[];
  readonly result: CallResult;
  readonly uri: string;
}

/** What hooks have made of it. */
function asLeft(answer: ResourceAnswer, { produced, result, uri }: Left): Pick<ResourceAnswer, 'contents' | 'notes'> {
  const { content } = result;
  const notes = [...answer.notes, ...result.notes];
  if (content === produced) return { contents: answer.contents, notes };
  const isWhole = produced.every((block) => content.includes(block));
  const others = content.filter((block) => !isWhole || !produced.includes(block)).map((block) => toContent(block, uri));
  return { contents: isWhole ? [...answer.contents, ...others] : others, notes };
}

function toContent(block: ContentBlock, uri: string): ResourceContent {
  const { text } = block;
  return typeof text === 'string'
    ? { uri, mimeType: 'text/plain', text }
    : { uri, mimeType: 'application/json', text: JSON.stringify(block) };
}
