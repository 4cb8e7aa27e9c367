import { isObject } from '../base/json.js';
import type { CommandRunner } from '../edge/processes/command-runner.js';
import type { PrivatePlace } from '../edge/files/private-place.js';
import type { Clock } from '../model/clock.js';
import type {
  HookCall,
  Elicitation,
  ElicitationReply,
  PostAnswer,
  PreAnswer,
  PreVerdict,
} from '../model/hooks/hook-call.js';
import { EVERYTHING, parseHookMatcher } from '../model/hooks/hook-matcher.js';
import type { HookEvent, HookSetting } from '../model/hooks/hook-settings.js';
import { textRedactor } from '../model/redaction/redact-text.js';
import { gateLine, gateText } from '../model/text/text-gate.js';
import type { ToolResult } from '../model/tool.js';
import { type Hook, HookCancelled, HookFailure, type HookProblem } from './hook.js';
import { type CommandEvent, commandHook } from './hook-command.js';
import { eventFormats } from './hook-events.js';
import {
  checkPost,
  checkPre,
  checkReply,
  type FinishedCall,
  type HookFunction,
  functionHook,
  type HookFunctions,
  isPromise,
} from './hook-functions.js';
import { type HookEntry, HookList, type HookSubject } from './hook-list.js';
import { applyPost, refusal } from './hook-result.js';
import { PreHookOutcome } from './pre-hook-outcome.js';

export interface HooksOptions {
  readonly settings: readonly HookSetting[];
  readonly functions?: HookFunctions | undefined;
  /** The host's environment, which the user's commands inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The project root; the working directory by default. */
  readonly project?: string | undefined;
  /** Set when the working directory is not trusted: commands run in a private folder. */
  readonly apart?: HooksApart | undefined;
  readonly session?: string | undefined;
  readonly clock: Clock;
  /** Runs and ends the commands. Outlives this object: calls in flight use these hooks after newer ones are loaded. */
  readonly runner: CommandRunner;
  /** Called for every failure, whether it blocks a call or not. Contract: must not throw. */
  onProblem(problem: HookProblem): void;
}

export interface HooksApart {
  readonly place: PrivatePlace;
  /** Why a command cannot run there; the text continues a sentence that begins with the command. */
  readonly whyNot: (command: string) => string | undefined;
}

/** Runs the hooks before a call, after it, and for a server's elicitation. */
export class Hooks {
  readonly #options: HooksOptions;
  readonly #pre: HookList<HookCall, PreAnswer>;
  readonly #post: HookList<FinishedCall, PostAnswer>;
  readonly #elicitation: HookList<Elicitation, ElicitationReply>;
  /** Environment of commands, built once. */
  #env: Readonly<Record<string, string>> | undefined;

