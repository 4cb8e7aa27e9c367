import { unreachable } from '../base/never.js';
import type {
  AnsweredElicitation,
  Elicitation,
  ElicitationReply,
  FinishedCall,
  HookCall,
  PermissionHookAnswer,
  PermissionHookVerdict,
  PermissionRequest,
  PostAnswer,
  PreAnswer,
  PreVerdict,
} from '../model/hooks/hook-call.js';
import { NO_REASON } from '../model/hooks/answer-fields.js';
import { type HookEvent, isQuestionEvent } from '../model/hooks/hook-settings.js';
import type { SessionHookAnswer, SessionHookEvent } from '../model/hooks/session-answer.js';
import type { ToolResult } from '../model/tool.js';
import { type Hook, HookCancelled, type HookProblem } from './hook.js';
import { eventFormats, type EventFormatsOptions, type SessionQuestion } from './hook-events.js';
import { HookFactory, type HookFactoryOptions } from './hook-factory.js';
import { checkPermission, checkPost, checkPre, checkReply, type HookFunctions, isPromise } from './hook-functions.js';
import { HookList, type HookSubject } from './hook-list.js';
import { applyPost, describeFailure, describeToModel, refusal, withholdFailed } from './hook-result.js';
import { PreHookOutcome } from './pre-hook-outcome.js';

export interface HooksOptions extends HookFactoryOptions, EventFormatsOptions {
  readonly functions?: HookFunctions | undefined;
  /** Called for every failure, whether it blocks a call or not. Contract: must not throw. */
  onProblem(problem: HookProblem): void;
}

/** Runs the hooks before a call, after it, for a server's elicitation, and for a session. */
export class Hooks {
  readonly #options: HooksOptions;
  readonly #pre: HookList<HookCall, PreAnswer>;
  readonly #permission: HookList<PermissionRequest, PermissionHookAnswer>;
  readonly #post: HookList<FinishedCall, PostAnswer>;
  readonly #failure: HookList<FinishedCall, PostAnswer>;
  readonly #elicitation: HookList<Elicitation, ElicitationReply>;
  readonly #elicitationResult: HookList<AnsweredElicitation, ElicitationReply>;
  readonly #session: Readonly<Record<SessionHookEvent, HookList<SessionQuestion, SessionHookAnswer>>>;

