import { isObject } from '../base/json.js';
import type { PrivatePlace } from '../edge/files/private-place.js';
import type { CommandRunner } from '../edge/processes/command-runner.js';
import type { Clock } from '../model/clock.js';
import type { HookCall, PreAnswer } from '../model/hooks/hook-call.js';
import { EVERYTHING, parseHookMatcher } from '../model/hooks/hook-matcher.js';
import { type HookEvent, type HookSetting, isBlockingEvent } from '../model/hooks/hook-settings.js';
import { textRedactor } from '../model/redaction/redact-text.js';
import { gateLine } from '../model/text/text-gate.js';
import { type EventFormat, type Hook, HookFailure } from './hook.js';
import { type HookCallback, callbackHook } from './hook-callback.js';
import { commandHook } from './hook-command.js';
import { type HookFunction, functionHook, isPromise } from './hook-functions.js';
import type { HookEntry } from './hook-list.js';
import { type HookWatch, watchedHook } from './hook-watch.js';

export interface HookFactoryOptions {
  readonly settings: readonly HookSetting[];
  readonly callbacks?: readonly HookCallback[] | undefined;
  /** The host's environment, which the user's commands inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The project root; the working directory by default. */
  readonly project?: string | undefined;
  /** Set when the working directory is not trusted: commands run in a private folder. */
  readonly apart?: HooksApart | undefined;
  readonly clock: Clock;
  /** Runs and ends the commands. Outlives this object: calls in flight use these hooks after newer ones are loaded. */
  readonly runner: CommandRunner;
  readonly watch?: HookWatch | undefined;
}

export interface HooksApart {
  readonly place: PrivatePlace;
  /** Why a command cannot run there; the text continues a sentence that begins with the command. */
  readonly whyNot: (command: string) => string | undefined;
}

/** The functions of an embedder for one event. */
export interface EventFunctions<Question, Answer extends object> {
  readonly list: readonly HookFunction<Question, Answer>[] | undefined;
  /** Throws `BadAnswer`. */
  readonly check: (answer: Answer) => Answer;
}

/** Makes the hooks of each event: functions, then callbacks, then the commands of the settings. */
export class HookFactory {
  readonly #options: HookFactoryOptions;
  /** Called for a matcher that cannot be read. */
  readonly #tell: (event: HookEvent, hook: string, failure: HookFailure) => void;
  /** Environment of commands, built once. */
  #env: Readonly<Record<string, string>> | undefined;

  constructor(options: HookFactoryOptions, tell: (event: HookEvent, hook: string, failure: HookFailure) => void) {
    this.#options = options;
    this.#tell = tell;
  }

  entries<Question, Answer extends object>(
    format: EventFormat<Question, Answer>,
    functions?: EventFunctions<Question, Answer>,
  ): HookEntry<Question, Answer>[] {
    return this.#sources(format, functions).flatMap(({ matcher, hooks }) => this.#entry(format, matcher, hooks));
  }

