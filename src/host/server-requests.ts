import { HostError } from '../base/errors.js';
import { failed } from '../model/failed-result.js';
import type { RequestAct } from '../model/permissions/server-act.js';
import type { CallContext, ContentBlock, Tool, ToolInput } from '../model/tool.js';
import { type DecidedTool, ofServer } from '../tools/act-tools.js';
import { type Answered, type TypedOptions, unanswered } from './answered.js';
import type { Calls } from './calls.js';
import { findConnection, type OfferParts } from './offer-parts.js';
import type { ServerActs } from './server-acts.js';

/** Something that is asked of a server besides a call of its tools. */
export interface ServerRequest<Answer extends object> extends TypedOptions {
  readonly act: RequestAct;
  readonly server: string;
  /** What is decided about besides the server, and hooks see and may change. */
  readonly input?: ToolInput;
  /** Asks for it, with the input as hooks leave it. Contract: never rejects. */
  readonly respond: (input: ToolInput, context: CallContext) => Promise<Answered<Answer>>;
  /** What hooks see of the answer; nothing where there is nothing to be read in it. */
  readonly blocksOf?: (answer: Answer) => readonly ContentBlock[];
  /** What is different in the answer that hooks have seen. */
  readonly asLeft?: (answer: Answer, left: LeftByHooks) => Partial<Answer>;
  /** An address that the server has listed elsewhere than among its resources. */
  readonly listed?: string | undefined;
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
export interface RequestParts extends OfferParts {
  /** Through all that a call passes. Never rejects. */
  readonly send: <Answer extends object>(request: ServerRequest<Answer>) => Promise<Answered<Answer>>;
  /** Whether that would not be refused whatever is asked for. */
  readonly maySend: (act: RequestAct, server: string) => boolean;
}

export interface ServerRequestsOptions {
  readonly acts: ServerActs;
  readonly offers: OfferParts;
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
  const { act, server, input, respond, blocksOf, asLeft, listed, isQuiet, isTyped = true, ...options } = request;
  const decided = acts.toolOf(act, server);
  if (!decided) return unanswered(toUnread(offers, server));
  let answer: ({ readonly ok: true } & Answer) | undefined;
  let produced: readonly ContentBlock[] = [];
  const tool: Tool = {
    ...decided,
    ...(listed !== undefined && { traitsOf: withListed(decided, listed) }),
    call: ofServer({ name: decided.name, server }, async (given, context) => {
      const answered = await respond(given, context);
      if (!answered.ok) return failed('error', answered.error, 1);
      answer = answered;
      produced = blocksOf?.(answered) ?? [];
      return { outcome: 'ok', content: produced, saved: [], notes: [], attempts: 1 };
    }),
  };
  const asked = { ...options, input: { server, ...input }, isTyped, shape: 'raw' } as const;
  const { content, notes, error } = await calls.callTool(tool, asked, isQuiet);
  if (!answer || error) return unanswered(error ?? toUnread(offers, server));
  if (!asLeft) return answer;
  const isWhole = produced.every((block) => content.includes(block));
  const others = content.filter((block) => !isWhole || !produced.includes(block));
  return { ...answer, ...asLeft(answer, { isWhole, others, notes }) };
}

/** Whoever asks for something of a server that rules deny as a whole is told that, and not by which name it was decided. */
export function toldOfServer<Answer extends object>(
  { denied }: OfferParts,
  server: string,
  answered: Answered<Answer>,
): Answered<Answer> {
  const refusal = answered.ok ? undefined : denied(server);
  return refusal ? unanswered(refusal) : answered;
}

/** Why nothing of a server can be read that there is no reader for. */
export function toUnread(offers: OfferParts, server: string): HostError {
  const found = findConnection(offers, server);
  if (found instanceof HostError) return found;
  return new HostError('denied', `Nothing of server "${server}" is read with this tool`);
}

function withListed(decided: DecidedTool, listed: string): NonNullable<Tool['traitsOf']> {
  return (input) => (input['uri'] === listed ? { uri: listed, isHarmless: true } : decided.traitsOf?.(input));
}
