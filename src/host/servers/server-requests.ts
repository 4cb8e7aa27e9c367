import { HostError } from '../../base/errors.js';
import type { RetriedOutcome } from '../../connection/call-with-retries.js';
import { KeptServerResult } from '../../connection/kept-server-result.js';
import { failed, refusedResult } from '../../model/failed-result.js';
import type { RequestAct } from '../../model/permissions/server-act.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { CallContext, Tool, ToolInput } from '../../model/tool.js';
import { type DecidedTool, ofServer, readingTraits } from '../../tools/act-tools.js';
import { type Answered, type TypedOptions, unanswered } from '../answered.js';
import type { Calls, StepsOf } from '../calls/calls.js';
import { findRunning, type ServerAccess, type ServerAskOptions } from './server-access.js';
import type { ServerActs } from '../calls/server-acts.js';
import type { Server } from './server.js';

/** A request to a server other than a tool call. */
export interface ServerRequest<Answer extends object> extends TypedOptions {
  readonly act: RequestAct;
  readonly server: string;
  /** What permissions decide about besides the server; hooks see it and may change it. */
  readonly input?: ToolInput;
  /** Makes the request with the input after hooks. Contract: never rejects. */
  readonly respond: (
    server: Server,
    input: ToolInput,
    context: CallContext & Pick<ServerAskOptions, 'kept'>,
  ) => Promise<RetriedOutcome<Answer>>;
  /** The blocks of the answer that hooks see; none where there is nothing to read. */
  readonly blocksOf?: (answer: Answer) => readonly ContentBlock[];
  /** What hooks have changed in the answer. */
  readonly applyHooks?: (answer: Answer, left: HookedBlocks) => Partial<Answer>;
  /** Whether the server has listed what is requested. Default: whether its resource list has the URI. */
  readonly isListed?: (input: ToolInput) => boolean;
  /** Where a rule denies the whole server, the error names the denied call, and not only the server. */
  readonly errorNamesCall?: boolean;
  /** Which steps it goes through. Default: all. */
  readonly steps?: StepsOf | undefined;
  /** For a completion: the name of the argument that an input would have completed. */
  readonly completes?: (input: ToolInput) => string;
}

/** What hooks have left of the blocks that they were shown. */
export interface HookedBlocks {
  /** Whether all blocks of the server are still there. */
  readonly isWhole: boolean;
  /** Blocks that hooks have added, or put in place of the server's. */
  readonly others: readonly ContentBlock[];
  readonly notes: readonly string[];
}

export interface RequestParts extends ServerAccess {
  /** Sends a request through the steps of a call. Never rejects. */
  readonly send: <Answer extends object>(request: ServerRequest<Answer>) => Promise<Answered<Answer>>;
  /** Whether some request of this kind may be permitted. */
  readonly maySend: (act: RequestAct, server: string) => boolean;
}

export interface ServerRequestsOptions {
  readonly acts: ServerActs;
  readonly offers: ServerAccess;
  readonly calls: Pick<Calls, 'callTool'>;
  readonly isPermitted: (tool: DecidedTool) => boolean;
}

/** Sends requests for prompts, resources, skills and completions through the same steps as tool calls. */
export function serverRequests(options: ServerRequestsOptions): RequestParts {
  const { acts, offers, isPermitted } = options;
  return {
    ...offers,
    send: (request) => send(options, request),
    maySend: (act, server) => {
      const decided = acts.toolOf(act, server);
      return !decided || isPermitted(decided);
    },
  };
}

async function send<Answer extends object>(
  { acts, offers, calls }: ServerRequestsOptions,
  request: ServerRequest<Answer>,
): Promise<Answered<Answer>> {
  const { act, server, input, isListed, isTyped = true, completes, steps } = request;
  const decided = acts.toolOf(act, server);
  if (!decided) return unanswered(noReaderError(offers, server));
  let answer: Answer | undefined;
  let produced: readonly ContentBlock[] = [];
  const tool: Tool = {
    ...decided,
    ...(isListed && { traitsOf: (given) => readingTraits(given, isListed(given)) }),
    ...(completes && { traitsOf: (given) => ({ ...decided.traitsOf?.(given), completes: completes(given) }) }),
    call: ofServer({ name: decided.name, server }, async (given, context) => {
      const running = findRunning(offers, server);
      if (running instanceof HostError) return refusedResult(running);
      const kept = KeptServerResult.for(context);
      const carried = await request.respond(running, given, { ...context, kept });
      const { attempts, isNewLane } = carried;
      const lane = isNewLane && { isNewLane };
      if (carried.outcome !== 'ok')
        return { ...failed(carried.outcome, carried.error, attempts), ...kept?.toField(carried.error), ...lane };
      answer = carried.result;
      produced = request.blocksOf?.(answer) ?? [];
      return { outcome: 'ok', content: produced, saved: [], notes: [], attempts, ...kept?.toField(), ...lane };
    }),
  };
  const asked = { ...toToolRequest(request), input: { server, ...input }, isTyped, shape: 'raw' } as const;
  const { content, notes, error, serverResult, changedByHook, isNewLane } = await calls.callTool(tool, asked, steps);
  const own = {
    ...(serverResult && { serverResult, ...(changedByHook && { changedByHook }) }),
    ...(isNewLane && { isNewLane }),
  };
  if (!answer || error) {
    const refusal = request.errorNamesCall === true ? undefined : offers.denied(server);
    return { ...unanswered(refusal ?? error ?? noReaderError(offers, server)), ...own };
  }
  const isWhole = produced.every((block) => content.includes(block));
  const others = content.filter((block) => !isWhole || !produced.includes(block));
  return { ok: true, ...answer, ...request.applyHooks?.(answer, { isWhole, others, notes }), ...own };
}

/** What a request has in common with a call of a tool. */
function toToolRequest(request: TypedOptions): TypedOptions {
  const { signal, timeoutMs, caller, conversation, isUnread, keepServerResult, ask, onProgress, ...rest } = request;
  const { relay, meta, logLevel, isInMemory } = rest;
  const plain = { signal, timeoutMs, caller, conversation, isUnread, keepServerResult, ask, onProgress };
  return { ...plain, relay, meta, logLevel, isInMemory };
}

/** The error for a server that has no reader for its resources. */
export function noReaderError(offers: ServerAccess, server: string): HostError {
  const found = findRunning(offers, server);
  if (found instanceof HostError) return found;
  return new HostError('denied', `Nothing of server "${server}" is read with this tool`);
}