  /**
   * A hook that cannot look at results keeps calls from being made: a PostToolUse hook whose command cannot run where
   * it has to, or whose matcher cannot be read.
   */
  barred<Question, Answer extends object>(
    format: EventFormat<Question, Answer>,
    functions?: EventFunctions<Question, Answer>,
  ): HookEntry<HookCall, PreAnswer>[] {
    return this.#sources(format, functions).flatMap(({ matcher: source, hooks, whyNot }) => {
      const matcher = parseHookMatcher(source);
      return hooks.flatMap((hook, at): readonly HookEntry<HookCall, PreAnswer>[] => {
        const { label, failOpen } = hook;
        if (matcher.kind === 'unreadable') {
          if (failOpen) return [];
          return [{ matcher: EVERYTHING, hook: failing(hook, unusable(matcher.reason)) }];
        }
        const why = whyNot?.[at];
        return why === undefined ? [] : [{ matcher, hook: failing(hook, new HookFailure(`${label} ${why}`)) }];
      });
    });
  }

  #sources<Question, Answer extends object>(
    format: EventFormat<Question, Answer>,
    functions?: EventFunctions<Question, Answer>,
  ): readonly HookSource<Question, Answer>[] {
    const { clock, settings, callbacks = [], watch } = this.#options;
    const { event } = format;
    return [
      ...(functions?.list ?? []).map((one, index): HookSource<Question, Answer> => {
        const label = `${event} function ${index + 1}`;
        const hook = functionHook(one, { label, clock, check: functions!.check });
        return { matcher: one.matcher, hooks: [watchedHook(hook, format, watch)] };
      }),
      ...callbacks
        .filter((one) => one.event === event)
        .map((one): HookSource<Question, Answer> => {
          const label = gateLine(one.label, { limit: LABEL_LENGTH }).text;
          const hook = callbackHook({ ...one, label, ask: (input, about) => one.ask(input, about) }, format, clock);
          return { matcher: one.matcher, hooks: [watchedHook(hook, format, watch)] };
        }),
      ...settings.filter((setting) => setting.event === event).map((setting) => this.#commands(setting, format)),
    ];
  }

  #commands<Question, Answer>(
    { matcher, commands, fault, file, line }: HookSetting,
    format: EventFormat<Question, Answer>,
  ): HookSource<Question, Answer> {
    const { cwd, apart, runner, watch } = this.#options;
    const where = line === undefined ? file : `${file}:${line}`;
    if (fault !== undefined)
      return { matcher, hooks: [failing({ label: where, failOpen: false }, unrunnable(where, fault))] };
    const env = (this.#env ??= this.#environment());
    const whyNot = commands.map(({ command }) => apart?.whyNot(command));
    const hooks = commands.map((command, at) => {
      const label = `${gateLine(textRedactor().redact(command.command), { limit: LABEL_LENGTH }).text} (${where})`;
      const hook = commandHook(command, format, { label, cwd, place: apart?.place, whyNot: whyNot[at], env, runner });
      return watchedHook(hook, format, watch);
    });
    return { matcher, hooks, whyNot };
  }

  /** A hook with an invalid matcher fails for everything where a failure blocks something; else it is skipped. */
  #entry<Question, Answer>(
    { event }: EventFormat<Question, Answer>,
    source: string | undefined,
    hooks: readonly Hook<Question, Answer>[],
  ): HookEntry<Question, Answer>[] {
    const matcher = WITHOUT_MATCHER.has(event) ? EVERYTHING : parseHookMatcher(source);
    const fails = (hook: Hook<Question, Answer>, why: string): Hook<Question, Answer> | undefined =>
      isBlockingEvent(event) && !hook.failOpen ? failing(hook, unusable(why)) : undefined;
    if (matcher.kind === 'readable')
      return hooks.map((hook) => {
        const otherwise = fails(hook, 'takes too long for this name');
        const mayAllow = event === 'PreToolUse' || event === 'PermissionRequest';
        return { matcher, hook, otherwise, forAccount: mayAllow ? withoutYes(hook) : hook };
      });
    return hooks.flatMap((hook) => {
      this.#tell(event, hook.label, unusable(matcher.reason));
      const failed = fails(hook, matcher.reason);
      return failed ? [{ matcher: EVERYTHING, hook: failed }] : [];
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

interface HookSource<Question, Answer> {
  readonly matcher: string | undefined;
  readonly hooks: readonly Hook<Question, Answer>[];
  /** For each hook, why it cannot run where it has to. */
  readonly whyNot?: readonly (string | undefined)[];
}

const LABEL_LENGTH = 120;

/** The events that are about nothing that a matcher could name. */
const WITHOUT_MATCHER: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'Stop']);

function unusable(why: string): HookFailure {
  return new HookFailure(`cannot be used: its matcher ${why}`);
}

function unrunnable(where: string, fault: string): HookFailure {
  return new HookFailure(`cannot be run: ${where}: ${fault}`);
}

function failing<Question, Answer>(
  { label, failOpen }: Pick<Hook<never, unknown>, 'label' | 'failOpen'>,
  failure: HookFailure,
): Hook<Question, Answer> {
  const ask = (): never => {
    throw failure;
  };
  return { label, failOpen, ask };
}

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
