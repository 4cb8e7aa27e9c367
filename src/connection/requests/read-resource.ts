// Reading resources: https://modelcontextprotocol.io/specification/2025-11-25/server/resources#reading-resources
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { nameWord } from '../../base/shell-word.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { SavedFile } from '../../model/tool.js';
import { badResponse } from '../../wire/response.js';
import type { CallOptions } from '../../wire/peer.js';
import { INVALID_PARAMS, isRpc } from '../../wire/rpc-codes.js';
import type { Connection } from '../connect.js';
import type { KeptServerResult } from '../kept-server-result.js';
import { extraOptions, isRelayed, type RequestExtras, withExtras } from './request-extras.js';
import { WatchedSpill, withSpillPreviews } from './saved-content.js';
import { cleanServerText } from '../catalog/server-block.js';

/** One part of a resource: a text, or bytes as base64. */
export type ResourceContent =
  | { readonly uri: string; readonly mimeType: string | undefined; readonly text: string }
  | { readonly uri: string; readonly mimeType: string | undefined; readonly blob: string };

/** The contents of a resource. */
export interface ResourceAnswer {
  /** Usually one; a folder may have several, each with its own URI. */
  readonly contents: readonly ResourceContent[];
  /** Files with what was too large for memory. */
  readonly saved: readonly SavedFile[];
  /** Remarks on the result: parts that were left out. */
  readonly notes: readonly string[];
}

export interface ReadOptions extends CallOptions {
  /** True: texts exactly as the server wrote them, for a file or a digest. Otherwise cleaned for display. */
  readonly isExact?: boolean | undefined;
  /** Receives the server's own result. */
  readonly kept?: KeptServerResult | undefined;
  /** What the caller adds to the request. */
  readonly extras?: RequestExtras | undefined;
}

/** Reads a resource. Rejects with a HostError when there is none, or no usable response. */
export async function readResource(
  connection: Connection,
  uri: string,
  options: ReadOptions = {},
): Promise<ResourceAnswer> {
  const { session, name: server } = connection;
  const { isExact = false, kept, extras, ...given } = options;
  const asking = { ...given, ...extraOptions(extras) };
  checkUri(uri, server);
  if (!isObject(session.capabilities['resources'])) {
    throw new HostError('unsupported', `Server "${server}" has no resources`, {
      hint: `See what it has: plugboard get ${nameWord(server)}`,
    });
  }
  const spill = asking.spill && new WatchedSpill(asking.spill);
  const answer = await session
    .request('resources/read', withExtras({ uri }, extras, connection), spill ? { ...asking, spill } : asking)
    .catch((error: unknown) => Promise.reject(toUnknown(error, server, uri)));
  kept?.take(answer, connection.redact);
  if (isRelayed(answer)) return { contents: [], saved: [], notes: [] };
  const { result, saved } = spill?.isUsed === true ? withSpillPreviews(answer) : { result: answer, saved: [] };
  const { contents } = result;
  if (!Array.isArray(contents)) throw badResponse({ server, method: 'resources/read' }, 'its contents are no list');
  const notes: string[] = [];
  if (contents.length > PART_LIMIT) notes.push(`${contents.length - PART_LIMIT} more parts were left out`);
  const texts = isExact ? asItIs : (text: string): string => cleanServerText(text, connection.redact);
  const parts = contents.slice(0, PART_LIMIT).map((part: unknown) => toContent(part, uri, texts));
  const found = parts.filter((part) => part !== undefined);
  if (found.length < parts.length) notes.push(`${parts.length - found.length} malformed parts were left out`);
  return { contents: found, saved, notes };
}

export const URI_LIMIT = 4_096; // longest URI that servers and browsers take

const PART_LIMIT = 1_000;
const RESOURCE_NOT_FOUND = -32002; // until 2025-11-25; later versions use INVALID_PARAMS
const MIME_LIMIT = 200;

export function checkUri(uri: string, server: string): void {
  if (uri !== '' && uri.length <= URI_LIMIT) return;
  const what = uri === '' ? 'is empty' : `has ${uri.length} characters; ${URI_LIMIT} is the limit`;
  throw new HostError('bad-input', `The address of a resource of server "${server}" ${what}`, {
    hint: `See what it has: plugboard resources ${nameWord(server)}`,
  });
}

function asItIs(text: string): string {
  return text;
}

function toContent(part: unknown, asked: string, toText: (text: string) => string): ResourceContent | undefined {
  if (!isObject(part)) return undefined;
  const { uri, mimeType, text, blob } = part;
  const about = {
    uri: gateLine(typeof uri === 'string' && uri !== '' ? uri : asked, { limit: URI_LIMIT }).text,
    mimeType: typeof mimeType === 'string' ? gateLine(mimeType, { limit: MIME_LIMIT }).text : undefined,
  };
  if (typeof text === 'string') return { ...about, text: toText(text) };
  return typeof blob === 'string' ? { ...about, blob } : undefined;
}

/** Servers report an unknown resource by one of two error codes. */
function toUnknown(error: unknown, server: string, uri: string): unknown {
  if (!isRpc(error, RESOURCE_NOT_FOUND) && !isRpc(error, INVALID_PARAMS)) return error;
  const shown = gateLine(uri, { limit: SHOWN_URI }).text;
  return new HostError('unknown-resource', `Server "${server}" has no resource "${shown}": ${error.message}`, {
    hint: `See what it has: plugboard resources ${nameWord(server)}`,
    ...(error.detail && { detail: error.detail }),
    cause: error,
  });
}

const SHOWN_URI = 300;
