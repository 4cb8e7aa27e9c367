import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { complete, type Completion, type CompletionQuestion } from '../../connection/requests/complete.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { ToolInput } from '../../model/tool.js';
import { textOf } from '../../tools/act-tools.js';
import type { Answered, TypedOptions } from '../answered.js';
import { findRunning, readFromServer } from '../servers/server-access.js';
import { hasLane } from '../servers/server-line.js';
import type { HookedBlocks, RequestParts } from '../servers/server-requests.js';
import type { CompletionRequests } from './completion-requests.js';

/** The argument to suggest values for. */
export interface CompletionRequest
  extends
    CompletionQuestion,
    Omit<TypedOptions, 'isTyped' | 'conversation' | 'isUnread' | 'ask' | 'onProgress' | 'relay' | 'isInMemory'> {
  /** The name of a configured server; it is started if need be. */
  readonly server: string;
}

/**
 * Suggested values for a variable of a template or an argument of a prompt. Decided as the request that it is for, seen
 * by hooks and written to the ledger, but nobody is asked: it is made at each key press. Never rejects.
 */
export function completeArgument(
  parts: RequestParts,
  completions: CompletionRequests,
  request: CompletionRequest,
): Promise<Answered<Completion>> {
  const { server, caller, timeoutMs } = request;
  // Each request of a client is its own to answer.
  if (hasLane(caller)) return sendCompletion(parts, request);
  const send = (): Promise<Answered<Completion>> =>
    sendCompletion(parts, { ...request, timeoutMs: timeoutMs ?? COMPLETION_MS });
  const running = parts.maySend(actOf(request), server) ? findRunning(parts, server) : undefined;
  // What is refused now is not answered from what was allowed before.
  if (!running || running instanceof HostError || running.status.kind === 'disabled') return send();
  return completions.ask({ request, clock: running.clock, send });
}

const COMPLETION_MS = 10_000; // ms; a user waits no longer for a suggestion

function actOf({ ref }: CompletionQuestion): 'prompts' | 'resources' {
  return ref.type === 'ref/prompt' ? 'prompts' : 'resources';
}

function sendCompletion(parts: RequestParts, request: CompletionRequest): Promise<Answered<Completion>> {
  const { server, ref, argument, context, ...options } = request;
  const { signal, timeoutMs, keepServerResult, caller, meta, logLevel } = options;
  return parts.send<Completion>({
    signal,
    timeoutMs,
    keepServerResult,
    caller,
    meta,
    logLevel,
    // No model reads what is suggested.
    isUnread: true,
    act: actOf(request),
    server,
    steps: 'completion',
    input: toInput({ ref, argument, context }),
    completes: ({ completing }) => (isObject(completing) ? textOf(completing['name']) : ''),
    respond: (running, input, sent) =>
      readFromServer(
        running,
        async (connection, left) => complete(connection, toQuestion(server, ref.type, input), left),
        sent,
      ),
    blocksOf: ({ values }) => values.map((text) => ({ type: 'text', text })),
    applyHooks: withValues,
  });
}

/** As hooks see it: the input of the request that it is for, so far, and what is being completed. */
function toInput({ ref, argument, context }: CompletionQuestion): ToolInput {
  const named = ref.type === 'ref/prompt' ? { prompt: ref.name } : { uri: ref.uri };
  return { ...named, ...(context && { arguments: context }), completing: { ...argument } };
}

/** Reads the input after hooks, which may have made anything of it. */
function toQuestion(
  server: string,
  type: CompletionQuestion['ref']['type'],
  { prompt, uri, arguments: given, completing }: ToolInput,
): CompletionQuestion {
  const named = type === 'ref/prompt' ? prompt : uri;
  const { name, value } = isObject(completing) ? completing : {};
  const isUsable = typeof named === 'string' && typeof name === 'string' && typeof value === 'string';
  if (!isUsable || (given !== undefined && !isObject(given))) {
    throw new HostError('bad-input', `A completion of "${server}" needs what it is for, a name and a value, as texts`, {
      hint: 'Correct the hook that changes the input',
    });
  }
  const ref = type === 'ref/prompt' ? { type, name: named } : { type, uri: named };
  return { ref, argument: { name, value }, context: given as CompletionQuestion['context'] };
}

/** Values that a hook has put in place of the server's. What it only adds is for a model. */
function withValues(_: Completion, { isWhole, others }: HookedBlocks): Partial<Completion> {
  if (isWhole) return {};
  return { values: others.flatMap(textsOf), total: undefined, hasMore: false };
}

function textsOf({ text }: ContentBlock): readonly string[] {
  return typeof text === 'string' ? [text] : [];
}