  constructor(options: HooksOptions) {
    this.#options = options;
    const { functions = {}, cwd, session } = options;
    const events = eventFormats({ cwd, session });
    this.#pre = new HookList([
      ...this.#functions('PreToolUse', functions.preToolUse, checkPre),
      ...this.#commands('PreToolUse', events.pre),
      ...this.#barred(events.pre),
    ]);
    this.#post = new HookList([
      ...this.#functions('PostToolUse', functions.postToolUse, checkPost),
      ...this.#commands('PostToolUse', events.post),
    ]);
    this.#elicitation = new HookList([
      ...this.#functions('Elicitation', functions.elicitation, checkReply),
      ...this.#commands('Elicitation', events.elicitation),
    ]);
  }

  matches(event: HookEvent, subject: HookSubject): boolean {
    if (event === 'Elicitation') return this.#elicitation.for({ name: subject.name }).length > 0;
    return (event === 'PreToolUse' ? this.#pre : this.#post).for(subject).length > 0;
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
    const message = this.#tell('PreToolUse', hook.label, error);
    return hook.failOpen
      ? undefined
      : { kind: 'block', reason: refusal('PreToolUse', call.name, `the hook ${message}`), cause: error };
  }

  /**
   * Runs PostToolUse hooks; returns the same object when they change nothing. They see errors as well, marked by
   * `isError`: a hook that redacts or counts results needs all of them. Never throws or rejects.
   */
  postToolUse(call: HookCall, result: ToolResult, ms: number): ToolResult | Promise<ToolResult> {
    return this.#after({ call, result, ms }, this.#post.for(call), 0);
  }

  #after(
    done: FinishedCall,
    hooks: readonly Hook<FinishedCall, PostAnswer>[],
    from: number,
  ): ToolResult | Promise<ToolResult> {
    let now = done;
    for (let at = from; at < hooks.length; at++) {
      const hook = hooks[at]!;
      const asked = now;
      try {
        const answer = hook.ask(asked, asked.call.signal);
        if (isPromise(answer)) {
          return answer.then(
            (later) => this.#after(changed(asked, later), hooks, at + 1),
            (error: unknown) => this.#after(this.#noted(asked, hook, error), hooks, at + 1),
          );
        }
        now = changed(asked, answer);
      } catch (error) {
        now = this.#noted(asked, hook, error);
      }
    }
    return now.result;
  }

  /** The tool has run, so its result stays, with a note about the failed hook. */
  #noted(done: FinishedCall, hook: Hook<FinishedCall, PostAnswer>, error: unknown): FinishedCall {
    const isCancelled = error instanceof HookCancelled;
    const message = isCancelled
      ? 'was ended, because the call was given up'
      : this.#tell('PostToolUse', hook.label, error);
    const notes = [...done.result.notes, `A PostToolUse hook ${message}; the result is as it was before`];
    return { ...done, result: { ...done.result, notes } };
  }

  /** The first hook's answer on behalf of the user; undefined: the user has to be asked. Never rejects. */
  async elicit(question: Elicitation, signal?: AbortSignal): Promise<ElicitationReply | undefined> {
    for (const hook of this.#elicitation.for({ name: question.server })) {
      try {
        const reply = await hook.ask(question, signal);
        if (reply) return reply;
      } catch (error) {
        if (error instanceof HookCancelled) return undefined;
        this.#tell('Elicitation', hook.label, error); // the user is asked instead
      }
    }
    return undefined;
  }

  #tell(event: HookEvent, hook: string, error: unknown): string {
    const message = describe(error);
    this.#options.onProblem({ hook, event, message: `${event} hook ${message}` });
    return message;
  }

  #functions<Question, Answer extends object>(
    event: HookEvent,
    functions: readonly HookFunction<Question, Answer>[] = [],
    check: (answer: Answer) => Answer,
  ): HookEntry<Question, Answer>[] {
    const { clock } = this.#options;
    return functions.flatMap((one, index) => {
      const label = `${event} function ${index + 1}`;
      return this.#entry(event, one.matcher, [functionHook(one, { label, clock, check })]);
    });
  }

  #commands<Question, Answer>(event: HookEvent, kind: CommandEvent<Question, Answer>): HookEntry<Question, Answer>[] {
    return this.#options.settings
      .filter((setting) => setting.event === event)
      .flatMap((setting) => this.#commandsOf(setting, event, kind));
  }

  #commandsOf<Question, Answer>(
    { matcher, commands, file, line }: HookSetting,
    event: HookEvent,
    kind: CommandEvent<Question, Answer>,
  ): HookEntry<Question, Answer>[] {
    const { cwd, apart, runner } = this.#options;
    const env = (this.#env ??= this.#environment());
    const hooks = commands.map((command) => {
      const where = line === undefined ? file : `${file}:${line}`;
      const label = `${gateLine(textRedactor().redact(command.command), { limit: LABEL_LENGTH }).text} (${where})`;
      const whyNot = apart?.whyNot(command.command);
      const place = apart?.place;
      return commandHook(command, kind, { label, cwd, place, whyNot, env, runner });
    });
    return this.#entry(event, matcher, hooks);
  }

  /** If a PostToolUse hook cannot run, it could not check the result: the call is blocked before it is made. */
  #barred(kind: CommandEvent<HookCall, PreAnswer>): HookEntry<HookCall, PreAnswer>[] {
    const { settings, apart } = this.#options;
    return settings
      .filter(({ event }) => event === 'PostToolUse')
      .flatMap(({ commands, ...setting }) => {
        const needy = commands.filter(({ command }) => apart?.whyNot(command) !== undefined);
        return needy.length === 0 ? [] : this.#commandsOf({ ...setting, commands: needy }, 'PreToolUse', kind);
      });
  }

  /** A hook with an invalid matcher blocks every call (PreToolUse, unless `failOpen`); else it is skipped. */
  #entry<Question, Answer>(
    event: HookEvent,
    source: string | undefined,
    hooks: readonly Hook<Question, Answer>[],
  ): HookEntry<Question, Answer>[] {
    const matcher = parseHookMatcher(source);
    const fails = (hook: Hook<Question, Answer>, why: string): Hook<Question, Answer> | undefined => {
      const failure = new HookFailure(`cannot be used: its matcher ${why}`);
      return event === 'PreToolUse' && !hook.failOpen ? { ...hook, ask: () => fail(failure) } : undefined;
    };
    if (matcher.kind === 'readable')
      return hooks.map((hook) => {
        const otherwise = fails(hook, 'takes too long for this name');
        return { matcher, hook, otherwise, forAccount: event === 'PreToolUse' ? withoutYes(hook) : hook };
      });
    return hooks.flatMap((hook) => {
      this.#tell(event, hook.label, new HookFailure(`cannot be used: its matcher ${matcher.reason}`));
      const failing = fails(hook, matcher.reason);
      return failing ? [{ matcher: EVERYTHING, hook: failing }] : [];
    });
  }

  #environment(): Record<string, string> {
    const { project, cwd, apart } = this.#options;
    const env = apart?.place.env ?? this.#options.env;
    const own = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const folder = project ?? cwd;
    return { ...Object.fromEntries(own), PLUGBOARD_PROJECT_DIR: folder, CLAUDE_PROJECT_DIR: folder };
  }
}

const LABEL_LENGTH = 120;
const MESSAGE_LENGTH = 2000;

/** Permission for a server is none for its accounts: there a hook may only block or change the input. */
function withoutYes<Question, Answer>(hook: Hook<Question, Answer>): Hook<Question, Answer> {
  const take = (answer: Answer | undefined): Answer | undefined =>
    isObject(answer) && answer['decision'] === 'allow' ? { ...answer, decision: undefined } : answer;
  return {
    ...hook,
    ask(question, signal) {
      const answer = hook.ask(question, signal);
      return isPromise(answer) ? answer.then(take) : take(answer);
    },
  };
}

function fail(failure: HookFailure): never {
  throw failure;
}

function changed(done: FinishedCall, answer: PostAnswer | undefined): FinishedCall {
  if (!answer) return done;
  const result = applyPost(done.result, answer, done.call.name);
  return result === done.result ? done : { ...done, result };
}

/** Plugboard's own messages continue "the hook ..."; what a hook function threw is quoted. */
function describe(error: unknown): string {
  const isOwn = error instanceof Error && (error.name === 'HookFailure' || error.name === 'BadAnswer');
  const text = isOwn ? error.message : `failed: ${error instanceof Error ? error.message : String(error)}`;
  return gateText(textRedactor().redact(text), { limit: MESSAGE_LENGTH }).text;
}
