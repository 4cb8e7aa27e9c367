import { isObject } from '../base/json.js';
import { shorten } from '../base/shorten.js';
import { within } from '../base/within.js';
import type { Clock } from '../model/clock.js';
import { BadAnswer, refuseOthers } from '../model/hooks/answer-fields.js';
import type {
  AnsweredElicitation,
  Elicitation,
  ElicitationReply,
  FinishedCall,
  HookCall,
  PermissionHookAnswer,
  PermissionRequest,
  PostAnswer,
  PreAnswer,
} from '../model/hooks/hook-call.js';
import { readOutput } from '../model/hooks/read-output.js';
import { type Hook, HookCancelled, HookFailure } from './hook.js';

/** An embedder's own hooks. They run before the commands of settings, so that those see the input as sent. */
export interface HookFunctions {
  /** Run before a call; may block it, change its input, or decide in the user's place. */
  readonly preToolUse?: readonly HookFunction<HookCall, PreAnswer>[];
  /** Run where a person would be asked about a call; may decide in that person's place. */
  readonly permissionRequest?: readonly HookFunction<PermissionRequest, PermissionHookAnswer>[];
  /** Run after a call that succeeded; may replace its result or keep it from the model. */
  readonly postToolUse?: readonly HookFunction<FinishedCall, PostAnswer>[];
  /** Run after a call that failed, or whose outcome is unknown; may replace what the model reads of it. */
  readonly postToolUseFailure?: readonly HookFunction<FinishedCall, PostAnswer>[];
  /** Run before the user sees a server's question; the first answer counts, and the user is not asked. */
  readonly elicitation?: readonly HookFunction<Elicitation, ElicitationReply>[];
  /** Run before the answer to a server's question is sent; may replace it. */
  readonly elicitationResult?: readonly HookFunction<AnsweredElicitation, ElicitationReply>[];
}

/** A function of the embedder that runs before or after calls. */
export interface HookFunction<Question, Answer> {
  /** Same syntax as in settings; without a matcher the hook runs for everything. */
  readonly matcher?: string | undefined;
  /** `continue`: a hook that fails is told, and ignored otherwise. Default: `block`. */
  readonly onFailure?: 'continue' | 'block' | undefined;
  /** The older word for `onFailure: 'continue'`. */
  readonly failOpen?: boolean | undefined;
  /** Timeout for a hook that returns a promise; 60 s by default. */
  readonly timeoutMs?: number | undefined;
  /** Contract: undefined means no opinion. If it throws, the hook has failed, which blocks a call or its result. */
  run(question: Question, signal: AbortSignal | undefined): Answer | undefined | Promise<Answer | undefined>;
}

/** A hook that answers synchronously creates no promise. */
export function functionHook<Question, Answer extends object>(
  hook: HookFunction<Question, Answer>,
  { label, clock, check }: { label: string; clock: Clock; check: (answer: Answer) => Answer },
): Hook<Question, Answer> {
  const { onFailure, timeoutMs = TIMEOUT_MS } = hook;
  const failOpen = onFailure === undefined ? hook.failOpen === true : onFailure === 'continue';
  const read = (answer: Answer | undefined): Answer | undefined => {
    if (answer === undefined || answer === null) return undefined;
    if (typeof answer !== 'object') throw new BadAnswer(`answers with a ${typeof answer}`);
    if (Array.isArray(answer)) throw new BadAnswer('answers with a list');
    return check(answer);
  };
  const wait = async (work: Promise<Answer | undefined>, signal?: AbortSignal): Promise<Answer | undefined> => {
    const answer = await within(work, {
      signal,
      deadline: (expire) => clock.after(timeoutMs, expire),
      instead: (why) => {
        if (why === 'aborted') throw new HookCancelled('the call was given up');
        throw new HookFailure(`did not answer within ${timeoutMs} ms`);
      },
    });
    return read(answer);
  };
  return {
    label,
    failOpen,
    ask(question, signal) {
      const answer = hook.run(question, signal);
      return isPromise(answer) ? wait(answer, signal) : read(answer);
    },
  };
}

const TIMEOUT_MS = 60_000;

export function checkPre(answer: PreAnswer): PreAnswer {
  refuseOthers(answer, ['decision', 'reason', 'input', 'context'], 'its answer');
  const { decision } = answer;
  if (decision !== undefined && decision !== 'allow' && decision !== 'deny' && decision !== 'ask')
    throw new BadAnswer(`decides ${shorten(String(decision), QUOTED)}, which has to be allow, deny or ask`);
  checkInput(answer.input);
  checkText(answer.reason);
  checkText(answer.context);
  return answer;
}

export function checkPermission(answer: PermissionHookAnswer): PermissionHookAnswer {
  refuseOthers(answer, ['decision', 'reason', 'input', 'isInterrupting'], 'its answer');
  const { decision } = answer;
  if (decision !== undefined && decision !== 'allow' && decision !== 'deny')
    throw new BadAnswer(`decides ${shorten(String(decision), QUOTED)}, which has to be allow or deny`);
  checkInput(answer.input);
  checkText(answer.reason);
  return answer;
}

export function checkPost(answer: PostAnswer): PostAnswer {
  refuseOthers(answer, ['block', 'output', 'context'], 'its answer');
  checkText(answer.block);
  checkText(answer.context);
  return answer.output === undefined ? answer : { ...answer, output: readOutput(answer.output) };
}

export function checkReply(answer: ElicitationReply): ElicitationReply {
  refuseOthers(answer, ['action', 'content', 'reason'], 'its answer');
  const { action } = answer;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel')
    throw new BadAnswer(`says ${shorten(String(action), QUOTED)}, which has to be accept, decline or cancel`);
  return answer;
}

const QUOTED = 60;

function checkInput(input: unknown): void {
  if (input !== undefined && !isObject(input)) throw new BadAnswer('answers with an input that is no object');
}

function checkText(text: unknown): void {
  if (text !== undefined && typeof text !== 'string')
    throw new BadAnswer(`has a ${typeof text} where a text has to be`);
}

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
