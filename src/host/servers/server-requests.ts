import { HostError } from '../../base/errors.js';
import type { RetriedOutcome } from '../../connection/call-with-retries.js';
import { KeptServerResult } from '../../connection/kept-server-result.js';
import { failed, refusedResult } from '../../model/failed-result.js';
import type { RequestAct } from '../../model/permissions/server-act.js';
import type { CallContext, ContentBlock, Tool, ToolInput } from '../../model/tool.js';
import { type DecidedTool, ofServer, readingTraits } from '../../tools/act-tools.js';
import { type Answered, type TypedOptions, unanswered } from '../answered.js';
import type { Calls } from '../calls/calls.js';
import { findConnection, type ServerAccess, type ServerAskOptions } from './server-access.js';
import type { ServerActs } from '../calls/server-acts.js';
import type { Server } from './server.js';

/** Something that is asked of a server besides a call of its tools. */
export interface ServerRequest<Answer extends object> extends TypedOptions {
  readonly act: RequestAct;
  readonly server: string;
  /** What is decided about besides the server, and hooks see and may change. */
  readonly input?: ToolInput;
  /** Asks for it, with the input as hooks leave it. Contract: never rejects. */
  readonly respond: (
    server: Server,
    input: ToolInput,
    context: CallContext & Pick<ServerAskOptions, 'kept'>,
  ) => Promise<RetriedOutcome<Answer>>;
  /** What hooks see of the answer; nothing where there is nothing to be read in it. */
  readonly blocksOf?: (answer: Answer) => readonly ContentBlock[];
  /** What is different in the answer that hooks have seen. */
  readonly asLeft?: (answer: Answer, left: LeftByHooks) => Partial<Answer>;
  /** Whether the server has told itself what is asked for, where more than its list of resources says so. */
  readonly isListed?: (input: ToolInput) => boolean;
  /** Where a rule denies the whole server it is told which call was denied; otherwise that nothing of the server is used. */
  readonly isToldByName?: boolean;
  /** Somebody is still writing, or looks at a list: policy and rules that deny hold; nobody is asked, no hook is run, nothing is written down. */
  readonly isQuiet?: boolean;
}

/** What hooks have made of the blocks that they were shown. */
export interface LeftByHooks {
  /** Whether what came from the server is still there, all of it. */
  readonly isWhole: boolean;
  /** What is new, or what stands there instead. */
  readonly others: readonly ContentBlock[];
  readonly notes: readonly string[];
}

/** What is needed to ask servers for something. */
export interface RequestParts extends ServerAccess {
  /** Through all that a call passes. Never rejects. */
  readonly send: <Answer extends object>(request: ServerRequest<Answer>) => Promise<Answered<Answer>>;
  /** Whether that would not be refused whatever is asked for. */
  readonly maySend: (act: RequestAct, server: string) => boolean;
}

export interface ServerRequestsOptions {
  readonly acts: ServerActs;
  readonly offers: ServerAccess;
  readonly calls: Pick<Calls, 'callTool'>;
  readonly isPermitted: (tool: DecidedTool) => boolean;
}

/** Prompts, resources, skills and completions: decided, seen by hooks and written down like calls of tools. */
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
  const { act, server, input, isListed, isTyped = true, isQuiet, signal, timeoutMs } = request;
  const decided = acts.toolOf(act, server);
  if (!decided) return unanswered(toUnread(offers, server));
  let answer: Answer | undefined;
  let produced: readonly ContentBlock[] = [];
  const tool: Tool = {
    ...decided,
    ...(isListed && { traitsOf: (given) => readingTraits(given, isListed(given)) }),
    call: ofServer({ name: decided.name, server }, async (given, context) => {
      const connection = findConnection(offers, server);
      if (connection instanceof HostError) return refusedResult(connection);
      const kept = KeptServerResult.for(context);
      const carried = await request.respond(connection, given, { ...context, kept });
      const { attempts } = carried;
      if (carried.outcome !== 'ok')
        return { ...failed(carried.outcome, carried.error, attempts), ...kept?.toField(carried.error) };
      answer = carried.result;
      produced = request.blocksOf?.(answer) ?? [];
      return { outcome: 'ok', content: produced, saved: [], notes: [], attempts, ...kept?.toField() };
    }),
  };
  const { caller, keepServerResult } = request;
  const asked = {
    input: { server, ...input },
    isTyped,
    signal,
    timeoutMs,
    caller,
    keepServerResult,
    shape: 'raw',
  } as const;
  const { content, notes, error, serverResult, changedByHook } = await calls.callTool(tool, asked, isQuiet);
  const own = serverResult && { serverResult, ...(changedByHook && { changedByHook }) };
  if (!answer || error) {
    const refusal = request.isToldByName === true ? undefined : offers.denied(server);
    return { ...unanswered(refusal ?? error ?? toUnread(offers, server)), ...own };
  }
  const isWhole = produced.every((block) => content.includes(block));
  const others = content.filter((block) => !isWhole || !produced.includes(block));
  return { ok: true, ...answer, ...request.asLeft?.(answer, { isWhole, others, notes }), ...own };
}

/** Why nothing of a server can be read that there is no reader for. */
export function toUnread(offers: ServerAccess, server: string): HostError {
  const found = findConnection(offers, server);
  if (found instanceof HostError) return found;
  return new HostError('denied', `Nothing of server "${server}" is read with this tool`);
}