  constructor(options: HooksOptions) {
    this.#options = options;
    const { functions = {} } = options;
    const formats = eventFormats(options);
    const factory = new HookFactory(options, (event, hook, failure) => void this.#tell(event, hook, failure));
    const [pre, permission, post, failure] = [
      { list: functions.preToolUse, check: checkPre },
      { list: functions.permissionRequest, check: checkPermission },
      { list: functions.postToolUse, check: checkPost },
      { list: functions.postToolUseFailure, check: checkPost },
    ] as const;
    this.#pre = new HookList([
      ...factory.entries(formats.pre, pre),
      ...factory.barred(formats.post, post),
      ...factory.barred(formats.failure, failure),
    ]);
    this.#permission = new HookList(factory.entries(formats.permission, permission));
    this.#post = new HookList(factory.entries(formats.post, post));
    this.#failure = new HookList(factory.entries(formats.failure, failure));
    this.#elicitation = new HookList(
      factory.entries(formats.elicitation, { list: functions.elicitation, check: checkReply }),
    );
    this.#elicitationResult = new HookList(
      factory.entries(formats.elicitationResult, { list: functions.elicitationResult, check: checkReply }),
    );
    const ofSession = (event: SessionHookEvent): HookList<SessionQuestion, SessionHookAnswer> =>
      new HookList(factory.entries(formats.session(event)));
    this.#session = {
      UserPromptSubmit: ofSession('UserPromptSubmit'),
      SessionStart: ofSession('SessionStart'),
      SessionEnd: ofSession('SessionEnd'),
      Stop: ofSession('Stop'),
      PreCompact: ofSession('PreCompact'),
      PostCompact: ofSession('PostCompact'),
    };
  }

  /** Whether there is any hook for the event. */
  has(event: HookEvent): boolean {
    return !this.#listOf(event).isEmpty;
  }

  /** Whether there is a hook for the event of this tool or server. */
  matches(event: HookEvent, subject: HookSubject): boolean {
    return this.#listOf(event).for(isQuestionEvent(event) ? { name: subject.name } : subject).length > 0;
  }

  #listOf(event: HookEvent): Pick<HookList<never, unknown>, 'isEmpty' | 'for'> {
    switch (event) {
      case 'PreToolUse':
        return this.#pre;
      case 'PermissionRequest':
        return this.#permission;
      case 'PostToolUse':
        return this.#post;
      case 'PostToolUseFailure':
        return this.#failure;
      case 'Elicitation':
        return this.#elicitation;
      case 'ElicitationResult':
        return this.#elicitationResult;
      case 'UserPromptSubmit':
      case 'SessionStart':
      case 'SessionEnd':
      case 'Stop':
      case 'PreCompact':
      case 'PostCompact':
        return this.#session[event];
      default:
        return unreachable(event);
    }
  }

  /** Whether a call may go on. Returns a promise only when a hook does. Never throws or rejects. */
  preToolUse(call: HookCall): PreVerdict | Promise<PreVerdict> {
    return this.#before(new PreHookOutcome(call), this.#pre.for(call), 0);
  }

  #before(
    round: PreHookOutcome,
    hooks: readonly Hook<HookCall, PreAnswer>[],
    from: number,
  ): PreVerdict | Promise<PreVerdict> {
    for (let at = from; at < hooks.length; at++) {
      const hook = hooks[at]!;
      try {
        const answer = hook.ask(round.call, round.call.signal);
        if (isPromise(answer)) {
          return answer.then(
            (later) => round.take(later) ?? this.#before(round, hooks, at + 1),
            (error: unknown) => this.#fail(round, hook, error) ?? this.#before(round, hooks, at + 1),
          );
        }
        const verdict = round.take(answer);
        if (verdict) return verdict;
      } catch (error) {
        const verdict = this.#fail(round, hook, error);
        if (verdict) return verdict;
      }
    }
    return round.verdict();
  }

  /** A hook that failed might have said no, so the call is blocked unless `failOpen`. */
  #fail({ call }: PreHookOutcome, hook: Hook<HookCall, PreAnswer>, error: unknown): PreVerdict | undefined {
    if (error instanceof HookCancelled) return { kind: 'block', reason: error.message };
    const message = this.failed('PreToolUse', hook, error);
    return hook.failOpen
      ? undefined
      : { kind: 'block', reason: refusal('PreToolUse', call.name, `the hook ${message}`), cause: error };
  }

  /** Decides about a call that a person would be asked about; a deny outweighs every allow. Never rejects. */
  async permissionRequest(request: PermissionRequest): Promise<PermissionHookVerdict> {
    const { name, signal } = request.call;
    let { call } = request;
    let isAllowed = false;
    for (const hook of this.#permission.for(call)) {
      try {
        const answer = await hook.ask({ ...request, call }, signal);
        if (answer?.decision === 'deny') {
          const reason = refusal('PermissionRequest', name, answer.reason?.trim() || NO_REASON);
          return { kind: 'deny', reason, isInterrupting: answer.isInterrupting === true };
        }
        if (answer?.decision !== 'allow') continue;
        isAllowed = true;
        if (answer.input) call = { ...call, input: answer.input };
      } catch (error) {
        if (error instanceof HookCancelled) return { kind: 'deny', reason: error.message, isInterrupting: false };
        const message = this.failed('PermissionRequest', hook, error);
        if (hook.failOpen) continue;
        const reason = refusal('PermissionRequest', name, `the hook ${message}`);
        return { kind: 'deny', reason, isInterrupting: false, cause: error };
      }
    }
    return isAllowed ? { kind: 'allow', input: call.input } : { kind: 'ask' };
  }

  /**
   * Runs PostToolUse hooks after a call that succeeded, else PostToolUseFailure hooks; returns the same object when they
   * change nothing. A hook that fails might have taken something out: the result is withheld, unless `failOpen`. Never
   * throws or rejects.
   */
  postToolUse(call: HookCall, result: ToolResult, ms: number): ToolResult | Promise<ToolResult> {
    const event = result.outcome === 'ok' ? 'PostToolUse' : 'PostToolUseFailure';
    const hooks = (event === 'PostToolUse' ? this.#post : this.#failure).for(call);
    // A call that was given up before has ended all the same, and hooks hear of it.
    const signal = call.signal?.aborted === true ? undefined : call.signal;
    return this.#after({ call, result, ms }, { event, hooks, signal }, 0);
  }

  #after(done: FinishedCall, round: PostRound, from: number): ToolResult | Promise<ToolResult> {
    let now = done;
    for (let at = from; at < round.hooks.length; at++) {
      const hook = round.hooks[at]!;
      const asked = now;
      try {
        const answer = hook.ask(asked, round.signal);
        if (isPromise(answer)) {
          return answer.then(
            (later) => this.#after(changed(asked, round.event, later), round, at + 1),
            (error: unknown) => this.#after(this.#withheld(asked, { ...round, hook }, error), round, at + 1),
          );
        }
        now = changed(asked, round.event, answer);
      } catch (error) {
        now = this.#withheld(asked, { ...round, hook }, error);
      }
    }
    return now.result;
  }

  #withheld(
    done: FinishedCall,
    { event, hook }: Pick<PostRound, 'event'> & { readonly hook: Hook<FinishedCall, PostAnswer> },
    error: unknown,
  ): FinishedCall {
    const isCancelled = error instanceof HookCancelled;
    if (!isCancelled) this.failed(event, hook, error);
    const message = isCancelled ? 'was ended, because the call was given up' : describeToModel(error);
    const { call, result } = done;
    if (!hook.failOpen) {
      const reason = refusal(event, call.name, `the hook ${message}`);
      return { ...done, result: withholdFailed(result, reason, error) };
    }
    const notes = [...result.notes, `A ${event} hook ${message}; the result is as it was before`];
    return { ...done, result: { ...result, notes } };
  }

  /** The first hook's answer on behalf of the user; undefined: the user has to be asked. Never rejects. */
  async elicit(question: Elicitation, signal?: AbortSignal): Promise<ElicitationReply | undefined> {
    for (const hook of this.#elicitation.for({ name: question.server })) {
      try {
        const reply = await hook.ask(question, signal);
        if (reply) return reply;
      } catch (error) {
        if (error instanceof HookCancelled) return undefined;
        this.failed('Elicitation', hook, error); // the user is asked instead
      }
    }
    return undefined;
  }

  /** The answer to a server's question after hooks; cancelled when one of them fails. Never rejects. */
  async elicitationResult(answered: AnsweredElicitation, signal?: AbortSignal): Promise<ElicitationReply> {
    let { reply } = answered;
    for (const hook of this.#elicitationResult.for({ name: answered.question.server })) {
      try {
        reply = (await hook.ask({ ...answered, reply }, signal)) ?? reply;
      } catch (error) {
        if (error instanceof HookCancelled) return { action: 'cancel', reason: error.message };
        const message = this.failed('ElicitationResult', hook, error);
        if (!hook.failOpen) return { action: 'cancel', reason: `an ElicitationResult hook ${message}` };
      }
    }
    return reply;
  }

  /** The hooks for an event of a session, in order. */
  forSession(event: SessionHookEvent, { about }: SessionQuestion): readonly Hook<SessionQuestion, SessionHookAnswer>[] {
    return this.#session[event].for({ name: about ?? '' });
  }

  /** Tells that a hook has failed; returns what happened, to continue a sentence that begins with "the hook". */
  failed(
    event: HookEvent,
    { label, failOpen }: Pick<Hook<never, unknown>, 'label' | 'failOpen'>,
    error: unknown,
  ): string {
    return this.#tell(event, label, error, failOpen ? ' It is ignored, as its onFailure says.' : '');
  }

  #tell(event: HookEvent, hook: string, error: unknown, more = ''): string {
    const message = describeFailure(error);
    this.#options.onProblem({ hook, event, message: `${event} hook ${message}${more === '' ? '' : `.${more}`}` });
    return message;
  }
}

interface PostRound {
  readonly event: 'PostToolUse' | 'PostToolUseFailure';
  readonly hooks: readonly Hook<FinishedCall, PostAnswer>[];
  readonly signal: AbortSignal | undefined;
}

function changed(done: FinishedCall, event: PostRound['event'], answer: PostAnswer | undefined): FinishedCall {
  if (!answer) return done;
  const result = applyPost(done.result, answer, { event, name: done.call.name });
  return result === done.result ? done : { ...done, result };
}
