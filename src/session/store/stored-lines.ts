import type { CallResult } from '../../host/host-options.js';
import type { StoredItem } from '../journal.js';
import type { StoredReason } from './said-items.js';
import { toStoredPart } from './stored-parts.js';
import { toResultFields } from './stored-result.js';

/** The first line of a session file. */
export interface SessionHeader {
  readonly id: string;
  readonly cwd: string;
  /** ISO 8601. */
  readonly created: string;
  /** The session that this one began as a copy of. */
  readonly forkedFrom?: string;
}

/** What the lines of messages have in common, so that hooks and other programs can read the file as a transcript. */
export interface LineContext {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly timestamp: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** Of the next messages: a `rewrite` line that follows puts them into the conversation. */
  readonly isStaged: boolean;
}

export type StoredMessage = Extract<StoredItem, { kind: 'message' }>;

/** `count`: of messages so far, for lists. */
export function toMessageLine(
  { message, from, typed, model, files, task }: StoredMessage,
  context: LineContext,
  { count }: { readonly count: number },
): object {
  const { role, parts } = message;
  return {
    type: role,
    ...toFields(context),
    ...(from !== undefined && { from }),
    ...(typed !== undefined && { typed }),
    ...(files && { files }),
    ...(task !== undefined && { task }),
    count,
    message: { role, ...(model !== undefined && { model }), content: parts.map(toStoredPart) },
  };
}

export function toCallResultLine(result: CallResult, context: LineContext): object {
  const { block, rest } = toResultFields(result);
  return { type: 'user', ...toFields(context), message: { role: 'user', content: [block] }, plugboard: rest };
}

/** `results`: the uuids of the lines of the results. */
export function toResultsLine(
  results: readonly string[],
  context: LineContext,
  { count }: { readonly count: number },
): object {
  return { type: 'results', ...toFields(context), count, results };
}

/** `fork`: the messages before are a copy. */
export function toRewriteLine(uuids: readonly string[], reason: StoredReason, count: number): object {
  return { type: 'rewrite', reason, count, uuids };
}

export function toHeaderLine(header: SessionHeader, program: string): object {
  return { type: 'session', version: VERSION_1, ...header, program };
}

function toFields({ isStaged, ...fields }: LineContext): object {
  return { ...fields, ...(isStaged && { staged: true }) };
}

export const VERSION_1 = 1;
